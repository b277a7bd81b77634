package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The heap of wakes against a twin that is too simple to be wrong. */
class WakeHeapTest {
    private static final ElectionSettings SETTINGS =
            Rig.on(StoreKind.REMOVES_RECORD).idle().settings;

    @Test
    void itIsEmptyAtFirst() {
        WakeHeap heap = new WakeHeap();

        assertThat(heap.first()).isNull();
        assertThat(heap.firstAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void itAgreesWithItsTwin() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            WakeHeap heap = new WakeHeap();
            Map<ElectionMachine, Long> twin = new HashMap<>();
            List<ElectionMachine> machines = machines(1 + random.nextInt(seed % 10 == 0 ? 300 : 40));
            for (int step = 0; step < 500; step++) {
                ElectionMachine machine = machines.get(random.nextInt(machines.size()));
                long wake = switch (random.nextInt(5)) {
                    case 0 -> Long.MAX_VALUE;
                    case 1 -> Long.MIN_VALUE;
                    case 2 -> random.nextLong();
                    default -> random.nextInt(20);
                };

                if (random.nextInt(4) == 0) {
                    heap.remove(machine);
                    twin.remove(machine);
                } else {
                    heap.put(machine, wake);
                    twin.put(machine, wake);
                }
                if (twin.isEmpty()) {
                    assertThat(heap.first()).isNull();
                    continue;
                }

                long first = twin.values().stream().min(Long::compare).orElseThrow();
                assertThat(heap.firstAtNanos())
                        .as("seed %s, step %s", seed, step)
                        .isEqualTo(first);
                assertThat(twin.get(heap.first()))
                        .as("seed %s, step %s", seed, step)
                        .isEqualTo(first);
            }
        }
    }

    /** Taking the first one out of the way again and again brings all of them out in order. */
    @Test
    void itBringsThemOutInOrder() {
        Random random = new Random(3);
        WakeHeap heap = new WakeHeap();
        List<ElectionMachine> machines = machines(1_000);
        List<Long> wakes = new ArrayList<>();
        for (ElectionMachine machine : machines) {
            long wake = random.nextInt(1_000_000);
            wakes.add(wake);
            heap.put(machine, wake);
        }
        wakes.sort(Long::compare);

        for (long wake : wakes) {
            assertThat(heap.firstAtNanos()).isEqualTo(wake);
            ElectionMachine first = heap.first();
            assertThat(first).isNotNull();
            heap.put(first, Long.MAX_VALUE);
        }
        assertThat(heap.firstAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    /** It gives room back while it empties, and loses nothing on the way. */
    @Test
    void itKeepsWhatIsLeftOfMany() {
        Random random = new Random(4);
        WakeHeap heap = new WakeHeap();
        List<ElectionMachine> machines = new ArrayList<>(machines(1_000));
        Map<ElectionMachine, Long> wakes = new HashMap<>();
        for (ElectionMachine machine : machines) {
            wakes.put(machine, (long) random.nextInt(1_000));
            heap.put(machine, wakes.get(machine));
        }
        Collections.shuffle(machines, random);

        for (ElectionMachine machine : machines) {
            long first = wakes.values().stream().min(Long::compare).orElseThrow();
            assertThat(heap.firstAtNanos()).isEqualTo(first);
            assertThat(wakes.get(heap.first())).isEqualTo(first);
            heap.remove(machine);
            wakes.remove(machine);
        }
        assertThat(heap.first()).isNull();
        assertThat(heap.firstAtNanos()).isEqualTo(Long.MAX_VALUE);
        heap.put(machines.get(0), 7);
        assertThat(heap.firstAtNanos()).isEqualTo(7);
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
