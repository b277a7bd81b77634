package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * What every store must pass: one case for every sentence of {@link ElectionStore}. To adopt it, see the page of this
 * package; you need to write only {@link #open()}.
 *
 * <p>The cases adapt to the store's traits. One that does not apply is skipped, with its reason on the console. One
 * that this store fulfils differently is overridden with {@link Deviation}.
 *
 * <p>A run takes as long as its slowest leases: about twenty of {@link #shortestLease()}.
 */
public abstract class StoreConformance extends FollowingCases {
    private static final int LISTED = 450;

    /** For subclasses. */
    protected StoreConformance() {}

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

    /** The store's traits are possible, and do not change. */
    @Test
    protected void theTraitsAreSound() {
        ElectionStore store = store();
        StoreTraits t = store.traits();

        assertThat(t.name()).isNotBlank();
        assertThat(t.leaseMin()).isPositive().isLessThanOrEqualTo(t.leaseMax());
        assertThat(t.leaseStep()).isPositive();
        assertThat(t.expiryFactor()).isGreaterThanOrEqualTo(1.0);
        assertThat(t.expirySlack()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(t.lockDelay()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(t.valueBytesMax()).isGreaterThanOrEqualTo(1024);
        assertThat(t.assumptions()).as("what the store assumes, for people").allMatch(a -> !a.isBlank());
        assertThat(store.traits().toString()).isEqualTo(t.toString());
        assertThat(store().traits().toString()).isEqualTo(t.toString());
    }

    /**
     * A listing shows every held key below its prefix once, in bounded pages, and no other; writes can build on what it
     * shows. Names that merely begin alike get no page.
     */
    @Test
    protected void aListingShowsEveryKeyOnce() {
        Contender a = contender();
        String run = unique("listed");
        RecordKey prefix = new RecordKey(RecordKey.ELECTIONS, List.of(run));
        Set<RecordKey> held = new HashSet<>();
        for (int i = 0; i < LISTED; i++) {
            held.add(new RecordKey(RecordKey.ELECTIONS, List.of(run, "key/" + (i == 0 ? "" : i))));
        }
        a.acquireAll(held);
        for (String sibling : List.of(run + "x", run + "-", run + "/", run.substring(0, run.length() - 1))) {
            a.acquire(new RecordKey(RecordKey.ELECTIONS, List.of(sibling, "other")));
        }
        a.acquire(new RecordKey(RecordKey.REGISTRATIONS, List.of(run, "other")));

        List<Observation> listed = a.list(prefix);

        assertThat(listed.stream().map(Observation::key)).doesNotHaveDuplicates();
        Map<RecordKey, Observation> byKey = listed.stream().collect(Collectors.toMap(Observation::key, o -> o));
        assertThat(byKey.keySet()).isEqualTo(held);
        for (Observation seen : listed) {
            assertThat(seen).isInstanceOf(Observation.Held.class);
        }
        Observation.Held some = (Observation.Held) listed.get(LISTED / 2);
        assertThat(some.basis()).isEqualTo(a.readHeld(some.key()).basis());
        assertThat(a.proclaim(some, "from a listing").record().value()).isEqualTo("from a listing");
        assertThat(a.list(RecordKey.elections()).stream().map(Observation::key)).containsAll(held);
        RecordKey shortest = new RecordKey(RecordKey.ELECTIONS, List.of(run, "key/"));
        Page<Observation> only = a.answer("list", () -> a.store().list(shortest, Cursor.START, a.call()));
        assertThat(only.items()).extracting(Observation::key).containsExactly(shortest);
        assertThat(only.next()).as("a page after that of the only key").isEmpty();
    }

    /** A prefix counts as below itself: see {@link RecordKey#isBelow}. A name that merely begins alike does not. */
    @Test
    protected void aListingShowsWhatStandsAtItsPrefix() {
        Contender a = contender();
        for (String space : List.of(RecordKey.ELECTIONS, RecordKey.REGISTRATIONS)) {
            String run = unique("prefix");
            RecordKey prefix = new RecordKey(space, List.of(run));
            List<RecordKey> within = List.of(
                    prefix, new RecordKey(space, List.of(run, "a")), new RecordKey(space, List.of(run, "a", "b")));
            a.acquireAll(within);
            for (String sibling : List.of(run + "app", run + "-app", run + ".app", run + "/a", run + "0")) {
                a.acquire(new RecordKey(space, List.of(sibling)));
            }

            assertThat(a.list(prefix).stream().map(Observation::key)).containsExactlyInAnyOrderElementsOf(within);
            assertThat(a.list(within.get(1)).stream().map(Observation::key))
                    .containsExactlyInAnyOrderElementsOf(within.subList(1, 3));
            assertThat(a.list(within.get(2)).stream().map(Observation::key)).containsExactly(within.get(2));
        }
    }

    /** Closing frees the connection's resources and nothing else: held records stay held until released or expired. */
    @Test
    protected void closingReleasesNothing() {
        Contender a = contender();
        Contender b = contender();
        RecordKey key = key("closing");
        Observation.Held held = a.acquire(key);

        a.store().close();
        a.store().close();

        assertThat(b.readHeld(key).basis()).isEqualTo(held.basis());
    }

    /** A call on a closed store fails; it neither answers nor hangs. */
    @Test
    protected void callsOfAClosedStoreFail() {
        Contender a = contender();
        a.store().close();

        Contender.Outcome<Observation> outcome =
                a.outcome("read", () -> a.store().read(key("closed"), a.call()));

        assertThat(outcome.failure()).as("failure of a read on a closed store").isNotNull();
    }

    /** Permanent faults are told apart from temporary ones. */
    @Test
    protected void aPermanentFaultIsTyped() throws Exception {
        onlyIfCovered(broken().isPresent(), "broken()");
        Callable<ElectionStore> broken = broken().orElseThrow();
        @Nullable Throwable failure;
        try (ElectionStore store = broken.call()) {
            failure = Contender.outcome(
                            "read", answerWithin(), () -> store.read(key("broken"), CallContext.within(answerWithin())))
                    .failure();
        } catch (StoreSetupException e) {
            failure = e;
        }
        assertThat(failure).isInstanceOf(StoreSetupException.class).message().isNotBlank();
    }

    /** A malformed URL is refused with a message that names the mistake. */
    @Test
    protected void aBadUrlIsRefusedByName() {
        onlyIfCovered(!badUrls().isEmpty(), "badUrls()");
        badUrls().forEach((url, words) -> {
            StoreUrl parsed = StoreUrl.parse(url);
            ElectionStoreProvider provider = ServiceLoader.load(ElectionStoreProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(p -> p.schemes().contains(parsed.scheme()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no provider in META-INF/services opens " + parsed.scheme()));
            assertThat(catchThrowable(() -> provider.open(parsed).close()))
                    .as("opening %s", parsed)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(words.toArray(CharSequence[]::new));
            assertThat(provider.parameters().values())
                    .as("explanations of parameters")
                    .allMatch(text -> !text.isBlank());
        });
    }
}
