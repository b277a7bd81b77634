package dev.mandate.simulator.world;

import dev.mandate.engine.Action;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.QueueAction;
import dev.mandate.engine.SessionAction;
import dev.mandate.engine.SweepAction;
import dev.mandate.spi.Cursor;
import org.jspecify.annotations.Nullable;

/** A request reaches the server, which executes it here. The answer is another message. */
final class Call extends Step {
    /** Who asked, in which life: the request outlives the process. */
    final Candidate from;

    final int fromEpoch;
    final Action action;
    final long request;
    /** Where a listing continues. */
    final Cursor cursor;

    /** The follower of a service that asked; null for all other requests. */
    final @Nullable Registrant follower;

    final long askedAtNanos;
    /** It failed for its caller, whatever effect it still has. */
    boolean isGivenUp;

    Call(Candidate from, Action action, long request, Cursor cursor) {
        this(from, action, request, cursor, null);
    }

    /** A page of the service that {@code follower} follows. */
    Call(Candidate from, Registrant follower, SweepAction asked) {
        this(from, asked, asked.request(), asked.from(), follower);
    }

    /** A record of the service that {@code follower} follows. */
    Call(Candidate from, Registrant follower, FollowingAction.Look asked) {
        this(
                from,
                new ElectionAction.Read(asked.key(), asked.request(), asked.timeoutNanos()),
                asked.request(),
                Cursor.START,
                follower);
    }

    private Call(Candidate from, Action action, long request, Cursor cursor, @Nullable Registrant follower) {
        super(null);
        this.follower = follower;
        this.from = from;
        this.fromEpoch = from.epoch;
        this.action = action;
        this.request = request;
        this.cursor = cursor;
        this.askedAtNanos = from.get().monotonicNanos();
    }

    /** Whether it only reads. */
    boolean isLook() {
        return action instanceof ElectionAction.Read
                || action instanceof SweepAction
                || action instanceof QueueAction.ListPage;
    }

    /** Whether it is about a queue. */
    boolean isOfQueue() {
        return action instanceof QueueAction || action instanceof ElectionAction one && Lines.isOf(one.key());
    }

    /** Whether it writes an instance's record. */
    boolean isOfInstance() {
        return action instanceof ElectionAction.Request one
                && !(action instanceof ElectionAction.Read)
                && Service.isOf(one.key());
    }

    @Override
    void run(World world) {
        Object answer = world.server.execute(this);
        if (world.log != null) {
            world.note("  server", this + " -> " + answer);
        }
        if (answer != Answer.LATER) {
            world.network.answer(this, answer);
        }
    }

    @Override
    long mark() {
        return 0x100 + request * 31 + from.index;
    }

    @Override
    public String toString() {
        String what;
        if (action instanceof ElectionAction.Read) {
            what = "read";
        } else if (action instanceof ElectionAction.Acquire a) {
            what = "acquire on [" + a.basis() + "] attempt "
                    + World.brief(a.proposal().attempt()) + (a.session() == null ? "" : " under " + a.session());
        } else if (action instanceof ElectionAction.Update a) {
            what = "update " + a.intent() + " on [" + a.basis() + "] value '"
                    + a.record().value() + "'";
        } else if (action instanceof ElectionAction.Release a) {
            what = "release [" + a.basis() + "]";
        } else if (action instanceof ElectionAction.Erase a) {
            what = "erase [" + a.basis() + "]";
        } else if (action instanceof SessionAction.Open) {
            what = "open session";
        } else if (action instanceof SessionAction.Renew a) {
            what = "renew " + a.handle();
        } else if (action instanceof SessionAction.End a) {
            what = "end " + a.handle();
        } else {
            what = action instanceof QueueAction.ListPage
                    ? "list the queue"
                    : follower == null ? "list" : "list the service";
        }
        String where = action instanceof ElectionAction a
                ? Lines.isOf(a.key())
                        ? " place " + a.key().path()
                        : Service.isOf(a.key()) ? " instance " + a.key().name() : " election " + World.election(a.key())
                : "";
        return "candidate " + from.index + where + " #" + request + " " + what;
    }
}
