package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Election;
import dev.mandate.LeaderView;
import dev.mandate.Leadership;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A name for each job or tenant, used once: it leaves nothing. {@code -Dmandate.names=1000000} tries a million of them,
 * which takes a minute or two.
 */
@Isolated("it measures the heap")
@Tag("long")
class ManyNamesTest {
    private static final int NAMES = Integer.getInteger("mandate.names", 12_000);
    private static final long LEFT_MAX = 1_000_000;

    private final World world = World.withSessions();

    private void use(Client client, String name, int how) {
        Election election = client.election(name);
        if (how == 0) {
            world.win(election).close();
        } else if (how == 1) {
            election.observe(view -> {}).close();
            world.pass(Duration.ofMillis(5));
        } else {
            assertThat(election.view()).isInstanceOf(LeaderView.Vacant.class);
        }
    }

    private void useOnce(Client client, int from, int count) {
        for (int i = from; i < from + count; i++) {
            use(client, "job-" + i, i % 3);
            if (i % 1_000 == 0) {
                // Before it has grown: a list keeps the room it once had.
                world.log.clear();
            }
        }
        // Cool-downs end.
        world.pass(Duration.ofMinutes(2));
        // The store of this test and its log remember them, too.
        world.store.forgetVacant();
        world.log.clear();
    }

    /** The bytes of all live objects. Names that nobody has are let go when the next one is asked for. */
    private static long usedHeap(Client client) throws Exception {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            client.election("the last one");
            least = Math.min(least, liveBytes());
        }
        return least;
    }

    /** What a collector says is used depends on how it divides the heap: a histogram counts objects. */
    private static long liveBytes() throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {null},
                        new String[] {String[].class.getName()});
        String total = histogram.lines().reduce("", (first, last) -> last);
        return Long.parseLong(total.trim().split(" +")[2]);
    }

    @Test
    void namesThatWereUsedOnceLeaveLessThanAMegabyteAndCostNoTerm() throws Exception {
        Client client = world.client("a");
        Leadership held = world.win(client.election("held"));
        useOnce(client, 0, 2_000);
        long before = usedHeap(client);

        useOnce(client, 2_000, NAMES);

        assertThat(usedHeap(client) - before).isLessThan(LEFT_MAX);
        assertThat(held.isValid()).isTrue();
    }
}
