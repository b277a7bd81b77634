package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Queues for the elections in which a client waits, with the order of arrival. The client takes a place when it
 * may lead, keeps it while it waits, and gives it up when it wins or stops campaigning. While it sees a vacancy,
 * it learns its place.
 *
 * <p>The place is a {@linkplain ElectionSettings#once candidacy of one term} at its own key. A client that loses the
 * record loses the place, and takes another one at the end. Only candidates that wait follow a queue.
 */
final class Arrivals {
    private final ElectionSettings settings;
    private final Entropy entropy;
    private final Machines machines;

    private final Map<RecordKey, Waiting> waiting = new HashMap<>();
    private final Map<Long, Waiting> byNumber = new HashMap<>();
    private final TreeSet<Waiting> byWake = new TreeSet<>();
    /** Elections in which something may have changed. */
    private final Set<RecordKey> touched = new LinkedHashSet<>();

    private long lastNumber;

    /** The machines of one client. */
    interface Machines {
        /** The machine of {@code key}, or null. */
        @Nullable
        ElectionMachine known(RecordKey key);

        /** The machine of {@code key}, created if needed, that knows the open session. */
        ElectionMachine made(RecordKey key);

        void deliver(ElectionMachine machine, ElectionEvent event, Now now, List<Action> out);
    }

    Arrivals(ElectionSettings settings, Entropy entropy, Machines machines) {
        this.settings = settings;
        this.entropy = entropy;
        this.machines = machines;
    }

    /** The machine of {@code key} has taken a step. */
    void stepped(RecordKey key) {
        if (key.space().equals(RecordKey.ELECTIONS)) {
            touched.add(key);
        } else if (key.space().equals(RecordKey.QUEUES)) {
            touched.add(RecordKey.election(key.segments().get(0)));
        }
    }

    /** Something happened to a queue. */
    void on(QueueEvent event, Now now, List<Action> out) {
        Waiting in = byNumber.get(event.number());
        if (in == null) {
            return;
        }
        boolean wasUpToDate = in.isUpToDate();
        boolean hasChanged = in.on(event, now, out);
        after(in, hasChanged || in.isUpToDate() != wasUpToDate);
        if (event instanceof QueueEvent.Hinted hint && hint.seen().key().equals(in.place())) {
            ElectionMachine place = machines.known(in.place());
            if (place != null) {
                machines.deliver(place, new ElectionEvent.Hinted(hint.seen()), now, out);
            }
        } else if (hasChanged) {
            lookForOwn(in, now, out);
        }
    }

    /** A complete listing does not show the client's own place: lets its machine read it. */
    private void lookForOwn(Waiting in, Now now, List<Action> out) {
        ElectionMachine place = machines.known(in.place());
        if (place != null && place.role() instanceof Role.Leading && !in.queue().contains(in.place())) {
            machines.deliver(place, new ElectionEvent.Swept(in.confirmedNanos(), null), now, out);
        }
    }

    private void after(Waiting in, boolean hasChanged) {
        if (hasChanged) {
            touched.add(in.election());
        }
        long wake = in.wantedNanos();
        if (wake != in.wakeAtNanos()) {
            byWake.remove(in);
            in.wakeAt(wake);
            byWake.add(in);
        }
    }

    /** Does what is due, until nothing more happens at this instant. */
    void proceed(Now now, List<Action> out) {
        while (wakeAtNanos() <= now.monotonicNanos()) {
            Waiting due = byWake.first();
            after(due, due.tick(now, out));
            if (due.wakeAtNanos() <= now.monotonicNanos()) {
                // The next instant is soon enough.
                byWake.remove(due);
                due.wakeAt(now.monotonicNanos() + 1);
                byWake.add(due);
            }
        }
        while (!touched.isEmpty()) {
            RecordKey next = touched.iterator().next();
            touched.remove(next);
            look(next, now, out);
        }
    }

    long wakeAtNanos() {
        return byWake.isEmpty() ? Long.MAX_VALUE : byWake.first().wakeAtNanos();
    }

    /** Takes the last place. If places are numbered, a listing must first show which that is. */
    private void queue(Waiting in, Now now, List<Action> out) {
        if (settings.queue() == QueueOrder.BY_NUMBER) {
            after(in, in.unplaced(now, out));
        }
        if (settings.queue() == QueueOrder.BY_TERM || in.isUpToDate()) {
            String value = in.queue().nextValue();
            machines.deliver(machines.made(in.place()), new ElectionEvent.Campaign(value), now, out);
        }
    }

    private void look(RecordKey election, Now now, List<Action> out) {
        ElectionMachine machine = machines.known(election);
        Waiting in = waiting.get(election);
        if (machine == null || !machine.state().isWaiting()) {
            if (in != null) {
                leave(in, now, out);
            }
            return;
        }
        if (in == null) {
            if (machine.mayQueue()) {
                join(election, now, out);
            }
            return;
        }
        ElectionMachine place = machines.known(in.place());
        if (place == null || place.state().wanted.isAtRest()) {
            if (machine.mayQueue()) {
                queue(in, now, out);
            }
            return;
        }
        if (place.role() instanceof Role.Leading) {
            in.placed();
        }
        String next = in.queue().nextValue();
        if (place.state().isWaiting() && !next.equals(place.state().wanted.value())) {
            // A client that could not register until now comes after those that came meanwhile.
            machines.deliver(place, new ElectionEvent.Proclaim(0, 0, next), now, out);
        }
        if (machine.state().turn.isSought() && place.role() instanceof Role.Leading leading) {
            int known = in.placeOf(leading.held());
            if (known != machine.state().turn.place()) {
                machines.deliver(machine, new ElectionEvent.Placed(known), now, out);
            }
        }
    }

    private void join(RecordKey election, Now now, List<Action> out) {
        RecordKey place = RecordKey.place(election.name(), settings.incarnation());
        Waiting in = new Waiting(++lastNumber, election, place, settings, entropy);
        waiting.put(election, in);
        byNumber.put(lastNumber, in);
        out.add(in.follow());
        after(in, in.start(now, out));
        touched.add(election);
    }

    private void leave(Waiting in, Now now, List<Action> out) {
        waiting.remove(in.election());
        byNumber.remove(in.number());
        byWake.remove(in);
        out.add(in.leave());
        ElectionMachine place = machines.known(in.place());
        if (place != null) {
            machines.deliver(place, new ElectionEvent.Withdraw(EndReason.WITHDRAWN), now, out);
        }
    }
}
