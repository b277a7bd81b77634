package dev.mandate.peers.url;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The order in which candidates of a group try. It decides who tries first, never who leads. */
public enum GroupScheme {
    /** {@code peers:}: all at once. */
    PEERS,
    /** {@code bully:}: the member named last tries first. */
    BULLY,
    /** {@code ring:}: a token that goes round determines the order. */
    RING;

    /** The word for it in a URL. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The scheme of a URL; empty for another store's. */
    public static Optional<GroupScheme> of(String word) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.word().equals(word))
                .findFirst();
    }
}
