package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.Registry;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.Status;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What happens to registered instances and those who follow them, on a real server, each with its own client. To adopt
 * it, extend it and say where the server is, and how an operator looks into it. Each trial uses its own service; they
 * run side by side where JUnit's {@code junit.jupiter.execution.parallel.enabled} is set.
 *
 * <p>Each trial prints how long it took beside the bound. Most fail only after a minute: the bounds assume timely
 * answers, which a busy machine does not grant. The simulator proves them.
 */
public abstract class RegistrationTrials extends RegistrationFixture {
    private static final int MANY = 6;
    private static final Duration LONG_LEASE = Duration.ofSeconds(10);
    private static final int LETTERS_OF_TWO_BYTES = 0x100;
    private static final int LETTERS_OF_THREE_BYTES = 0x4e00;
    private static final int LETTERS_OF_FOUR_BYTES = 0x1f600;

    /** For subclasses. */
    protected RegistrationTrials() {}

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void anInstanceComesChangesAndGoesWithoutATrace() throws Exception {
        String service = named("comes");
        ServiceInstance first = instance("7").withMetadata("zone", "a");
        try (ElectionClient a = client("a");
                ElectionClient b = client("b");
                FollowedService seen = new FollowedService(b, service)) {
            Registration registration = registered(a, service, first);
            seen.await(
                    "the instance",
                    PATIENCE,
                    view -> view.find("7").map(RegisteredInstance::instance).equals(Optional.of(first)));
            assertThat(asked(() -> a.registry().instances(service)).find("7"))
                    .map(RegisteredInstance::instance)
                    .contains(first);
            assertThat(asked(a.registry()::services)).contains(service);
            assertThat(store().left(RecordKey.registrations(service))).isNotEmpty();

            registration.update(now -> now.withMetadata("zone", "b"));
            registration.status(Status.OUT_OF_SERVICE);
            ServiceInstance second = first.withMetadata("zone", "b").withStatus(Status.OUT_OF_SERVICE);
            seen.await(
                    "its metadata and status",
                    PATIENCE,
                    view -> view.find("7").map(RegisteredInstance::instance).equals(Optional.of(second)));
            assertThat(seen.view().passing()).isEmpty();

            registration.close();
            seen.awaitIds(PATIENCE);
            Await.until("its being closed", PATIENCE, () -> registration.state().phase() == Phase.CLOSED);
            awaitNothingLeft(service);
            assertThat(asked(a.registry()::services)).doesNotContain(service);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void anIdIsHeldByTheFirstAndTakenOverByTheSecond() throws Exception {
        String service = named("twice");
        try (ElectionClient a = client("a");
                ElectionClient b = client("b");
                FollowedService seen = new FollowedService(a, service)) {
            Registration first = registered(a, service, instance("7"));
            Registration second = b.registry().register(service, instance("7").withAddress("second"));
            Await.until(
                    "whom the id is held by",
                    PATIENCE,
                    () -> second.state().phase() == Phase.TAKEN
                            && second.state().heldBy().equals(Optional.of("a")));
            assertThat(first.state().isRegistered()).isTrue();

            first.close();

            assertThat(second.awaitRegistered(PATIENCE)).isTrue();
            seen.await(
                    "the second",
                    PATIENCE,
                    view -> view.find("7").map(RegisteredInstance::address).equals(Optional.of("second")));
            second.close();
            awaitNothingLeft(service);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aKilledRegistrantGoes() throws Exception {
        String service = named("killed");
        Duration bound = goneWithin();
        try (ElectionClient b = client("b");
                FollowedService seen = new FollowedService(b, service);
                CandidateProcess process =
                        RegistrantProcess.start(store().urlOfProcess(), service, "7", "here", PATIENCE)) {
            registered(b, service, instance("8"));
            seen.awaitIds(PATIENCE, "7", "8");

            process.kill();
            long killed = System.nanoTime();

            seen.awaitIds(PATIENCE, "8");
            sayTook(service, "gone", killed, bound);
            Await.until(
                    "one listing to lack it, too",
                    PATIENCE,
                    () -> FollowedService.ids(asked(() -> b.registry().instances(service)))
                            .equals(List.of("8")));
        }
    }

    /** A change requested while it is frozen is what it registers when it goes on. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aFrozenRegistrantGoesAndComesBackWithItsNewestState() throws Exception {
        String service = named("frozen");
        Duration bound = goneWithin();
        try (ElectionClient b = client("b");
                FollowedService seen = new FollowedService(b, service);
                CandidateProcess process =
                        RegistrantProcess.start(store().urlOfProcess(), service, "7", "old", PATIENCE)) {
            seen.awaitIds(PATIENCE, "7");

            process.freeze();
            long frozen = System.nanoTime();
            seen.awaitIds(PATIENCE);
            sayTook(service, "gone", frozen, bound);
            RegistrantProcess.move(process, "new");
            process.thaw();
            long thawed = System.nanoTime();

            seen.await(
                    "the newest state",
                    PATIENCE,
                    view -> view.find("7").map(RegisteredInstance::address).equals(Optional.of("new")));
            sayTook(service, "back", thawed, b.explain().recoveryAtMost());
        }
    }

    /** The last list stays, with its age, until the store answers again. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aCutWatchKeepsItsListAndIsRightAgainAfterwards() throws Exception {
        String service = named("cut");
        try (StoreWay way = orNotTried(service, store().way());
                ElectionClient a = client("a");
                ElectionClient b = client(way.url(), "b");
                FollowedService seen = new FollowedService(b, service)) {
            Registration stays = registered(a, service, instance("1"));
            Registration goes = registered(a, service, instance("2"));
            seen.awaitIds(PATIENCE, "1", "2");
            List<RegisteredInstance> before = seen.view().instances();

            way.cut();
            int told = seen.told().size();
            seen.await("the list to be stale", PATIENCE, ServiceView::stale);
            assertThat(seen.view().age()).isGreaterThanOrEqualTo(store().lease());
            // Where all clients share the way, nobody is registered by now.
            boolean areRegistered = goes.state().isRegistered();
            if (areRegistered) {
                changeWhileCutOff(a, service, stays, goes);
            }
            assertThat(seen.view().instances()).isEqualTo(before);
            assertThat(seen.told().subList(told, seen.told().size()))
                    .allSatisfy(view -> assertThat(view.instances()).isEqualTo(before));

            way.heal();
            long healed = System.nanoTime();
            seen.await("what changed meanwhile", PATIENCE, view -> !view.stale() && isCurrent(a, service, view));
            sayTook(service, "right again", healed, b.explain().recoveryAtMost());
            if (areRegistered) {
                assertThat(seen.told().subList(told, seen.told().size()))
                        .noneMatch(view -> view.instances().isEmpty());
            }
        }
    }

    private void changeWhileCutOff(ElectionClient a, String service, Registration stays, Registration goes)
            throws Exception {
        goes.close();
        stays.update(now -> now.withAddress("moved"));
        assertThat(stays.awaitRegistered(PATIENCE)).isTrue();
        registered(a, service, instance("3"));
        store().whileCutOff();
    }

    private static boolean isCurrent(ElectionClient a, String service, ServiceView view) {
        List<ServiceInstance> listed = instances(asked(() -> a.registry().instances(service)));
        return listed.equals(instances(view)) && !listed.isEmpty();
    }

    private static List<ServiceInstance> instances(ServiceView view) {
        return view.instances().stream().map(RegisteredInstance::instance).toList();
    }

    /** Deletes one, then all of a service with two clients, of which only one follows it. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void registrationsThatAreDeletedByHandComeBack() throws Exception {
        String service = named("deleted");
        try (ElectionClient a = client("a");
                ElectionClient b = client("b");
                FollowedService seen = new FollowedService(b, service)) {
            List<Registration> all = new ArrayList<>();
            for (int i = 1; i <= MANY; i++) {
                all.add(registered(i % 2 == 0 ? a : b, service, instance(Integer.toString(i))));
            }
            String[] ids = all.stream().map(Registration::id).toArray(String[]::new);
            seen.awaitIds(PATIENCE, ids);

            delete(a, service, "2");
            awaitBack(seen, service, "the deleted one", System.nanoTime(), ids, a);

            for (String id : ids) {
                delete(a, service, id);
            }
            awaitBack(seen, service, "all of the emptied service", System.nanoTime(), ids, a);
            // Where an answer was late, the listing has a record before its client knows of it.
            for (Registration each : all) {
                assertThat(each.awaitRegistered(PATIENCE)).as(each.id()).isTrue();
            }
        }
    }

    private void awaitBack(
            FollowedService seen, String service, String what, long sinceNanos, String[] ids, ElectionClient a) {
        Await.until(
                what + " to be back",
                PATIENCE,
                () -> FollowedService.ids(asked(() -> a.registry().instances(service)))
                        .equals(List.of(ids)));
        seen.awaitIds(PATIENCE, ids);
        sayTook(service, what + " back", sinceNanos, a.explain().recoveryAtMost());
    }

    /** The server is killed, frozen, and at last emptied: leases and numbers are lost with the registrations. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void aServerThatIsKilledFrozenAndEmptiedHasAllBack() throws Exception {
        String service = named("emptied");
        try (Stalls stalls = new Stalls();
                OwnStore own = orNotTried(service, store().own());
                ElectionClient a = client(own.url(), "a");
                ElectionClient b = client(own.url(), "b");
                FollowedService seen = new FollowedService(b, service)) {
            // Terms that the emptied store has not reached again.
            for (int i = 0; i < MANY; i++) {
                registered(a, service, instance("9")).close();
            }
            Disturbed disturbed = new Disturbed(
                    service,
                    own,
                    a,
                    seen,
                    List.of(registered(a, service, instance("1")), registered(b, service, instance("2"))));
            seen.awaitIds(PATIENCE, "1", "2");

            own.restart();
            requireBack("all of the killed store", disturbed, stalls);

            own.freeze();
            Await.until(
                    "its registrations to be believed no longer",
                    PATIENCE,
                    () -> disturbed.all().stream()
                            .noneMatch(each -> each.state().isRegistered()));
            own.thaw();
            requireBack("all of the frozen store", disturbed, stalls);

            own.empty();
            requireBack("all of the emptied store", disturbed, stalls);
        }
    }

    /** What a disturbed store held. */
    private record Disturbed(
            String service, OwnStore own, ElectionClient client, FollowedService seen, List<Registration> all) {
        /** All are listed in the store, and each knows that it is registered. */
        boolean isBack() {
            String[] ids = ids();
            return all.stream().allMatch(each -> each.state().isRegistered())
                    && FollowedService.ids(asked(() -> client.registry().instances(service)))
                            .equals(List.of(ids));
        }

        String[] ids() {
            return all.stream().map(Registration::id).toArray(String[]::new);
        }
    }

    /** All are back within the bound, counted from when the store is usable: when a newcomer has had an answer. */
    private void requireBack(String what, Disturbed disturbed, Stalls stalls) {
        // A new client also creates what the store is missing, such as tables.
        client(disturbed.own().url(), "newcomer").close();
        long usable = System.nanoTime();
        long stalled = stalls.nanos();
        Await.until(what + " to be back", PATIENCE, disturbed::isBack);
        requireWithin(
                disturbed.service(),
                what + " back",
                Duration.ofNanos(System.nanoTime() - usable),
                disturbed.client().explain().recoveryAtMost(),
                Duration.ofNanos(stalls.nanos() - stalled));
        disturbed.seen().awaitIds(PATIENCE, disturbed.ids());
    }

    /** Longer than a busy machine may starve the server. */
    private Duration patientLease() {
        return store().lease().compareTo(LONG_LEASE) < 0 ? LONG_LEASE : store().lease();
    }

    /** The registration names the right it lacks, and no term ends over that. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void withoutTheRightToRegisterElectionsGoOn() throws Exception {
        String service = named("denied");
        Duration lease = patientLease();
        TrialStore.Restricted restricted = orNotTried(service, store().restricted(RecordKey.REGISTRATIONS, lease));
        try (AutoCloseable server = restricted.server();
                ElectionClient client = client(restricted.url(), "a");
                Leadership term = leads(client, service)) {
            Registration registration = client.registry().register(service, instance("7"));
            Await.until("its refusal", PATIENCE, () -> registration.state().phase() == Phase.FAULTY);
            say(service, registration.state().reason());
            assertThat(registration.state().reason())
                    .contains(restricted.words().toArray(CharSequence[]::new))
                    .hasLineCount(1);
            // A session that was no longer renewed would be over.
            assertThat(registration.awaitRegistered(lease.plusSeconds(2))).isFalse();
            assertThat(registration.state().phase()).isEqualTo(Phase.FAULTY);

            assertThat(term.isValid()).isTrue();
            try (Leadership another = leads(client, service + "-2")) {
                assertThat(another.isValid()).isTrue();
            }
            registration.close();
            Await.until("its being closed", PATIENCE, () -> registration.state().phase() == Phase.CLOSED);
            assertThat(term.isValid()).isTrue();
            assertThat(server).isNotNull();
        }
    }

    /** Names that take {@link Registry#NAMES_MAX} characters of a key, which fit on every store. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void theLongestNamesAreTaken() throws Exception {
        int half = (Registry.NAMES_MAX - 1) / 2;
        tryLongest("longest plain names", letters('a', 26, half), letters('a', 26, Registry.NAMES_MAX - 1 - half));
    }

    /** Each of their bytes takes three characters in a key. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    protected void theLongestForeignNamesAreTaken() throws Exception {
        int all = (Registry.NAMES_MAX - 1) / 6;
        String plain = letters('a', 26, Registry.NAMES_MAX - 1 - 6 * all);
        tryLongest(
                "longest foreign names",
                letters((char) LETTERS_OF_TWO_BYTES, 64, all / 2),
                letters((char) LETTERS_OF_TWO_BYTES, 64, all - all / 2) + plain);
    }

    /** No database compresses these. */
    private static String letters(char first, int many, int length) {
        return IntStream.range(0, length)
                .map(i -> first + ThreadLocalRandom.current().nextInt(many))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The instance with as much text as fits, nearly all of it beyond ASCII. */
    private static ServiceInstance filled(ServiceInstance instance) {
        String name = "größe";
        ServiceInstance half = instance.withAddress(foreign(ServiceInstance.BYTES_MAX / 2));
        int left = ServiceInstance.BYTES_MAX - half.withMetadata(name, "").bytes();
        ServiceInstance full = half.withMetadata(name, foreign(left));
        assertThat(full.bytes()).isEqualTo(ServiceInstance.BYTES_MAX);
        return full;
    }

    /** Characters of two, three and four bytes in UTF-8; ASCII at the end. */
    private static String foreign(int bytes) {
        StringBuilder text = new StringBuilder();
        int left = bytes;
        for (int size = 2; left >= 4; size = 2 + (size - 1) % 3) {
            int first = size == 2 ? LETTERS_OF_TWO_BYTES : size == 3 ? LETTERS_OF_THREE_BYTES : LETTERS_OF_FOUR_BYTES;
            text.appendCodePoint(first + ThreadLocalRandom.current().nextInt(64));
            left -= size;
        }
        return text + letters('a', 26, left);
    }

    /** The longest names come and go, while the same client's other registrations go on. */
    private void tryLongest(String what, String longService, String longId) throws Exception {
        String service = named("beside");
        ServiceInstance full = filled(instance("7").withId(longId));
        try (ElectionClient a = client(store().url(patientLease()), "a");
                FollowedService seen = new FollowedService(a, service);
                FollowedService seenLong = new FollowedService(a, longService);
                Leadership term = leads(a, service)) {
            Registration beside = registered(a, service, instance("7"));

            Registration longest = registered(a, longService, full);
            seenLong.await(
                    "all of it",
                    PATIENCE,
                    view -> view.find(longId).map(RegisteredInstance::instance).equals(Optional.of(full)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> longest.update(now -> now.withAddress(now.address() + "x")))
                    .withMessageContaining("shorten");
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            a.registry().register(longService, instance("7").withId(longId + "x")))
                    .withMessageContaining("shorten");
            longest.close();
            Await.until("its being closed", PATIENCE, () -> longest.state().phase() == Phase.CLOSED);
            seenLong.awaitIds(PATIENCE);
            say(what, "taken");

            beside.update(now -> now.withAddress("moved"));
            assertThat(beside.awaitRegistered(PATIENCE)).isTrue();
            seen.await(
                    "the other one to move",
                    PATIENCE,
                    view -> view.find("7").map(RegisteredInstance::address).equals(Optional.of("moved")));
            assertThat(term.isValid()).as("the term beside it").isTrue();
        }
    }
}
