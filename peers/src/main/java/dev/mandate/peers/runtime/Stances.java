package dev.mandate.peers.runtime;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The combined stance of the clients of one node: others see one member. Leading comes first, then settling, seeking,
 * following. For one thread at a time.
 */
final class Stances {
    private final BiConsumer<RecordKey, Stance> told;
    private final Map<RecordKey, Map<Object, Stance>> byKey = new HashMap<>();
    private final Map<RecordKey, Stance> said = new HashMap<>();

    /** Reports each change to {@code told}, on the thread that makes it. */
    Stances(BiConsumer<RecordKey, Stance> told) {
        this.told = told;
    }

    void stands(Object client, RecordKey key, Stance stance) {
        Map<Object, Stance> clients = byKey.computeIfAbsent(key, absent -> new IdentityHashMap<>());
        if (stance == Stance.Absent.INSTANCE) {
            clients.remove(client);
        } else {
            clients.put(client, stance);
        }
        if (clients.isEmpty()) {
            byKey.remove(key);
        }
        say(key, together(clients.values()), stance);
    }

    /** Forgets this client. */
    void leave(Object client) {
        List.copyOf(byKey.keySet()).forEach(key -> stands(client, key, Stance.Absent.INSTANCE));
    }

    private void say(RecordKey key, Stance now, Stance cause) {
        Stance before = said.getOrDefault(key, Stance.Absent.INSTANCE);
        // A client that seeks anew needs its place, though another client has received it already.
        if (now.equals(before) && cause != Stance.Seeking.INSTANCE) {
            return;
        }
        if (now == Stance.Absent.INSTANCE) {
            said.remove(key);
        } else {
            said.put(key, now);
        }
        told.accept(key, now);
    }

    private static Stance together(Collection<Stance> stances) {
        Stance most = Stance.Absent.INSTANCE;
        for (Stance stance : stances) {
            boolean isMore = rank(stance) > rank(most) || rank(stance) == rank(most) && term(stance) > term(most);
            most = isMore ? stance : most;
        }
        return most;
    }

    private static int rank(Stance stance) {
        if (stance instanceof Stance.Leading) {
            return 4;
        } else if (stance instanceof Stance.Settling) {
            return 3;
        } else if (stance instanceof Stance.Seeking) {
            return 2;
        }
        return stance instanceof Stance.Following ? 1 : 0;
    }

    private static long term(Stance stance) {
        if (stance instanceof Stance.Leading leading) {
            return leading.term();
        } else if (stance instanceof Stance.Settling settling) {
            return settling.term();
        }
        return stance instanceof Stance.Following following ? following.term() : 0;
    }
}
