package dev.mandate.simulator.groups;

import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.node.NodeEvent;
import dev.mandate.peers.register.DurableState;
import dev.mandate.peers.register.Epoch;
import dev.mandate.peers.register.Message;
import dev.mandate.peers.register.Outcome;
import dev.mandate.peers.register.Start;
import dev.mandate.peers.register.Value;
import dev.mandate.peers.register.Vote;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What members say, short enough for a transcript. */
final class Words {
    private static final int BRIEF = 5;

    private Words() {}

    static String of(Id id) {
        return id.equals(Id.NONE)
                ? "none"
                : Long.toHexString(id.high() ^ id.low()).substring(0, BRIEF);
    }

    static String of(Epoch epoch) {
        return epoch.equals(Epoch.NONE) ? "nothing" : epoch.counter() + "." + of(epoch.id());
    }

    private static String of(Start start) {
        return start.number() + "." + of(start.id());
    }

    private static String of(List<Start> starts) {
        return starts.stream().map(Words::of).collect(Collectors.joining(" ", "[", "]"));
    }

    static String of(@Nullable Value value) {
        if (value == null) {
            return "nothing";
        }
        LeaderRecord record = value.record();
        return "write " + of(value.write()) + " on " + of(value.basis()) + " ("
                + (record == null ? "vacant" : record.candidate() + (record.leave() ? ", to leave" : "")) + ")";
    }

    private static String of(@Nullable Vote vote) {
        return vote == null ? "nothing" : of(vote.value()) + " in " + of(vote.epoch());
    }

    static String of(DurableState state) {
        return "ceiling " + state.ceiling() + (state.complete() ? "" : ", incomplete") + ", covers "
                + of(state.covers()) + ", knows " + of(state.known());
    }

    static String of(Message message) {
        if (message instanceof Message.Look look) {
            return "LOOK " + look.round() + " of " + of(look.call());
        } else if (message instanceof Message.Shown shown) {
            return "SHOWN to " + of(shown.call()) + ": " + of(shown.vote()) + ", promised " + shown.promised();
        } else if (message instanceof Message.Prepare prepare) {
            return "PREPARE " + of(prepare.epoch());
        } else if (message instanceof Message.Promise promise) {
            return "PROMISE " + of(promise.epoch()) + " of start " + of(promise.start()) + ", which knows "
                    + of(promise.known()) + " and accepted " + of(promise.vote());
        } else if (message instanceof Message.Accept accept) {
            return "ACCEPT " + of(accept.epoch()) + ": " + of(accept.value());
        } else if (message instanceof Message.Accepted accepted) {
            return "ACCEPTED " + of(accepted.epoch());
        } else if (message instanceof Message.Refusal refusal) {
            return "REFUSED " + of(refusal.epoch()) + ", promised " + refusal.promised();
        } else if (message instanceof Message.Join join) {
            return "JOIN " + of(join.start()) + ", covers " + of(join.covers());
        } else if (message instanceof Message.Welcome welcome) {
            return "WELCOME " + of(welcome.start()) + ", remembers " + of(welcome.known()) + ", " + welcome.ceiling()
                    + " ceiling " + welcome.height();
        }
        return message.toString();
    }

    static String of(NodeEvent event) {
        if (event instanceof NodeEvent.Received received) {
            return "hears of " + (received.from() >= 1 << 20 ? "a guest" : received.from()) + ": "
                    + of(received.message());
        } else if (event instanceof NodeEvent.ReceivedTurn turn) {
            return "hears of " + turn.from() + ": " + turn.message();
        } else if (event instanceof NodeEvent.Begin begin) {
            return "begins call " + begin.id() + ": " + of(begin.call());
        }
        return "hears " + event;
    }

    private static String of(Call call) {
        if (call instanceof Call.Acquire acquire) {
            return "acquire on " + of(acquire.basis());
        } else if (call instanceof Call.Update update) {
            return update.intent() + " on " + of(update.basis());
        } else if (call instanceof Call.Release release) {
            return "release on " + of(release.basis());
        }
        return "read";
    }

    static String of(CallResult result) {
        if (!(result instanceof CallResult.Ended ended)) {
            return result.toString();
        }
        Outcome outcome = ended.outcome();
        if (outcome instanceof Outcome.Read read) {
            return "read: " + of(read.value());
        } else if (outcome instanceof Outcome.Written written) {
            return "written: " + of(written.value());
        } else if (outcome instanceof Outcome.Refused refused) {
            return "refused" + (refused.isKnown() ? ": " + of(refused.value()) : "");
        }
        return "unknown";
    }
}
