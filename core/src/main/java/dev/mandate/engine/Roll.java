package dev.mandate.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The machines of one client that one kind of event concerns, so that the event costs time for no others. A machine
 * is on a roll once or not at all; adding or removing it costs O(1). The order depends only on the history of
 * additions and removals.
 */
final class Roll {
    private static final int FIRST_CAPACITY = 4;

    private final Concern concern;
    private @Nullable ElectionMachine[] machines = new @Nullable ElectionMachine[FIRST_CAPACITY];
    private int size;

    Roll(Concern concern) {
        this.concern = concern;
    }

    /** Adds or removes {@code machine}. If memory is short and this throws, the roll is unchanged. */
    void put(ElectionMachine machine, boolean isConcerned) {
        boolean isOn = machine.place(concern) != Concern.NOWHERE;
        if (isConcerned && !isOn) {
            add(machine);
        } else if (!isConcerned && isOn) {
            remove(machine);
        }
    }

    private void add(ElectionMachine machine) {
        if (size == machines.length) {
            machines = Arrays.copyOf(machines, 2 * size);
        }
        machine.put(concern, size);
        machines[size++] = machine;
    }

    /** The last machine takes the place of the removed one. */
    private void remove(ElectionMachine machine) {
        if (size > FIRST_CAPACITY && size - 1 < machines.length / 4) {
            // First: it may throw.
            machines = Arrays.copyOf(machines, machines.length / 2);
        }
        int place = machine.place(concern);
        ElectionMachine last = machines[--size];
        machines[size] = null;
        machine.put(concern, Concern.NOWHERE);
        if (last != null && last != machine) {
            machines[place] = last;
            last.put(concern, place);
        }
    }

    int size() {
        return size;
    }

    /** A copy: handling those on the roll may change it. */
    List<ElectionMachine> all() {
        List<ElectionMachine> copy = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            ElectionMachine machine = machines[i];
            if (machine != null) {
                copy.add(machine);
            }
        }
        return copy;
    }
}
