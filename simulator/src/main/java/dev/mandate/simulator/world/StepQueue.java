package dev.mandate.simulator.world;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Future steps, earliest first; at one instant, in the order in which they were put in. */
final class StepQueue {
    private @Nullable Step[] steps = new @Nullable Step[64];
    private int size;
    private long puts;

    void put(Step step, long at) {
        step.at = at;
        step.order = puts++;
        if (size == steps.length) {
            steps = Arrays.copyOf(steps, size * 2);
        }
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            Step above = steps[parent];
            if (above == null || isBefore(above, step)) {
                break;
            }
            steps[hole] = above;
            hole = parent;
        }
        steps[hole] = step;
    }

    /** The true time of the first step; {@code Long.MAX_VALUE} if there is none. */
    long firstAt() {
        Step first = steps[0];
        return size == 0 || first == null ? Long.MAX_VALUE : first.at;
    }

    Step take() {
        Step first = steps[0];
        Step last = steps[--size];
        steps[size] = null;
        if (first == null || last == null) {
            throw new IllegalStateException("nothing to take");
        }
        if (size > 0) {
            sink(last);
        }
        return first;
    }

    private void sink(Step step) {
        int hole = 0;
        while (true) {
            int child = 2 * hole + 1;
            if (child >= size) {
                break;
            }
            Step least = steps[child];
            Step right = child + 1 < size ? steps[child + 1] : null;
            if (right != null && least != null && isBefore(right, least)) {
                least = right;
                child++;
            }
            if (least == null || isBefore(step, least)) {
                break;
            }
            steps[hole] = least;
            hole = child;
        }
        steps[hole] = step;
    }

    private static boolean isBefore(Step a, Step b) {
        return a.at < b.at || a.at == b.at && a.order < b.order;
    }
}
