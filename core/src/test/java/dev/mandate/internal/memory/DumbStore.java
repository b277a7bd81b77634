package dev.mandate.internal.memory;

import dev.mandate.spi.Expiry;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A second, slow and obvious store: it keeps everything that ever stood at a key as a list, never changes an entry's
 * past, and decides on demand by looking through the lists whether something is still alive. Shares no code with
 * {@link ModelStore}.
 */
final class DumbStore {
    /** One thing that stood at a key, from one acquire to the next. */
    static final class Stay {
        @Nullable
        LeaderRecord record;

        @Nullable
        String foreign;

        long foreignLeaseNanos;
        long session;
        long renewedAtNanos;
        long leaseNanos;
        long renewals;
        long token;
        long changes;
        /** Released or deleted. */
        boolean removed;
        /** The key was erased after it. */
        boolean erased;
    }

    static final class Session {
        long leaseNanos;
        long renewedAtNanos;
        long renewals;
        long endedAtNanos = Long.MAX_VALUE;
    }

    /** What was seen: comparable by its fields. */
    record Seen(int stays, long changes, boolean held, long session, long renewals) {}

    record Answer(boolean written, boolean granted, long grantedNanos, long retryNanos) {}

    final StoreTraits traits;
    final ModelOptions options;
    final List<List<Stay>> history = new ArrayList<>();
    final List<RecordKey> keys = new ArrayList<>();
    final List<Session> sessions = new ArrayList<>();
    long revision;
    int erasures;
    long erasedToken;

    DumbStore(StoreTraits traits, ModelOptions options) {
        this.traits = traits;
        this.options = options;
    }

    private boolean removes() {
        return traits.expiry() == Expiry.STORE_REMOVES;
    }

    private boolean bySession() {
        return traits.leaseScope() == LeaseScope.SESSION;
    }

    List<Stay> stays(RecordKey key) {
        int at = keys.indexOf(key);
        if (at < 0) {
            keys.add(key);
            history.add(new ArrayList<>());
            at = keys.size() - 1;
        }
        return history.get(at);
    }

    private long granted(long nanos) {
        long step = traits.leaseStep().toNanos();
        long g = traits.leaseMin().toNanos();
        while (g < nanos && g < traits.leaseMax().toNanos()) {
            g += step - g % step;
        }
        return Math.min(g, traits.leaseMax().toNanos());
    }

    private long ttl(long leaseNanos) {
        return (long) Math.ceil(leaseNanos * traits.expiryFactor())
                + traits.expirySlack().toNanos();
    }

    /** When the session was or will be over, if nothing more happens. */
    private long overAt(Session s) {
        long expiry = removes() ? s.renewedAtNanos + ttl(s.leaseNanos) : Long.MAX_VALUE;
        return Math.min(expiry, s.endedAtNanos);
    }

    private long overAt(Stay stay) {
        if (stay.foreign != null) {
            return removes() && stay.foreignLeaseNanos > 0
                    ? stay.renewedAtNanos + ttl(granted(stay.foreignLeaseNanos))
                    : Long.MAX_VALUE;
        }
        if (bySession()) {
            return overAt(sessions.get((int) stay.session - 1));
        }
        return removes() ? stay.renewedAtNanos + ttl(stay.leaseNanos) : Long.MAX_VALUE;
    }

    @Nullable
    Stay standing(RecordKey key, long now) {
        List<Stay> stays = stays(key);
        if (stays.isEmpty()) {
            return null;
        }
        Stay last = stays.get(stays.size() - 1);
        return last.removed || overAt(last) <= now ? null : last;
    }

    Seen see(RecordKey key, long now) {
        Stay stay = standing(key, now);
        List<Stay> stays = stays(key);
        if (stay == null) {
            return new Seen(isNone(key) ? -erasures : stays.size(), 0, false, 0, 0);
        }
        long renewals =
                bySession() && stay.foreign == null ? sessions.get((int) stay.session - 1).renewals : stay.renewals;
        return new Seen(stays.size(), stay.changes, true, stay.session, renewals);
    }

    /** Whether the key is as if it had never been held. */
    private boolean isNone(RecordKey key) {
        List<Stay> stays = stays(key);
        return stays.isEmpty() || stays.get(stays.size() - 1).erased;
    }

    private long lastToken(RecordKey key) {
        long last = stays(key).stream().mapToLong(s -> s.token).max().orElse(0);
        return isNone(key) ? Math.max(last, erasedToken) : last;
    }

    /** Whether the write that was based on {@code basis} may go ahead. */
    private boolean stands(RecordKey key, Seen basis, long now) {
        Seen current = see(key, now);
        return current.held && current.stays == basis.stays && current.changes == basis.changes;
    }

    Answer acquire(RecordKey key, Seen basis, LeaderRecord proposal, long session, long now, long wall) {
        if (bySession()
                && (session < 1 || session > sessions.size() || overAt(sessions.get((int) session - 1)) <= now)) {
            return new Answer(false, false, 0, 0);
        }
        if (basis.held) {
            if (removes()) {
                return new Answer(false, false, 0, 0);
            }
            if (bySession() && basis.session > 0 && basis.session != session) {
                Session old = sessions.get((int) basis.session - 1);
                if (old.renewals == basis.renewals) {
                    old.endedAtNanos = Math.min(old.endedAtNanos, now);
                }
            }
            List<Stay> stays = stays(key);
            Stay last = stays.isEmpty() ? null : stays.get(stays.size() - 1);
            boolean same = last != null
                    && !last.removed
                    && !last.erased
                    && stays.size() == basis.stays
                    && last.changes == basis.changes;
            boolean dead = last != null && (!bySession() || last.foreign != null || overAt(last) <= now);
            if (!same || !dead) {
                return new Answer(false, false, 0, 0);
            }
        } else {
            Seen current = see(key, now);
            boolean same = options.vacantBasis() == ModelOptions.VacantBasis.CONSTANT || current.stays == basis.stays;
            if (current.held || !same) {
                return new Answer(false, false, 0, 0);
            }
        }
        long locked = lockedUntil(key, now);
        if (locked > now) {
            return new Answer(false, false, 0, locked - now);
        }
        Stay stay = new Stay();
        stay.session = session;
        stay.renewedAtNanos = now;
        stay.leaseNanos = granted(proposal.lease().toNanos());
        stay.changes = ++revision;
        stay.token = Math.max(lastToken(key) + 1, wall);
        stay.record = options.token() == ModelOptions.Token.CLOCK ? proposal.withTerm(stay.token) : proposal;
        stays(key).add(stay);
        return new Answer(
                true,
                !bySession(),
                !bySession() ? removes() ? stay.leaseNanos : proposal.lease().toNanos() : 0,
                0);
    }

    private long lockedUntil(RecordKey key, long now) {
        List<Stay> stays = stays(key);
        if (isNone(key) || !removes()) {
            return 0;
        }
        Stay last = stays.get(stays.size() - 1);
        return last.removed || traits.lockDelay().isZero() || overAt(last) > now
                ? 0
                : overAt(last) + traits.lockDelay().toNanos();
    }

    Answer update(RecordKey key, Seen basis, LeaderRecord record, Intent intent, long now) {
        if (!stands(key, basis, now)) {
            return new Answer(false, false, 0, 0);
        }
        Stay stay = standing(key, now);
        stay.record = record;
        boolean wasForeign = stay.foreign != null;
        stay.foreign = null;
        stay.changes = ++revision;
        boolean renews = !bySession() && (intent == Intent.RENEW || options.updatesRenew());
        if (wasForeign) {
            throw new IllegalStateException("the test does not update foreign records");
        }
        if (!renews) {
            return new Answer(true, false, 0, 0);
        }
        stay.renewals++;
        stay.renewedAtNanos = now;
        stay.leaseNanos = granted(record.lease().toNanos());
        return new Answer(
                true, true, removes() ? stay.leaseNanos : record.lease().toNanos(), 0);
    }

    Answer release(RecordKey key, Seen basis, long now) {
        if (!stands(key, basis, now)) {
            return new Answer(false, false, 0, 0);
        }
        remove(key, now);
        return new Answer(true, false, 0, 0);
    }

    Answer erase(RecordKey key, Seen basis, long now) {
        Seen current = see(key, now);
        boolean isConstant = options.vacantBasis() == ModelOptions.VacantBasis.CONSTANT;
        if (current.held || !isConstant && current.stays != basis.stays) {
            return new Answer(false, false, 0, 0);
        }
        long locked = lockedUntil(key, now);
        if (locked > now) {
            return new Answer(false, false, 0, locked - now);
        }
        if (!isNone(key)) {
            erasures++;
            erasedToken = Math.max(erasedToken, lastToken(key));
            List<Stay> stays = stays(key);
            stays.get(stays.size() - 1).erased = true;
        }
        return new Answer(true, false, 0, 0);
    }

    boolean remove(RecordKey key, long now) {
        Stay stay = standing(key, now);
        if (stay == null) {
            return false;
        }
        stay.removed = true;
        return true;
    }

    boolean endLease(RecordKey key, long now) {
        Stay stay = standing(key, now);
        if (stay == null) {
            return false;
        }
        if (bySession() && stay.foreign == null) {
            sessions.get((int) stay.session - 1).endedAtNanos = now;
        } else {
            endRecordLease(stay, now);
        }
        return true;
    }

    private void endRecordLease(Stay stay, long now) {
        if (!removes() || (stay.foreign != null && stay.foreignLeaseNanos == 0)) {
            stay.removed = true;
        } else {
            long lease = stay.foreign != null ? granted(stay.foreignLeaseNanos) : stay.leaseNanos;
            stay.renewedAtNanos = now - ttl(lease);
        }
    }

    void foreign(RecordKey key, String text, long leaseNanos, long now) {
        Stay stay = new Stay();
        stay.foreign = text;
        stay.foreignLeaseNanos = leaseNanos;
        stay.renewedAtNanos = now;
        stay.changes = ++revision;
        List<Stay> stays = stays(key);
        stay.token = lastToken(key);
        stays.add(stay);
    }

    long open(long leaseNanos, long now) {
        Session s = new Session();
        s.leaseNanos = granted(leaseNanos);
        s.renewedAtNanos = now;
        sessions.add(s);
        return sessions.size();
    }

    boolean renew(long session, long now) {
        Session s = sessions.get((int) session - 1);
        if (overAt(s) <= now) {
            return false;
        }
        s.renewals++;
        s.renewedAtNanos = now;
        return true;
    }

    void end(long session, long now) {
        Session s = sessions.get((int) session - 1);
        if (overAt(s) > now) {
            s.endedAtNanos = now;
        }
    }

    List<RecordKey> list(RecordKey prefix, long now) {
        return keys.stream()
                .filter(k -> k.isBelow(prefix))
                .filter(k -> !isNone(k))
                .filter(k -> options.listsVacant() || standing(k, now) != null)
                .sorted(Comparator.comparing(RecordKey::path))
                .collect(Collectors.toList());
    }
}
