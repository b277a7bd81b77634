package dev.mandate.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which election wants a tick first: a binary heap of slots, one for each machine. It knows the place of each slot, so
 * that moving one costs O(log n). It moves numbers in adjacent arrays: with ten thousand machines, touching one of them
 * for each move would cost more than all the rest.
 */
final class WakeHeap {
    private static final int FIRST_CAPACITY = 16;

    /** By slot. */
    private @Nullable ElectionMachine[] machines = new @Nullable ElectionMachine[FIRST_CAPACITY];

    /** By slot: its place in the heap. */
    private int[] places = new int[FIRST_CAPACITY];

    /** In the heap's order. */
    private int[] slots = new int[FIRST_CAPACITY];

    /** In the heap's order. */
    private long[] wakes = new long[FIRST_CAPACITY];

    private int size;

    /** Adds {@code machine}, or moves it to its new time. */
    void put(ElectionMachine machine, long wakeAtNanos) {
        int slot = machine.wakeSlot;
        if (slot < 0) {
            slot = add(machine);
        } else if (wakes[places[slot]] == wakeAtNanos) {
            return;
        }
        siftDown(siftUp(places[slot], slot, wakeAtNanos), slot, wakeAtNanos);
    }

    /** Removes {@code machine}, if present. */
    void remove(ElectionMachine machine) {
        int slot = machine.wakeSlot;
        if (slot < 0) {
            return;
        }
        int last = --size;
        int place = places[slot];
        int moved = slots[last];
        long wake = wakes[last];
        if (place != last) {
            siftDown(siftUp(place, moved, wake), moved, wake);
        }
        // The last machine now takes over its slot.
        ElectionMachine heir = machines[last];
        if (heir != null && slot != last) {
            machines[slot] = heir;
            places[slot] = places[last];
            slots[places[slot]] = slot;
            heir.wakeSlot = slot;
        }
        machines[last] = null;
        machine.wakeSlot = -1;
        if (size >= FIRST_CAPACITY && size < wakes.length / 4) {
            resize(wakes.length / 2);
        }
    }

    private void resize(int capacity) {
        machines = Arrays.copyOf(machines, capacity);
        places = Arrays.copyOf(places, capacity);
        slots = Arrays.copyOf(slots, capacity);
        wakes = Arrays.copyOf(wakes, capacity);
    }

    private int add(ElectionMachine machine) {
        if (size == wakes.length) {
            resize(2 * size);
        }
        int slot = size++;
        machine.wakeSlot = slot;
        machines[slot] = machine;
        places[slot] = slot;
        return slot;
    }

    /** The machine that wants a tick first, or null. */
    @Nullable
    ElectionMachine first() {
        return size == 0 ? null : machines[slots[0]];
    }

    /** When {@link #first()} wants it; {@code Long.MAX_VALUE} for never. */
    long firstAtNanos() {
        return size == 0 ? Long.MAX_VALUE : wakes[0];
    }

    /** Makes room on the way up from {@code at}. Returns the place, which has nothing later above it. */
    private int siftUp(int at, int slot, long wake) {
        int place = at;
        while (place > 0) {
            int parent = (place - 1) / 2;
            if (wakes[parent] <= wake) {
                break;
            }
            set(place, slots[parent], wakes[parent]);
            place = parent;
        }
        set(place, slot, wake);
        return place;
    }

    private void siftDown(int at, int slot, long wake) {
        int place = at;
        while (true) {
            int child = 2 * place + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && wakes[child + 1] < wakes[child]) {
                child++;
            }
            if (wakes[child] >= wake) {
                break;
            }
            set(place, slots[child], wakes[child]);
            place = child;
        }
        set(place, slot, wake);
    }

    private void set(int place, int slot, long wake) {
        slots[place] = slot;
        wakes[place] = wake;
        places[slot] = place;
    }
}
