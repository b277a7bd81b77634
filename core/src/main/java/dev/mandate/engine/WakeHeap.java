package dev.mandate.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which election wants a tick first: a binary heap in which every machine knows its place, so that moving one costs O(log n). */
final class WakeHeap {
    private @Nullable ElectionMachine[] machines = new @Nullable ElectionMachine[16];
    private long[] wakes = new long[16];
    private int size;

    /** Adds {@code machine}, or moves it to its new time. */
    void put(ElectionMachine machine, long wakeAtNanos) {
        int at = machine.heapIndex;
        if (at < 0) {
            if (size == wakes.length) {
                machines = Arrays.copyOf(machines, size * 2);
                wakes = Arrays.copyOf(wakes, size * 2);
            }
            at = size++;
        } else if (wakes[at] == wakeAtNanos) {
            return;
        }
        set(at, machine, wakeAtNanos);
        siftDown(siftUp(at));
    }

    /** The machine that wants a tick first, or null. */
    @Nullable
    ElectionMachine first() {
        return size == 0 ? null : machines[0];
    }

    /** When {@link #first()} wants it; {@code Long.MAX_VALUE} for never. */
    long firstAtNanos() {
        return size == 0 ? Long.MAX_VALUE : wakes[0];
    }

    private int siftUp(int at) {
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (wakes[parent] <= wakes[at]) {
                break;
            }
            swap(at, parent);
            at = parent;
        }
        return at;
    }

    private void siftDown(int at) {
        while (true) {
            int least = at;
            for (int child = 2 * at + 1; child <= 2 * at + 2 && child < size; child++) {
                if (wakes[child] < wakes[least]) {
                    least = child;
                }
            }
            if (least == at) {
                return;
            }
            swap(at, least);
            at = least;
        }
    }

    private void swap(int a, int b) {
        ElectionMachine machine = machines[a];
        ElectionMachine other = machines[b];
        long wake = wakes[a];
        if (machine != null && other != null) {
            set(a, other, wakes[b]);
            set(b, machine, wake);
        }
    }

    private void set(int at, ElectionMachine machine, long wakeAtNanos) {
        machines[at] = machine;
        wakes[at] = wakeAtNanos;
        machine.heapIndex = at;
    }
}
