package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.Called;
import dev.mandate.doctor.Doctored;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.testkit.ServerPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on a group of three whose members run in this process; the commands look as guests do. */
@Tag("long")
class GroupCommandsTest {
    private static final int MEMBERS = 3;
    private static final String PATIENCE = "&maxLease=5s";
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path temp;

    private final List<String> addresses = new ArrayList<>();
    private final List<ElectionClient> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(ElectionClient::close);
    }

    /** A group that votes, of which so many members, the last ones, have stopped since. */
    private void start(String parameters, int stopped) {
        choosePorts();
        for (int place = 0; place < MEMBERS; place++) {
            open.add(begin(place, parameters));
        }
        ElectionClient.builder(guest(parameters))
                .connectTimeout(Duration.ofSeconds(60))
                .connect()
                .close();
        open.subList(MEMBERS - stopped, MEMBERS).forEach(ElectionClient::close);
    }

    private void choosePorts() {
        ServerPorts.choose(List.of("a", "b", "c")).values().forEach(port -> addresses.add("127.0.0.1:" + port));
    }

    private ElectionClient begin(int place, String parameters) {
        return ElectionClient.builder(member(place, parameters + "&connectTimeout=0s"))
                .connect();
    }

    private String list() {
        return String.join(",", addresses);
    }

    private String guest(String parameters) {
        return "bully://" + list() + "?lease=1s" + parameters;
    }

    /** For a group that grants it: waits longer for answers, as a machine that is busy needs. */
    private String patient(String parameters) {
        return guest(PATIENCE + parameters).replace("?lease=1s", "?lease=5s");
    }

    private String member(int place, String parameters) {
        return guest("&self=" + addresses.get(place) + "&state=" + temp.resolve("m" + place) + parameters);
    }

    private static Called call(String line, String... more) {
        String[] args =
                Stream.concat(Stream.of(line.split(" ")), Stream.of(more)).toArray(String[]::new);
        return Called.with(Main.PROGRAM, Map.of(), args);
    }

    private static Doctored doctor(String url) {
        return Doctored.looking(url);
    }

    @Test
    void aMembersUrlMakesNeitherAVoterNorADirectoryOfWhoLooks() {
        start(PATIENCE, 1);
        String never = patient("&self=" + addresses.get(2) + "&state=" + temp.resolve("never"));

        for (String command :
                List.of("status", "status --verify", "explain", "observe a --for 300ms", "leader a", "evict a")) {
            Called looked = call(command, "--store", never);

            assertThat(looked.code()).as("%s: %s", command, looked.err()).isIn(0, 10);
        }
        doctor(never).assertVerdict(Severity.WARNING);
        assertThat(temp.resolve("never")).doesNotExist();
        // A member that runs is not in the way either.
        call("status", "--store", member(0, PATIENCE)).assertDone();
    }

    @Test
    void whoLeadsIsShownAndAskedToLeave() throws Exception {
        start(PATIENCE, 0);
        String patient = patient("");
        try (Leadership leadership = open.get(1).election("invoices").campaign("hello")) {
            Called status = call("status --verify --store", patient);

            assertThat(status.assertDone().out())
                    .contains("invoices", leadership.fencingToken().toString(), "live", "hello");
            assertThat(call("evict invoices --store", patient).assertDone().out())
                    .startsWith("asked");
        }
    }

    @Test
    void withoutAMajorityItIsSaidWhoIsMissing() {
        start("", 2);

        call("status --store", guest("&connectTimeout=1s"))
                .assertRefused(
                        3,
                        "2 of 3 voters",
                        addresses.get(1) + " has not been connected",
                        addresses.get(2) + " has not been connected",
                        "Connection refused");
        doctor(guest(""))
                .assertSays(Severity.ERROR, "members", "1 of 3 members vote, 2 are a majority", "nobody can lead")
                .assertSays(Severity.ERROR, "member", addresses.get(2), "Connection refused");
    }

    @Test
    void theDoctorShowsMembersCeilingsQuarantineAndLinks() {
        start(PATIENCE, 0);

        doctor(patient(""))
                .assertWell()
                .assertSays(Severity.OK, "members", "3 of 3 members vote", list())
                .assertSays(Severity.OK, "member", addresses.get(1) + " votes; ceiling ", "longest lease 5s")
                .assertSays(Severity.OK, "links", "all members are connected to each other");
    }

    @Test
    void oneThatIsAwayIsAWarningWhileTheOthersAreAMajority() {
        start(PATIENCE, 1);

        doctor(patient(""))
                .assertVerdict(Severity.WARNING)
                .assertSays(Severity.OK, "members", "2 of 3 members vote")
                .assertSays(Severity.WARNING, "member", addresses.get(2), "has not been connected")
                .assertSays(Severity.OK, "links", "the 2 members that answer are connected to each other");
    }

    @Test
    void oneInItsQuarantineIsSaidToVoteSoon() {
        String longer = "&maxLease=1m";
        choosePorts();
        open.add(begin(0, longer));

        doctor(guest(longer)).assertUnreachable("2 of 3 voters", addresses.get(0) + " started recently and votes in");
    }

    @Test
    void aNewGroupSaysThatItVotesWhenAllHaveStarted() {
        choosePorts();
        open.add(begin(0, ""));
        open.add(begin(1, ""));

        call("status --store", guest("&connectTimeout=3s"))
                .assertRefused(
                        3,
                        addresses.get(0) + " has no state, as at the first start of a group",
                        "all of them, if none has one",
                        addresses.get(2) + " has not been connected");
    }

    @Test
    void aGuestWithAnotherListIsToldBoth() {
        start(PATIENCE, 0);
        String other = addresses.get(2) + "," + addresses.get(1) + "," + addresses.get(0);
        String url = "peers://" + other + "?lease=5s" + PATIENCE;

        call("status --store", url).assertRefused(4, list(), other, "give the guest the list of the members");
        doctor(url).assertUnreachable(list(), other);
        doctor(patient("")).assertWell();
    }

    @Test
    void membersThatDisagreeAreSaidToHaveStopped() {
        start("", 1);
        open.add(begin(2, "&maxLease=2s"));

        doctor(guest("")).assertUnreachable(addresses.get(0) + " has stopped voting for now", "another maxLease");
    }

    @Test
    void aWrongSecretIsNamedAndNotShown() throws IOException {
        Path right = Files.writeString(temp.resolve("right"), SECRET + "\n");
        Path wrong = Files.writeString(temp.resolve("wrong"), SECRET.replace('0', 'f') + "\n");
        start(PATIENCE + "&secretFile=" + right, 0);

        call("status --store", guest("&connectTimeout=20s&secretFile=" + wrong))
                .assertRefused(3, addresses.get(0), "does not accept this process's secret", "secretFile");
        doctor(patient("&secretFile=" + right)).assertWell();
    }

    @Test
    void aLeaseThatNoMemberGrantsIsNamed() {
        start("", 0);

        doctor("bully://" + list() + "?lease=5s")
                .assertSays(Severity.ERROR, "lease", "the lease is 5s", "grant at most 1s");
    }
}
