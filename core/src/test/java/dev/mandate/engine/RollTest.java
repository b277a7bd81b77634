package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A roll against a twin that is too simple to be wrong. */
class RollTest {
    private static final ElectionSettings SETTINGS =
            Rig.on(StoreKind.REMOVES_SESSION).idle().settings;

    private final Roll roll = new Roll(Concern.SESSIONS);

    @Test
    void itIsEmptyAtFirst() {
        assertThat(roll.all()).isEmpty();
        assertThat(roll.size()).isZero();
    }

    /** Two rolls hold the same machines; each keeps places of its own. */
    @Tag("long")
    @Test
    void itAgreesWithItsTwin() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<ElectionMachine> machines = machines(1 + random.nextInt(seed % 10 == 0 ? 300 : 40));
            Roll first = new Roll(Concern.SESSIONS);
            Roll second = new Roll(Concern.WATCH);
            Set<ElectionMachine> firstTwin = new LinkedHashSet<>();
            Set<ElectionMachine> secondTwin = new LinkedHashSet<>();
            // In turn they fill and empty, so that room is taken and given back.
            for (int step = 0; step < 2_000; step++) {
                boolean isConcerned = random.nextInt(10) < (step / 500 % 2 == 0 ? 8 : 1);
                put(first, firstTwin, machines.get(random.nextInt(machines.size())), isConcerned);
                put(second, secondTwin, machines.get(random.nextInt(machines.size())), random.nextBoolean());

                assertThat(first.all())
                        .as("seed %s, step %s", seed, step)
                        .containsExactlyInAnyOrderElementsOf(firstTwin);
                assertThat(first.size()).isEqualTo(firstTwin.size());
                assertThat(second.all())
                        .as("seed %s, step %s", seed, step)
                        .containsExactlyInAnyOrderElementsOf(secondTwin);
            }
        }
    }

    private static void put(Roll roll, Set<ElectionMachine> twin, ElectionMachine machine, boolean isConcerned) {
        roll.put(machine, isConcerned);
        if (isConcerned) {
            twin.add(machine);
        } else {
            twin.remove(machine);
        }
    }

    /** The same happenings are followed by the same: whoever replays a seed meets the same order. */
    @Test
    void itsOrderFollowsFromItsHistory() {
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Roll fresh = new Roll(Concern.HOLDING);
            List<ElectionMachine> machines = machines(100);
            machines.forEach(machine -> fresh.put(machine, true));
            Random random = new Random(5);
            machines.forEach(machine -> fresh.put(machine, random.nextBoolean()));
            orders.add(fresh.all().stream()
                    .map(machine -> machine.key().name())
                    .toList()
                    .toString());
        }

        assertThat(orders.get(0)).isEqualTo(orders.get(1));
    }

    @Test
    void itMayChangeWhileItsMachinesAreGoneThrough() {
        List<ElectionMachine> machines = machines(10);
        machines.forEach(machine -> roll.put(machine, true));

        List<ElectionMachine> met = new ArrayList<>();
        for (ElectionMachine machine : roll.all()) {
            met.add(machine);
            roll.put(machine, false);
        }

        assertThat(met).containsExactlyElementsOf(machines);
        assertThat(roll.all()).isEmpty();
    }

    private static List<ElectionMachine> machines(int count) {
        Shared shared = Rig.shared(SETTINGS.timing(), new SteadyEntropy());
        List<ElectionMachine> machines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            machines.add(new ElectionMachine(RecordKey.election("e" + i), SETTINGS, shared));
        }
        return machines;
    }
}
