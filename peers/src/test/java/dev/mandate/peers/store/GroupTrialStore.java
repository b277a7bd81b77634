package dev.mandate.peers.store;

import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.StoreWay;
import dev.mandate.testkit.TrialStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A running group with clients that are guests. Whoever knows the group's secret may do everything, so there is none
 * that restricts.
 */
final class GroupTrialStore implements TrialStore, AutoCloseable {
    static final int MEMBERS = 3;
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final String PARAMETERS = "&lease=" + LEASE.toSeconds() + "s";

    private final Path directory;
    private final LiveGroup group;

    GroupTrialStore(Path directory) {
        this.directory = directory;
        this.group = new LiveGroup("peers", MEMBERS, directory, PARAMETERS).start();
    }

    @Override
    public String url(Duration lease) {
        return group.guest();
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    /** Two of three stop, for everybody. */
    @Override
    public Optional<StoreWay> way() {
        return Optional.of(new StoreWay() {
            @Override
            public String url() {
                return group.guest();
            }

            @Override
            public void cut() {
                group.stop(1);
                group.stop(2);
            }

            @Override
            public void heal() throws IOException {
                group.restart(1);
                group.restart(2);
            }

            @Override
            public void close() {
                // The group is closed after the trial.
            }
        });
    }

    /** Without a majority it stands still. When all stop at once, what they hold is gone, but their directories. */
    @Override
    public Optional<OwnStore> own() {
        LiveGroup own = new LiveGroup("ring", MEMBERS, directory.resolve("emptied"), PARAMETERS).start();
        return Optional.of(new OwnStore() {
            @Override
            public String url() {
                return own.guest();
            }

            @Override
            public void restart() throws IOException {
                own.stop(0);
                own.restart(0);
            }

            @Override
            public void freeze() {
                own.stop(1);
                own.stop(2);
            }

            @Override
            public void thaw() throws IOException {
                own.restart(1);
                own.restart(2);
            }

            @Override
            public void empty() throws IOException {
                for (int i = 0; i < MEMBERS; i++) {
                    own.stop(i);
                }
                for (int i = 0; i < MEMBERS; i++) {
                    own.restart(i);
                }
            }

            @Override
            public void close() {
                own.close();
            }
        });
    }

    @Override
    public void delete(RecordKey key) {
        delete(group.store(0), key);
    }

    /** As {@code mandate evict --force} does it. */
    static void delete(ElectionStore store, RecordKey key) {
        if (StoreClient.answer(store.read(key, StoreClient.call())) instanceof Observation.Held held) {
            StoreClient.answer(store.release(key, held, StoreClient.call()));
        }
    }

    @Override
    public List<String> left(RecordKey prefix) {
        return left(group.store(0), prefix, Observation.class);
    }

    /** No operator can look into a group: what a listing has of that kind. */
    static List<String> left(ElectionStore store, RecordKey prefix, Class<? extends Observation> kind) {
        return StoreClient.answer(store.list(prefix, Cursor.START, StoreClient.call())).items().stream()
                .filter(kind::isInstance)
                .map(Observation::toString)
                .toList();
    }

    @Override
    public void close() {
        group.close();
    }
}
