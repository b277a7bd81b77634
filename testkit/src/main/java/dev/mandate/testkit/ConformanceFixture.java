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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What a store's author gives, and what all cases share. */
abstract class ConformanceFixture {
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private String name = "";
    private @Nullable StoreTraits traits;

    /**
     * Opens a new connection to the same data as ever. Called many times in one test; the suite closes what it opened. Names of keys are
     * random, so that the data need not be empty.
     */
    protected abstract ElectionStore open() throws Exception;

    /** A lease the cases wait for: the shortest that the store keeps reliably. Default 1 s, or the store's minimum if that is longer. */
    protected Duration shortestLease() {
        Duration min = traits().leaseMin();
        Duration second = Duration.ofSeconds(1);
        return min.compareTo(second) > 0 ? min : second;
    }

    /** How long a call may take. Default 10 s. */
    protected Duration answerWithin() {
        return Duration.ofSeconds(10);
    }

    /** How long a change may take to be told to a watch. Default 20 s. */
    protected Duration hintWithin() {
        return Duration.ofSeconds(20);
    }

    /** How often the races are run. Default 100: bugs were found that showed in one round out of five. */
    protected int rounds() {
        return 100;
    }

    /** How many terms must be numbered rightly. Default 1,000. */
    protected int terms() {
        return 1_000;
    }

    /** Opens a store that will not work until somebody changes something: a wrong password, a missing right. Default: not covered. */
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.empty();
    }

    /** Malformed URLs of this store's scheme, each with the words its refusal must contain. Default: not covered. */
    protected Map<String, List<String>> badUrls() {
        return Map.of();
    }

    /**
     * Writes at {@code key} what another program would, so that it reads as foreign, and returns true. Default: returns false, because no
     * other program could write there.
     */
    protected boolean writeForeign(RecordKey key, String text) throws Exception {
        return false;
    }

    @BeforeAll
    static void deviationsHaveReasons(TestInfo info) {
        Class<?> suite = info.getTestClass().orElseThrow();
        for (Class<?> type = StoreConformance.class; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    requireReason(suite, method);
                }
            }
        }
    }

    private static void requireReason(Class<?> suite, Method given) {
        for (Class<?> type = suite; !type.isAssignableFrom(StoreConformance.class); type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (!method.getName().equals(given.getName()) || method.getParameterCount() > 0) {
                    continue;
                }
                Deviation deviation = method.getAnnotation(Deviation.class);
                if (deviation == null || deviation.value().isBlank()) {
                    throw new AssertionError(type.getName() + " replaces the case " + given.getName()
                            + " without a reason; add @Deviation(\"what this store does otherwise, and why\")");
                }
                print(suite, given.getName() + " is replaced: " + deviation.value());
                return;
            }
        }
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

    /** A key nobody ever used. */
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

    /** A connection of its own. */
    final ElectionStore store() {
        try {
            ElectionStore store = open();
            toClose.push(store);
            return store;
        } catch (Exception e) {
            throw new AssertionError("open() failed: " + e, e);
        }
    }

    /** Somebody with a connection of its own and a lease that lasts through a case. */
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

    /** Many of them. */
    final List<Contender> contenders(int count) {
        return Stream.generate(this::contender).limit(count).toList();
    }

    /** Leaves a case out, visibly. */
    final void onlyIf(boolean applies, String reason) {
        if (!applies) {
            print(getClass(), name + " does not apply: " + reason);
            Assumptions.abort(reason);
        }
    }

    /** Leaves a case out that the author could cover. */
    final void onlyIfCovered(boolean covered, String method) {
        if (!covered) {
            print(getClass(), name + " is not covered: " + method + " is not overridden");
            Assumptions.abort(method + " is not overridden");
        }
    }

    private static void print(Class<?> suite, String text) {
        System.out.println("[conformance] " + suite.getSimpleName() + ": " + text);
    }

    /** Why a record can be updated in this store. */
    final List<Intent> intents() {
        return traits().leaseScope() == LeaseScope.RECORD
                ? List.of(Intent.values())
                : List.of(Intent.PROCLAIM, Intent.ASK_TO_LEAVE);
    }

    /** The same, but for what a store may change: its revision. */
    static LeaderRecord withoutTerm(LeaderRecord record) {
        return record.withTerm(0);
    }
}
