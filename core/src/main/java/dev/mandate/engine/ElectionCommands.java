package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;

/** What users want of an election, and what follows when their work stops or a session ends. */
abstract sealed class ElectionCommands extends ElectionDuties permits ElectionMachine {

    ElectionCommands(RecordKey key, ElectionSettings settings, Shared shared) {
        super(key, settings, shared);
    }

    void command(ElectionEvent event) {
        if (event instanceof ElectionEvent.Campaign e) {
            if (withdrawing) {
                standingNext = e.value();
            } else if (!standing) {
                stand(e.value());
            }
        } else if (event instanceof ElectionEvent.Withdraw e) {
            withdraw(e.reason());
        } else if (event instanceof ElectionEvent.Resign e) {
            if (role instanceof Role.Leading leading && leading.term().number() == e.term()) {
                end(e.reason(), leading.held());
            }
        } else if (event instanceof ElectionEvent.Observe e) {
            boolean unwatched = !standing && !observing;
            observing = e.on();
            if (observing && (unwatched || role == Role.Idle.INSTANCE)) {
                wakeUp();
            }
        } else if (event instanceof ElectionEvent.Proclaim e) {
            proclaim(e);
        } else {
            throw new AssertionError("unknown event " + event);
        }
    }

    void withdraw(EndReason reason) {
        withdrawing |= standing;
        standing = false;
        standingNext = null;
        if (role instanceof Role.Leading leading) {
            end(reason, leading.held());
        } else if (role instanceof Role.Settling settling) {
            stopWithoutTerm(reason, settling.held());
        }
    }

    void workStopped(long term) {
        if (!work.stopped(term)) {
            return;
        }
        if (role instanceof Role.Leading leading) {
            end(EndReason.RESIGNED, leading.held());
        }
    }

    void sessionOver(SessionLease over) {
        session = session == over ? null : session;
        if (!haunted.isEmpty()) {
            haunted = with(haunted, over, null);
        }
        if (liveSession != over) {
            return;
        }
        if (role instanceof Role.Leading) {
            end(EndReason.SESSION_ENDED, null);
        } else if (role instanceof Role.Settling) {
            stopWithoutTerm(EndReason.SESSION_ENDED, null);
        } else if (role instanceof Role.Stopping stopping) {
            role = stopping.with(null);
        } else if (role instanceof Role.Doubting) {
            // What the attempt did no longer counts.
            role = Role.Following.INSTANCE;
        }
    }

    // ---- what is to be published ----

    void proclaim(ElectionEvent.Proclaim e) {
        if (settings.registers() && standingNext != null) {
            standingNext = e.value();
        } else if (settings.registers()) {
            // After an outage, the newest value is registered again.
            value = e.value();
        }
        if (role instanceof Role.Leading leading && leading.term().number() == e.term()) {
            Proclaims all = proclaims == null ? new Proclaims(key, outbox) : proclaims;
            proclaims = all;
            all.add(e.command(), e.value(), nanos());
        } else {
            outbox.announce(new ElectionAction.Proclaimed(key, e.command(), false));
        }
    }

    void published(Observation.Held held) {
        if (proclaims != null) {
            proclaims.published(held.record().value());
        }
    }

    void proclaimAgain() {
        if (proclaims != null) {
            proclaims.failed(retries, settings.timing().pollIntervalNanos(), nanos());
        }
    }
}
