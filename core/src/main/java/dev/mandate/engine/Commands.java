package dev.mandate.engine;

import dev.mandate.EndReason;

/** What users want of an election, and what follows when their work stops or a session ends. */
final class Commands {
    private final ElectionState state;
    private final Transitions transitions;
    private final Duties duties;
    private final ElectionSettings settings;
    private final Wanted wanted;
    private final Outbox outbox;
    private final Work work;

    Commands(ElectionState state, Transitions transitions, Duties duties) {
        this.state = state;
        this.transitions = transitions;
        this.duties = duties;
        this.settings = state.settings;
        this.wanted = state.wanted;
        this.outbox = state.outbox;
        this.work = state.work;
    }

    void command(ElectionEvent event) {
        if (event instanceof ElectionEvent.Campaign e) {
            if (wanted.withdraws()) {
                wanted.campaignNext(e.value());
            } else if (!wanted.campaigns()) {
                duties.campaign(e.value());
            }
        } else if (event instanceof ElectionEvent.Withdraw e) {
            withdraw(e.reason());
        } else if (event instanceof ElectionEvent.Resign e) {
            if (state.role instanceof Role.Leading leading && leading.term().number() == e.term()) {
                transitions.end(e.reason(), leading.held());
            }
        } else if (event instanceof ElectionEvent.Observe e) {
            boolean unwatched = !wanted.campaigns() && !wanted.observes();
            wanted.observe(e.on());
            if (wanted.observes() && (unwatched || state.role == Role.Idle.INSTANCE)) {
                duties.wakeUp();
            }
        } else if (event instanceof ElectionEvent.Proclaim e) {
            proclaim(e);
        } else {
            throw new AssertionError("unknown event " + event);
        }
    }

    void withdraw(EndReason reason) {
        wanted.withdraw();
        if (state.role instanceof Role.Leading leading) {
            transitions.end(reason, leading.held());
        } else if (state.role instanceof Role.Settling settling) {
            transitions.stopWithoutTerm(reason, settling.held());
        }
    }

    void workStopped(long term) {
        if (!work.stopped(term)) {
            return;
        }
        if (state.role instanceof Role.Leading leading) {
            transitions.end(EndReason.RESIGNED, leading.held());
        }
    }

    void sessionOver(SessionLease over) {
        state.session = state.session == over ? null : state.session;
        state.lateAcquires = state.lateAcquires.over(over);
        if (state.attemptSession() != over) {
            return;
        }
        if (state.role instanceof Role.Leading) {
            transitions.end(EndReason.SESSION_ENDED, null);
        } else if (state.role instanceof Role.Settling) {
            transitions.stopWithoutTerm(EndReason.SESSION_ENDED, null);
        } else if (state.role instanceof Role.Stopping stopping) {
            state.role = stopping.with(null);
        } else if (state.role instanceof Role.Doubting) {
            // What the attempt did no longer counts.
            state.role = Role.Following.INSTANCE;
        }
    }

    // ---- what is to be published ----

    void proclaim(ElectionEvent.Proclaim e) {
        if (settings.registers()) {
            // After an outage, the newest value is registered again.
            wanted.change(e.value());
        }
        if (state.role instanceof Role.Leading leading && leading.term().number() == e.term()) {
            Proclaims all = state.proclaims == null ? new Proclaims(state.key, outbox) : state.proclaims;
            state.proclaims = all;
            all.add(e.command(), e.value(), state.nanos());
        } else {
            outbox.announce(new ElectionAction.Proclaimed(state.key, e.command(), false));
        }
    }
}
