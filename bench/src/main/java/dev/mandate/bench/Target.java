package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import dev.mandate.demo.ScratchGroup;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.LeaseTiming;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Durations;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreSession;
import dev.mandate.spi.StoreTraits;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store that is measured.
 *
 * @param address of the store; of a scratch group, for a guest
 * @param group the scratch group; null if there is a store
 * @param run distinguishes this run's elections from those of others
 * @param isQuick whether to take fewer samples
 */
record Target(
        StoreAddress address, @Nullable ScratchGroup group, Explanation explanation, String run, boolean isQuick) {
    private static final int CANDIDATES = 3;
    private static final Duration ANSWER = Duration.ofSeconds(10);

    /**
     * The store at that address.
     *
     * @throws dev.mandate.StoreSetupException if it has to be set up first
     * @throws dev.mandate.StoreUnavailableException if it does not answer
     */
    static Target of(StoreAddress address, boolean isQuick) {
        return of(address, null, isQuick, address.client());
    }

    /** A scratch group; no member needs to run. */
    static Target of(ScratchGroup group, boolean isQuick) {
        StoreAddress guest = group.guest();
        return of(guest, group, isQuick, guest.client().connectTimeout(Duration.ZERO));
    }

    /** The group at a member's address; no member needs to run. */
    static Target ofMember(StoreAddress member) {
        return of(member, null, false, member.client().create(false).connectTimeout(Duration.ZERO));
    }

    private static Target of(
            StoreAddress address, @Nullable ScratchGroup group, boolean isQuick, ElectionClient.Builder builder) {
        String run = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        try (ElectionClient client = builder.connect()) {
            return new Target(address, group, client.explain(), run, isQuick);
        }
    }

    /** How many candidates campaign if all are in this process: in a group, all members. */
    int candidates() {
        return group == null ? CANDIDATES : group.size();
    }

    /** The store of one of the candidates in this process, from 0. */
    private StoreAddress address(int candidate) {
        return group == null ? address : group.member(candidate % group.size());
    }

    int samples(int all, int quick) {
        return isQuick ? quick : all;
    }

    boolean isMemory() {
        return address.parsed().scheme().equals("memory");
    }

    /** The name of an election that nobody else uses. */
    String election(String what) {
        return "mandate-bench-" + run + "-" + what;
    }

    /** Builds a client with the settings of the URL; more may be added. */
    ElectionClient.Builder client(String candidate) {
        return client(candidate, 0);
    }

    /** The same for one of several; in a group, each is another member. */
    ElectionClient.Builder client(String candidate, int number) {
        return address(number).client().candidate(candidate);
    }

    /** Builds a client of {@code store} with the URL's times. */
    ElectionClient.Builder client(ElectionStore store) {
        ElectionClient.Builder builder = ElectionClient.builder(store).lease(explanation.lease());
        with("maxClockRatio", text -> builder.maxClockRatio(Double.parseDouble(text)));
        with("deadlineMargin", text -> builder.deadlineMargin(Durations.parse("deadlineMargin", text)));
        with("renewInterval", text -> builder.renewInterval(Durations.parse("renewInterval", text)));
        with("requestTimeout", text -> builder.requestTimeout(Durations.parse("requestTimeout", text)));
        with("retryInterval", text -> builder.retryInterval(Durations.parse("retryInterval", text)));
        with("pollInterval", text -> builder.pollInterval(Durations.parse("pollInterval", text)));
        with("registrationLease", text -> builder.registrationLease(Durations.parse("registrationLease", text)));
        with("drainTimeout", text -> builder.drainTimeout(Durations.parse("drainTimeout", text)));
        with("recordCheckInterval", text -> builder.recordCheckInterval(Durations.parse("recordCheckInterval", text)));
        return builder;
    }

    private void with(String parameter, Consumer<String> setting) {
        String text = address.parsed().parameters().get(parameter);
        if (text != null) {
            setting.accept(text);
        }
    }

    /** The traits of the store. Opens it. */
    StoreTraits traits() {
        try (ElectionStore store = store()) {
            return store.traits();
        }
    }

    /** How long a registration lives without renewal. */
    Duration registrationLease() {
        String own = explanation.settings().get("registrationLease");
        return own == null ? explanation.lease() : Durations.parse("registrationLease", own);
    }

    /**
     * How long after its last renewal followers list an instance at most.
     *
     * @param pages the number of pages in a listing of the service
     */
    Duration goneWithin(StoreTraits traits, int pages) {
        FollowingSettings following = new FollowingSettings(timing(), traits.expiry(), FollowingSettings.RECORDS_MAX);
        return Duration.ofNanos(following.goneNanos(traits, registrationLease().toNanos(), pages));
    }

    private LeaseTiming timing() {
        Map<String, String> settings = explanation.settings();
        double ratio = Double.parseDouble(Objects.requireNonNull(settings.get("maxClockRatio"), "maxClockRatio"));
        LeaseTiming.Draft timing = LeaseTiming.of(explanation.lease(), ratio);
        for (String name : timing.build().all().keySet()) {
            String text = settings.get(name);
            if (text != null) {
                timing.set(name, Durations.parse(name, text));
            }
        }
        return timing.build();
    }

    /** Opens the store itself, without a client. */
    ElectionStore store() {
        return store(0);
    }

    /** The same for one of several; in a group, each is another member. */
    ElectionStore store(int number) {
        return address(number).open(explanation);
    }

    /** The context of one call to the store, with its time limit. */
    static CallContext call() {
        return CallContext.within(ANSWER);
    }

    /** Opens a session without a client; null if the store has none. */
    static @Nullable StoreSession session(ElectionStore store, Duration lease) throws InterruptedException {
        return store.traits().leaseScope() == LeaseScope.SESSION
                ? await("opening a session", store.openSession(lease, call()))
                : null;
    }

    /** The record that a candidate without an engine proposes. */
    LeaderRecord proposal(String candidate) {
        return proposal(candidate, "bench", explanation.lease());
    }

    /** The same with that value and lease. */
    LeaderRecord proposal(String candidate, String value, Duration lease) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return LeaderRecord.proposal(
                candidate,
                new Id(random.nextLong(), random.nextLong()),
                new Id(random.nextLong(), random.nextLong()),
                value,
                lease,
                System.currentTimeMillis());
    }

    /**
     * Waits for an answer.
     *
     * @param what completes the sentence "… failed"
     * @throws Failure if it fails, or does not come in time
     */
    static <T> T await(String what, CompletionStage<T> stage) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get(2 * ANSWER.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new Failure(ExitCode.UNAVAILABLE, what + " got no answer within " + 2 * ANSWER.toSeconds() + " s", e);
        }
    }
}
