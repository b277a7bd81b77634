package dev.mandate.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/** Texts that many records share, each kept once: the most recently used, as far as they fit. On one thread. */
final class SharedText {
    private static final int MAX = 1_000;

    private final Map<String, String> kept = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MAX;
        }
    };

    /** The kept text that equals {@code text}. */
    String same(String text) {
        String known = kept.putIfAbsent(text, text);
        return known == null ? text : known;
    }
}
