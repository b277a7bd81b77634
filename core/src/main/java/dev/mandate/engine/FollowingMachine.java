package dev.mandate.engine;

import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows all records below one prefix: the instances of a service, the queue of an election. A listing shows what
 * there is, hints from a watch show changes, and an occasional listing shows what the hints missed.
 *
 * <p>The rules:
 *
 * <ol>
 *   <li>Nothing is reported before a listing was complete. From then on only differences are reported; applied in order
 *       they give the list.
 *   <li>A hint counts at once. As it may be late, a listing soon checks it, unless a later term proves it. A hint of an
 *       earlier term is dropped. A hint never shows the whole list.
 *   <li>A page is newer than every hint that came before its request. It does not undo a later hint, unless it
 *       shows a later term.
 *   <li>What a complete listing does not show is gone. A listing of several pages shows several instants: then the next
 *       one must not show it either. An incomplete listing removes nothing.
 *   <li>A listing that would empty the list counts only when the next one shows the same.
 *   <li>After a gap everything is listed again. The list stays the same meanwhile.
 *   <li>Where observers judge, a record is dead when pages have shown it unchanged for its own lease, by this machine's
 *       clock. While the store does not answer, nobody dies. A dead record revives with the next sign of life.
 *   <li>While the store does not answer, the list stays the same. It is stale a lease after the store last confirmed
 *       it: see {@link Freshness}.
 *   <li>A list that takes many pages is listed again after a longer pause.
 *   <li>The machine remembers a limited number of records. It reports more as a fault, and still follows
 *       those that came first.
 * </ol>
 *
 * <p>Every method handles the event, then does what is due; it never throws on what a store may do. {@link
 * #wakeAtNanos()} says when {@link #tick} is wanted. Not safe for use from several threads.
 *
 * @param <T> what a record is read as; compared by {@code equals} to find out whether it changed
 */
public final class FollowingMachine<T> {
    /** Reads records. Never throws, and reads equal records alike. */
    @FunctionalInterface
    public interface Reading<T> {
        /**
         * What {@code held} says; null if there is nothing to report.
         *
         * @param isVerified whether its holder is known to have been alive: always where the store expires leases
         *     itself, elsewhere once its liveness was seen to change
         * @param before what was last reported of the same key, or null: the result may share its unchanged parts
         */
        @Nullable
        T read(Observation.Held held, boolean isVerified, @Nullable T before);
    }

    private final RecordKey prefix;
    private final FollowingSettings settings;
    private final LeaseTiming timing;
    private final Reading<T> reading;
    private final FollowedRecords<T> records;
    private final Hints hints = new Hints();
    private final FollowingRhythm rhythm;
    private final Listing listing;
    private final Freshness freshness;
    private final List<Action> out = new ArrayList<>(2);

    private long lastRequest;
    private long nowNanos = Long.MIN_VALUE;
    private boolean isStarted;
    /** When the last complete listing began. */
    private long confirmedNanos;
    /** When a page last failed, or a listing began far too late. */
    private long brokeNanos = Long.MIN_VALUE;
    /** When a hint last showed something that only a listing can prove. */
    private long unprovenNanos = Long.MIN_VALUE;
    /** The previous listing would have emptied the list. */
    private boolean wasEmpty;
    /** When the last gap was reported; it explains what the next listing that begins afterwards shows. */
    private long explainedNanos = Long.MIN_VALUE;

    /** A machine that has not started. */
    public FollowingMachine(RecordKey prefix, FollowingSettings settings, Reading<T> reading, Entropy entropy) {
        this.prefix = prefix;
        this.settings = settings;
        this.timing = settings.timing();
        this.reading = reading;
        this.records = new FollowedRecords<>(prefix, settings.recordsMax());
        this.rhythm = new FollowingRhythm(settings, hints, entropy);
        this.listing = new Listing(timing, entropy, new Retries(timing, entropy), () -> ++lastRequest, rhythm);
        this.freshness = new Freshness(timing, entropy, () -> ++lastRequest);
    }

    /** The prefix of the records that are followed. */
    public RecordKey prefix() {
        return prefix;
    }

    // ---- what happens ----

    /** Starts following. A watch, if there is one, was opened before. Idempotent. */
    public List<Action> start(Now now) {
        open(now);
        if (!isStarted) {
            isStarted = true;
            listing.want(true, nowNanos);
            listing.hurry(nowNanos);
        }
        return settle();
    }

    /** The watch of the prefix was opened, or broke. Idempotent. */
    public List<Action> onWatch(boolean isOpen, Now now) {
        open(now);
        if (isOpen != hints.isOpen()) {
            hints.watch(isOpen);
            if (!isOpen) {
                // The watch may have been silent for a while.
                listing.hurry(nowNanos);
            }
        }
        return settle();
    }

    /** The watch may have missed something. */
    public List<Action> onGap(Now now) {
        open(now);
        hints.heard();
        explainedNanos = nowNanos;
        return list(now);
    }

    /** Requests a listing that begins now. */
    public List<Action> list(Now now) {
        open(now);
        listing.hurry(nowNanos);
        return settle();
    }

    /** The watch showed this. */
    public List<Action> onHint(Observation seen, Now now) {
        open(now);
        if (seen.key().isBelow(prefix)) {
            hints.heard();
            Followed<T> known = records.get(seen.key());
            if (seen instanceof Observation.Held held) {
                hintedHeld(held, known);
            } else {
                hintedVacant(seen, known);
            }
        }
        return settle();
    }

    /** The page that {@link SweepAction} {@code request} asked for. */
    public List<Action> listed(long request, Page<Observation> page, Now now) {
        open(now);
        if (listing.awaits(request)) {
            long askedNanos = listing.askedNanos();
            for (Observation seen : page.items()) {
                if (seen.key().isBelow(prefix)) {
                    shown(seen, askedNanos);
                }
            }
            if (isWatched()) {
                freshness.vouch(askedNanos);
            }
            ElectionEvent end = listing.answered(page, out, nowNanos);
            if (end instanceof ElectionEvent.Swept) {
                complete();
            } else if (end != null) {
                brokeNanos = nowNanos;
            }
        }
        return settle();
    }

    /** That page will not come. {@code fault} says what must change before one can, if known. */
    public List<Action> notListed(long request, @Nullable String fault, Now now) {
        open(now);
        if (listing.awaits(request)) {
            brokeNanos = nowNanos;
            if (fault == null) {
                listing.failed(nowNanos);
            } else {
                listing.faulted(fault, out, nowNanos);
            }
        }
        return settle();
    }

    /** The answer to {@link FollowingAction.Look} {@code request}. */
    public List<Action> looked(long request, Observation seen, Now now) {
        open(now);
        if (freshness.awaits(request)) {
            long askedNanos = freshness.ends();
            if (!isAsTold(seen, askedNanos)) {
                // A hint is on its way, or was lost.
                listing.hurry(nowNanos);
            } else if (isWatched()) {
                freshness.vouch(askedNanos);
            }
        }
        return settle();
    }

    /** The answer to the look {@code request} will not come. */
    public List<Action> notLooked(long request, Now now) {
        open(now);
        if (freshness.awaits(request)) {
            lookFailed();
        }
        return settle();
    }

    /** Time has passed. */
    public List<Action> tick(Now now) {
        open(now);
        return settle();
    }

    // ---- what is known ----

    /** When {@link #tick} is wanted; {@code Long.MAX_VALUE} for never. */
    public long wakeAtNanos() {
        long listed = listing.wakeAtNanos();
        return isKnown() ? Math.min(listed, freshness.wakeAtNanos(areLooksWanted())) : listed;
    }

    /** Whether a listing was ever complete. */
    public boolean isKnown() {
        return records.isTold();
    }

    /** Whether the store has not confirmed the list for a lease, as of the last event. */
    public boolean isStale() {
        return freshness.isStale();
    }

    /** From when the list is stale, on the monotonic clock, unless the store confirms it before. */
    public long staleByNanos() {
        return freshness.staleAtNanos();
    }

    /** Whether more records exist below the prefix than are followed. */
    public boolean isFull() {
        return records.isFull();
    }

    /** When the last complete listing began, on the monotonic clock; meaningless before {@link #isKnown}. */
    public long confirmedNanos() {
        return confirmedNanos;
    }

    /** How many records there are, as reported. */
    public int size() {
        return records.size();
    }

    /** Shows all that was reported, in no order; nothing before {@link #isKnown}. */
    public void forEach(BiConsumer<? super RecordKey, ? super T> each) {
        records.forEach(each);
    }

    // ---- hints ----

    private void hintedHeld(Observation.Held held, @Nullable Followed<T> known) {
        if (known != null && (known.isSurelyAfter(held) || known.isSame(held))) {
            return;
        }
        boolean isProven = known != null && known.isSurelyBefore(held);
        Followed<T> record = known == null ? records.remember(held, out) : known;
        if (record == null) {
            return;
        }
        record.know(held, true, timing.leaseNanos(), nowNanos);
        T read = reading.read(held, isVerified(record), record.value);
        if (read == null) {
            hintedVacant(held, record);
            return;
        }
        // A mere renewal needs no proof by a listing.
        if (!record.isSilent() && records.change(record, read)) {
            record.hinted(nowNanos);
            unprovenNanos = isProven ? unprovenNanos : nowNanos;
        }
    }

    private void hintedVacant(Observation seen, @Nullable Followed<T> known) {
        Followed<T> record = known;
        if (record == null && !listing.isAtRest()) {
            // A page under way may still show what was there before.
            record = records.remember(seen, out);
        }
        if (record != null) {
            unprovenNanos = nowNanos;
            record.ends(nowNanos);
            records.change(record, null);
            record.vacated(seen.basis(), nowNanos);
        }
    }

    // ---- listings ----

    private void shown(Observation seen, long askedNanos) {
        Followed<T> known = records.get(seen.key());
        if (seen instanceof Observation.Held held) {
            shownHeld(held, known, askedNanos);
        } else if (known != null) {
            known.vacant(listing.number());
        }
    }

    private void shownHeld(Observation.Held held, @Nullable Followed<T> known, long askedNanos) {
        if (known != null && known.isOvertaking(held, askedNanos)) {
            known.shown(listing.number());
            unprovenNanos = nowNanos;
            return;
        }
        boolean isSame = known != null && known.isSameVersion(held);
        boolean wasVerified = isVerified(known);
        Followed<T> record = known == null ? records.remember(held, out) : known;
        if (record == null) {
            return;
        }
        record.know(held, false, timing.leaseNanos(), nowNanos);
        boolean isVerified = isVerified(record);
        // The same version says the same, so most of a listing need not be parsed.
        T read = isSame && isVerified == wasVerified && record.value != null
                ? record.value
                : reading.read(held, isVerified, record.value);
        if (read == null) {
            // By now the key holds something else.
            record.vacant(listing.number());
            return;
        }
        freshness.shows(record.key);
        if (settings.isJudged()) {
            record.look(askedNanos, brokeNanos, timing.leaseNanos(), nowNanos);
        }
        record.shown(listing.number(), askedNanos);
        if (!record.isSilent() && !read.equals(record.value)) {
            if (!isSame) {
                missed();
            }
            records.change(record, read);
        }
    }

    /** The last page came: what no page showed is gone. */
    private void complete() {
        long beganNanos = listing.beganNanos();
        List<Followed<T>> gone = new ArrayList<>();
        boolean isLeft = false;
        boolean isDoubtful = false;
        for (Iterator<Followed<T>> all = records.all().iterator(); all.hasNext(); ) {
            Followed<T> record = all.next();
            boolean isShown = record.isShownIn(listing.number());
            if (isShown && !record.isSilent() || record.isHintedSince(beganNanos)) {
                isLeft |= record.value != null;
            } else if (record.value == null) {
                if (!isShown) {
                    all.remove();
                }
            } else if (isShown || record.isMissed || record.isVacantIn(listing.number()) || listing.pages() == 1) {
                gone.add(record);
            } else {
                record.isMissed = true;
                isLeft = true;
                isDoubtful = true;
            }
        }
        boolean isEmptied = isKnown() && !isLeft && !gone.isEmpty();
        if (isEmptied && !wasEmpty) {
            isDoubtful = true;
        } else {
            gone.forEach(this::remove);
        }
        wasEmpty = isEmptied && !wasEmpty;
        freshness.listingEnds();
        confirm(beganNanos);
        // Sooner than planned if only now hints turn out to miss changes.
        listing.usually();
        if (isDoubtful) {
            listing.hurry(nowNanos);
        }
    }

    private void remove(Followed<T> record) {
        record.ends(nowNanos);
        if (record.isShownIn(listing.number())) {
            // Dead, but the record is still there, so that a later sign of life can be compared with it.
            records.change(record, null);
        } else {
            missed();
            records.change(record, null);
            records.forget(record);
        }
    }

    private void confirm(long beganNanos) {
        confirmedNanos = beganNanos;
        freshness.vouch(beganNanos);
        records.listingEnds(out);
        if (unprovenNanos >= beganNanos) {
            listing.by(rhythm.confirmAtNanos(listing.pages(), nowNanos));
        }
        records.tellAll(out);
    }

    /** A listing showed something that hints had missed. */
    private void missed() {
        if (isKnown() && !isExplained()) {
            hints.missed();
        }
    }

    private boolean isVerified(@Nullable Followed<T> record) {
        return !settings.isJudged() || record != null && record.isVerified();
    }

    /** Whether hints show every change, as far as known: then the list is right while the store answers. */
    private boolean isWatched() {
        return isKnown() && !freshness.isStale() && hints.work() && !isExplained();
    }

    private boolean isExplained() {
        return explainedNanos > confirmedNanos;
    }

    private boolean areLooksWanted() {
        return settings.confirms() && isWatched() && listing.isAtRest();
    }

    private void look() {
        boolean isDue = areLooksWanted() && freshness.isDue(nowNanos) && nowNanos < listing.wakeAtNanos();
        if (isDue && !freshness.ask(out, listing.requestTimeoutNanos(), nowNanos)) {
            // There is no record to read, so a listing costs no more.
            listing.hurry(nowNanos);
        }
    }

    private boolean isAsTold(Observation seen, long askedNanos) {
        Followed<T> known = records.get(seen.key());
        if (known != null && known.isHintedSince(askedNanos)) {
            // The read may be older than the hint, which shows that the watch works.
            return true;
        }
        T told = known == null ? null : known.value;
        T read = seen instanceof Observation.Held held ? reading.read(held, isVerified(known), told) : null;
        return Objects.equals(told, read);
    }

    /** A listing must show whether the store is away, or only this key cannot be read. */
    private void lookFailed() {
        freshness.ends();
        listing.hurry(nowNanos);
    }

    private void open(Now now) {
        out.clear();
        nowNanos = Math.max(nowNanos, now.monotonicNanos());
    }

    private List<Action> settle() {
        records.tell(out);
        if (listing.isOverdue(nowNanos)) {
            brokeNanos = nowNanos;
            listing.failed(nowNanos);
        }
        if (freshness.isOverdue(nowNanos)) {
            lookFailed();
        }
        if (isKnown()) {
            if (unprovenNanos == nowNanos) {
                listing.by(rhythm.confirmAtNanos(listing.pages(), nowNanos));
            }
            freshness.tell(out, nowNanos);
        }
        look();
        ask();
        return List.copyOf(out);
    }

    private void ask() {
        int number = listing.number();
        long dueNanos = listing.wakeAtNanos();
        if (listing.isAtRest() && nowNanos >= dueNanos && nowNanos - dueNanos >= settings.lookNanos()) {
            // This process has slept: perhaps all others have, too.
            brokeNanos = nowNanos;
        }
        listing.proceed(out, nowNanos);
        if (listing.number() != number) {
            records.listingBegins();
            freshness.listingBegins(records.size());
        }
    }
}
