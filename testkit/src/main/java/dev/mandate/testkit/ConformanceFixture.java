package dev.mandate.testkit;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Intent;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** What a store's author provides, and what all cases share. */
abstract class ConformanceFixture {
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private String name = "";
    private @Nullable StoreTraits traits;

    /**
     * Opens a new connection, always to the same data. Called many times in one test; the suite closes what it opened.
     * Keys have random names, so the data need not be empty.
     */
    protected abstract ElectionStore open() throws Exception;

    /** A lease that cases wait for: the shortest the store keeps reliably. Default 1 s or its minimum, if longer. */
    protected Duration shortestLease() {
        Duration min = traits().leaseMin();
        Duration second = Duration.ofSeconds(1);
        return min.compareTo(second) > 0 ? min : second;
    }

    /** How long a call may take. Default 10 s. */
    protected Duration answerWithin() {
        return Duration.ofSeconds(10);
    }

    /** How long a watch may take to report a change. Default 20 s. */
    protected Duration hintWithin() {
        return Duration.ofSeconds(20);
    }

    /** How often the races are run. Default 100: some bugs showed in only one round out of five. */
    protected int rounds() {
        return 100;
    }

    /** How many terms must be numbered correctly. Default 1,000. */
    protected int terms() {
        return 1_000;
    }

    /** Opens a store with a permanent fault: a wrong password, a missing right. Default: not covered. */
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.empty();
    }

    /** Malformed URLs of this store's scheme, each with the words its refusal must contain. Default: not covered. */
    protected Map<String, List<String>> badUrls() {
        return Map.of();
    }

    /**
     * Writes at {@code key} what another program would, so that it reads as foreign, and returns true. The default
     * returns false: no other program could write there.
     */
    protected boolean writeForeign(RecordKey key, String text) throws Exception {
        return false;
    }

    @BeforeEach
    final void remember(TestInfo info) {
        name = info.getTestMethod().map(Method::getName).orElse("case");
    }

    @AfterEach
    final void closeAll() throws Exception {
        while (!toClose.isEmpty()) {
            toClose.pop().close();
        }
    }

    /** A key that was never used. */
    final RecordKey key(String hint) {
        return RecordKey.election(unique(hint));
    }

    final String unique(String hint) {
        return hint + "-" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
    }

    final StoreTraits traits() {
        StoreTraits known = traits;
        if (known == null) {
            known = store().traits();
            traits = known;
        }
        return known;
    }

    /** A new connection. */
    final ElectionStore store() {
        try {
            ElectionStore store = open();
            toClose.push(store);
            return store;
        } catch (Exception e) {
            throw new AssertionError("open() failed: " + e, e);
        }
    }

    /** A contender with its own connection and a lease that lasts through a case. */
    final Contender contender() {
        Duration max = traits().leaseMax();
        Duration min = traits().leaseMin();
        Duration lease = LONG_LEASE.compareTo(max) > 0 ? max : LONG_LEASE;
        return contender(lease.compareTo(min) < 0 ? min : lease);
    }

    final Contender contender(Duration lease) {
        Contender contender = new Contender(store(), lease, answerWithin());
        toClose.push(contender::leave);
        return contender;
    }

    /** That many contenders. */
    final List<Contender> contenders(int count) {
        return Stream.generate(this::contender).limit(count).toList();
    }

    /** Skips a case, visibly. */
    final void onlyIf(boolean applies, String reason) {
        if (!applies) {
            print(getClass(), name + " does not apply: " + reason);
            Assumptions.abort(reason);
        }
    }

    /** Skips a case that the author could cover. */
    final void onlyIfCovered(boolean covered, String method) {
        if (!covered) {
            print(getClass(), name + " is not covered: " + method + " is not overridden");
            Assumptions.abort(method + " is not overridden");
        }
    }

    static void print(Class<?> suite, String text) {
        System.out.println("[conformance] " + suite.getSimpleName() + ": " + text);
    }

    /** The intents with which a record can be updated in this store. */
    final List<Intent> intents() {
        return traits().leaseScope() == LeaseScope.RECORD
                ? List.of(Intent.values())
                : List.of(Intent.PROCLAIM, Intent.ASK_TO_LEAVE);
    }

    /** The record without the revision, which a store may change. */
    static LeaderRecord withoutTerm(LeaderRecord record) {
        return record.withTerm(0);
    }
}
