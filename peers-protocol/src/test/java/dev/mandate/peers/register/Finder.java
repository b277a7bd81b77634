package dev.mandate.peers.register;

import java.util.Optional;
import java.util.function.Supplier;

/** What looks for a bug. Found by its name, because it runs in classes loaded once more. */
enum Finder implements Supplier<Optional<String>> {
    /** Two acquires on nothing, every state. */
    EXPLORER {
        @Override
        public Optional<String> get() {
            return violation(() -> new Explorer(Plan.TWO_ACQUIRES).explore(2_000_000));
        }
    },
    /** A release and a read, every state. */
    EXPLORER_READ {
        @Override
        public Optional<String> get() {
            return violation(() -> new Explorer(Plan.RELEASE_AND_READ).explore(2_000_000));
        }
    },
    /** A release, and an acquire on it before it is chosen, every state. */
    EXPLORER_REPLACED {
        @Override
        public Optional<String> get() {
            return violation(() -> new Explorer(Plan.RELEASE_AND_TAKE).explore(2_000_000));
        }
    },
    /** A few thousand walks. */
    WALKS {
        @Override
        public Optional<String> get() {
            return violation(() -> {
                for (long seed = 1; seed <= WALKS_MAX; seed++) {
                    new Walk(seed).run();
                }
            });
        }
    },
    /** The schedules of {@link DirectedTest}. */
    DIRECTED {
        @Override
        public Optional<String> get() {
            return violation(() -> DirectedTest.SCHEDULES.values().forEach(Runnable::run));
        }
    };

    static final int WALKS_MAX = 6_000;

    private static Optional<String> violation(Runnable run) {
        try {
            run.run();
            return Optional.empty();
        } catch (Violation e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
