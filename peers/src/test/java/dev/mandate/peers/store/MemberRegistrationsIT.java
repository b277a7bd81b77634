package dev.mandate.peers.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.Registration;
import dev.mandate.registry.RegistrationState.Phase;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import dev.mandate.testkit.FollowedService;
import dev.mandate.testkit.RegistrantProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that register with their own group: what befalls an instance befalls a voter, too. By every order. */
@EnabledOnOs(OS.LINUX)
@Execution(ExecutionMode.CONCURRENT)
class MemberRegistrationsIT {
    private static final String SERVICE = "workers";
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private LiveGroup group(String scheme, String more) {
        return new LiveGroup(scheme, 3, directory, "&lease=" + LEASE.toSeconds() + "s" + more);
    }

    /** Does not wait: the group answers once all of its members have started. */
    private static ElectionClient member(LiveGroup group, int place) {
        return ElectionClient.builder(group.member(place))
                .candidate("m" + place)
                .connectTimeout(Duration.ZERO)
                .connect();
    }

    private static Registration register(ElectionClient client, String id) {
        return client.registry()
                .register(SERVICE, ServiceInstance.at("of " + id).withId(id));
    }

    private static void requireRegistered(Registration registration) throws InterruptedException {
        assertThat(registration.awaitRegistered(PATIENCE))
                .as("registered, state %s", registration.state())
                .isTrue();
    }

    /** One of three is frozen, thawed, killed and started again; the other two go on as registered as before. */
    @ParameterizedTest
    @ValueSource(strings = {"peers", "bully", "ring"})
    @Execution(ExecutionMode.CONCURRENT)
    void aMembersInstanceGoesWithItAndComesBack(String scheme) throws Exception {
        LiveGroup group = group(scheme, "");
        try (ElectionClient a = member(group, 0);
                ElectionClient b = member(group, 1);
                FollowedService seen = new FollowedService(a, SERVICE)) {
            Registration ofA = register(a, "0");
            Registration ofB = register(b, "1");
            try (CandidateProcess c = RegistrantProcess.start(group.member(2), SERVICE, "2", "old", PATIENCE)) {
                requireRegistered(ofA);
                requireRegistered(ofB);
                seen.awaitIds(PATIENCE, "0", "1", "2");

                c.freeze();
                seen.awaitIds(PATIENCE, "0", "1");
                RegistrantProcess.move(c, "new");
                c.thaw();
                seen.await(
                        "the newest state",
                        PATIENCE,
                        view -> view.find("2").map(RegisteredInstance::address).equals(Optional.of("new")));

                c.kill();
                seen.awaitIds(PATIENCE, "0", "1");
            }
            try (CandidateProcess c = RegistrantProcess.start(group.member(2), SERVICE, "2", "again", PATIENCE)) {
                seen.awaitIds(PATIENCE, "0", "1", "2");
                assertThat(ofA.state().isRegistered()).isTrue();
                assertThat(ofB.state().isRegistered()).isTrue();
            }
        }
    }

    /** An order says who tries first to lead: nobody gives an id to a higher member. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aHigherMemberTakesTheLeadAndNoId() throws Exception {
        LiveGroup group = group("bully", "&preempt=true");
        try (ElectionClient a = member(group, 0);
                ElectionClient b = member(group, 1);
                ElectionClient c = member(group, 2)) {
            Registration first = register(a, "7");
            requireRegistered(first);
            Leadership lower = a.election("e").campaign("a", PATIENCE).orElseThrow();

            Registration second = register(c, "7");
            try (Leadership higher = c.election("e").campaign("c", PATIENCE).orElseThrow()) {
                assertThat(lower.isValid()).isFalse();
                Await.passing(LEASE.multipliedBy(2));
                Await.until(
                        "the higher to find the id taken",
                        PATIENCE,
                        () -> second.state().phase() == Phase.TAKEN);
                assertThat(second.state().heldBy()).contains("m0");
                assertThat(first.state().isRegistered()).isTrue();
                assertThat(higher.isValid()).isTrue();
            }

            first.close();
            requireRegistered(second);
            assertThat(b.registry().instances(SERVICE).find("7")).isPresent();
        }
    }
}
