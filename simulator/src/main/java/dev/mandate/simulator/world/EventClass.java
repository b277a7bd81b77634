package dev.mandate.simulator.world;

import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.SessionEvent;
import dev.mandate.spi.SessionRenewal;
import dev.mandate.spi.WriteOutcome;

/** The kinds of events that coverage counts. */
public enum EventClass {
    TICK,
    CAMPAIGN,
    WITHDRAW,
    RESIGN,
    PROCLAIM,
    OBSERVE,
    WORK_STOPPED,
    READ_ANSWERED,
    WRITTEN,
    REFUSED,
    UNANSWERED,
    FAULTED,
    SWEPT,
    UNLISTED,
    NOT_SWEPT,
    HINTED,
    GAP,
    TERM_LATCHED,
    SESSION_UP,
    SESSION_LATCHED,
    SESSION_OVER,
    PLACED,
    // Only the machine of the session receives these.
    OPENED,
    RENEWED,
    GONE,
    ENDED,
    SESSION_UNANSWERED,
    SESSION_FAULTED,
    LATCHED;

    static EventClass of(ElectionEvent event) {
        if (event == ElectionEvent.Tick.INSTANCE) {
            return TICK;
        } else if (event instanceof ElectionEvent.ReadAnswered) {
            return READ_ANSWERED;
        } else if (event instanceof ElectionEvent.Hinted) {
            return HINTED;
        } else if (event instanceof ElectionEvent.WriteAnswered answered) {
            return answered.outcome() instanceof WriteOutcome.Written ? WRITTEN : REFUSED;
        } else if (event instanceof ElectionEvent.Unanswered) {
            return UNANSWERED;
        } else if (event instanceof ElectionEvent.Faulted) {
            return FAULTED;
        } else if (event instanceof ElectionEvent.Swept swept) {
            return swept.observation() == null ? UNLISTED : SWEPT;
        } else if (event == ElectionEvent.NotSwept.INSTANCE) {
            return NOT_SWEPT;
        } else if (event == ElectionEvent.Gap.INSTANCE) {
            return GAP;
        } else if (event instanceof ElectionEvent.SessionUp) {
            return SESSION_UP;
        } else if (event instanceof ElectionEvent.SessionLatched) {
            return SESSION_LATCHED;
        } else if (event instanceof ElectionEvent.SessionOver) {
            return SESSION_OVER;
        } else if (event instanceof ElectionEvent.TermLatched) {
            return TERM_LATCHED;
        } else if (event instanceof ElectionEvent.Placed) {
            return PLACED;
        }
        return ofCommand(event);
    }

    private static EventClass ofCommand(ElectionEvent event) {
        if (event instanceof ElectionEvent.Campaign) {
            return CAMPAIGN;
        } else if (event instanceof ElectionEvent.Withdraw) {
            return WITHDRAW;
        } else if (event instanceof ElectionEvent.Resign) {
            return RESIGN;
        } else if (event instanceof ElectionEvent.Proclaim) {
            return PROCLAIM;
        } else if (event instanceof ElectionEvent.Observe) {
            return OBSERVE;
        }
        return WORK_STOPPED;
    }

    static EventClass of(SessionEvent event) {
        if (event instanceof SessionEvent.Renewed renewed) {
            return renewed.renewal() == SessionRenewal.gone() ? GONE : RENEWED;
        } else if (event instanceof SessionEvent.Opened) {
            return OPENED;
        } else if (event instanceof SessionEvent.Ended) {
            return ENDED;
        } else if (event instanceof SessionEvent.Unanswered) {
            return SESSION_UNANSWERED;
        }
        return event instanceof SessionEvent.Faulted ? SESSION_FAULTED : LATCHED;
    }

    /** Whether only the session receives it. */
    boolean isOfSession() {
        return ordinal() >= OPENED.ordinal();
    }

    /** Whether it is a request from outside: what follows is not the machine's own doing. */
    boolean isCommand() {
        return switch (this) {
            case CAMPAIGN, WITHDRAW, RESIGN, PROCLAIM, OBSERVE, WORK_STOPPED -> true;
            default -> false;
        };
    }
}
