package dev.mandate.simulator.groups;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Future events, earliest first; at one instant, in the order in which they were put in. */
final class EventQueue {
    private long[] times = new long[256];
    private long[] orders = new long[256];
    private @Nullable Runnable[] events = new @Nullable Runnable[256];
    private int size;
    private long puts;

    void put(long at, Runnable event) {
        if (size == events.length) {
            times = Arrays.copyOf(times, 2 * size);
            orders = Arrays.copyOf(orders, 2 * size);
            events = Arrays.copyOf(events, 2 * size);
        }
        int hole = size++;
        long order = puts++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (times[parent] <= at) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        set(hole, at, order, event);
    }

    /** The true time of the first event; {@code Long.MAX_VALUE} if there is none. */
    long firstAt() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    Runnable take() {
        Runnable first = events[0];
        if (size == 0 || first == null) {
            throw new IllegalStateException("nothing to take");
        }
        size--;
        long at = times[size];
        long order = orders[size];
        Runnable last = events[size];
        events[size] = null;
        if (size > 0) {
            sink(at, order, last);
        }
        return first;
    }

    private void sink(long at, long order, @Nullable Runnable event) {
        int hole = 0;
        while (true) {
            int child = 2 * hole + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && isBefore(times[child + 1], orders[child + 1], times[child], orders[child])) {
                child++;
            }
            if (isBefore(at, order, times[child], orders[child])) {
                break;
            }
            move(child, hole);
            hole = child;
        }
        set(hole, at, order, event);
    }

    private static boolean isBefore(long at, long order, long otherAt, long otherOrder) {
        return at < otherAt || at == otherAt && order < otherOrder;
    }

    private void move(int from, int to) {
        set(to, times[from], orders[from], events[from]);
    }

    private void set(int index, long at, long order, @Nullable Runnable event) {
        times[index] = at;
        orders[index] = order;
        events[index] = event;
    }
}
