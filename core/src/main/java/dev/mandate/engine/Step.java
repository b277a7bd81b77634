package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.Observation;
import java.util.List;

/**
 * One step of an election, from an event to what is to be done. The parts that take it have no state but {@link
 * ElectionState}, and are made for each step: a client may hold ten thousand elections.
 */
final class Step {
    private final ElectionState state;
    private final Transitions transitions;
    private final Duties duties;
    private final Answers answers;
    private final Commands commands;

    Step(ElectionState state) {
        this.state = state;
        this.transitions = new Transitions(state);
        this.duties = new Duties(state, transitions);
        this.answers = new Answers(state, transitions, duties);
        this.commands = new Commands(state, transitions, duties);
    }

    /** Handles {@code event} and returns what is to be done. */
    List<Action> on(ElectionEvent event, Now at) {
        Outbox outbox = state.outbox;
        state.now = at.notBefore(state.now);
        outbox.open();
        endWhatIsOver();
        reportOverrun();
        lookAt(event);
        // Again: a term that has just ended may leave its work no time at all.
        reportOverrun();
        duties.startWhatIsDue();
        duties.tellStance();
        tell();
        return outbox.close();
    }

    private void endWhatIsOver() {
        Pending overdue = state.outbox.takeOverdue(state.nanos());
        if (overdue != null) {
            answers.unanswered(overdue);
        }
        if (state.role instanceof Role.Acquiring && state.outbox.pending() == null) {
            // An error interrupted the handling of the answer: treat it as missing.
            transitions.doubt();
        }
        if (state.role instanceof Role.Leading leading) {
            LeaseCell cell = leading.term().cell();
            if (!cell.isOpenAt(state.now)) {
                boolean over = state.attempt != null && state.attempt.isOver();
                transitions.end(cell.reason(), over ? null : leading.held());
            } else if (isUnseen()) {
                transitions.end(EndReason.UNSEEN, leading.held());
            }
        } else if (state.role instanceof Role.Settling settling) {
            if (!settling.term().cell().isOpenAt(state.now)) {
                transitions.stopWithoutTerm(EndReason.LEASE_RAN_OUT, settling.held());
            } else if (isUnseen()) {
                transitions.stopWithoutTerm(EndReason.UNSEEN, settling.held());
            }
        }
    }

    private boolean isUnseen() {
        return state.attempt != null && state.nanos() >= state.attempt.sightUntilNanos;
    }

    private void reportOverrun() {
        Term overrun = state.work.judge(state.now);
        if (overrun != null) {
            state.outbox.announce(new ElectionAction.Overrun(state.key, overrun));
        }
    }

    private void lookAt(ElectionEvent event) {
        if (event instanceof ElectionEvent.ReadAnswered e) {
            answers.readAnswered(e);
        } else if (event instanceof ElectionEvent.WriteAnswered e) {
            answers.writeAnswered(e);
        } else if (event instanceof ElectionEvent.Unanswered e) {
            Pending asked = state.outbox.take(e.request());
            if (asked != null) {
                answers.unanswered(asked);
            }
        } else if (event instanceof ElectionEvent.Faulted e) {
            answers.faulted(e);
        } else if (event instanceof ElectionEvent.Swept e) {
            answers.swept(e);
        } else if (event == ElectionEvent.NotSwept.INSTANCE) {
            answers.notSwept();
        } else if (event instanceof ElectionEvent.Hinted e) {
            answers.hinted(e.observation());
        } else if (event == ElectionEvent.Gap.INSTANCE) {
            answers.gap();
        } else if (event instanceof ElectionEvent.Placed e) {
            state.turn.placed(e.place(), state.nanos());
        } else if (event instanceof ElectionEvent.SessionUp e) {
            state.session = e.session();
        } else if (event instanceof ElectionEvent.SessionLatched e) {
            state.session = state.session == e.session() ? null : state.session;
        } else if (event instanceof ElectionEvent.SessionOver e) {
            commands.sessionOver(e.session());
        } else if (event instanceof ElectionEvent.WorkStopped e) {
            commands.workStopped(e.term());
        } else if (event instanceof ElectionEvent.TermLatched e) {
            if (state.role instanceof Role.Leading leading && leading.term().number() == e.term()) {
                leading.term().cell().latch();
                transitions.end(EndReason.LEASE_RAN_OUT, leading.held());
            }
        } else if (event != ElectionEvent.Tick.INSTANCE) {
            commands.command(event);
        }
    }

    private void tell() {
        if (!state.wanted.campaigns() && !state.wanted.observes()) {
            return;
        }
        Observation.Held own = state.ownRecord();
        View view = own != null ? View.led(own, true) : state.sightings.view(state.nanos());
        if (!view.tellsTheSameAs(state.told)) {
            state.told = view;
            state.outbox.announce(new ElectionAction.Observed(state.key, view));
        }
    }

    /** The watch broke: the next read comes no later than without a watch. */
    void unhinted(Now at) {
        state.now = at.notBefore(state.now);
        answers.unhinted();
    }
}
