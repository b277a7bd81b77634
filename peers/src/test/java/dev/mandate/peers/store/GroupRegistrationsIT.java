package dev.mandate.peers.store;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import dev.mandate.testkit.OwnStore;
import dev.mandate.testkit.RegistrationTrials;
import dev.mandate.testkit.StoreClient;
import dev.mandate.testkit.StoreWay;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Instances registered with a group of three, by its guests: killed, frozen, deleted by hand, and without a majority.
 */
@Execution(ExecutionMode.CONCURRENT)
class GroupRegistrationsIT extends RegistrationTrials {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final String PARAMETERS = "&lease=" + LEASE.toSeconds() + "s";
    private static final int MEMBERS = 3;

    @TempDir
    Path directory;

    private LiveGroup group;

    @BeforeEach
    void start() {
        group = new LiveGroup("peers", MEMBERS, directory, PARAMETERS).start();
    }

    @AfterEach
    void stop() {
        group.close();
    }

    @Override
    protected String url() {
        return group.guest();
    }

    @Override
    protected Duration lease() {
        return LEASE;
    }

    /** Two of three stop, for everybody. */
    @Override
    protected Optional<StoreWay> way() {
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

    /** Whoever knows the group's secret may do everything. */
    @Override
    protected Optional<Restricted> restricted() {
        return Optional.empty();
    }

    /** Without a majority it stands still. When all stop at once, what they hold is gone, but their directories. */
    @Override
    protected Optional<OwnStore> own() {
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

    /** As {@code mandate evict --force} does it. */
    @Override
    protected void delete(String service, String id) {
        RecordKey key = RecordKey.registration(service, id);
        ElectionStore store = group.store(0);
        if (StoreClient.answer(store.read(key, StoreClient.call())) instanceof Observation.Held held) {
            StoreClient.answer(store.release(key, held, StoreClient.call()));
        }
    }

    @Override
    protected List<String> left(String service) {
        return listed(group.store(0), service);
    }
}
