package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.Finding;
import dev.mandate.spi.Finding.Severity;
import dev.mandate.support.StoreAuthority.Host;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.StatusResponse;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What follows from what members say of themselves; that they say it is shown on real ones by the doctor's tests. */
class EtcdMemberTest {
    private static final List<Member> THREE = List.of(member(1, "m1"), member(2, "m2"), member(3, "m3"));

    private static Member member(long id, String name) {
        return Member.newBuilder().setID(id).setName(name).build();
    }

    private static EtcdMember said(int port, UnaryOperator<StatusResponse.Builder> otherwise) {
        StatusResponse.Builder well = StatusResponse.newBuilder()
                .setVersion("3.5.16")
                .setLeader(1)
                .setRaftTerm(7)
                .setRaftIndex(100)
                .setRaftAppliedIndex(100)
                .setDbSize(5 << 20)
                .setDbSizeInUse(1 << 20);
        return EtcdMember.answered(new Host("host", port), otherwise.apply(well).build());
    }

    private static EtcdMember well(int port) {
        return said(port, UnaryOperator.identity());
    }

    private static void assertSays(List<Finding> findings, Severity severity, String... words) {
        assertThat(findings)
                .as("%s", List.of(words))
                .anyMatch(
                        f -> f.severity() == severity && List.of(words).stream().allMatch(f.sentence()::contains));
    }

    @Test
    void threeThatAreWellAreSaidToBe() {
        List<Finding> findings = EtcdMember.findings(List.of(well(1), well(2), well(3)), THREE);

        assertThat(findings).allMatch(f -> f.severity() == Severity.OK);
        assertSays(findings, Severity.OK, "etcd 3.5.16 at host:1, host:2, host:3");
        assertSays(findings, Severity.OK, "'m1' is the leader", "raft term 7");
        assertSays(findings, Severity.OK, "3 members, of which 1 may fail");
        assertSays(findings, Severity.OK, "host:2", "5 MiB, 1 MiB of it in use");
    }

    @Test
    void oneThatSaysNothingIsAWarningAndAllOfThemAnError() {
        EtcdMember silent = EtcdMember.silent(new Host("host", 9), "no answer in time");

        assertSays(
                EtcdMember.findings(List.of(well(1), well(2), silent), THREE),
                Severity.WARNING,
                "host:9 does not answer",
                "no answer in time");
        assertThat(EtcdMember.findings(List.of(silent), List.of()))
                .singleElement()
                .extracting(Finding::severity)
                .isEqualTo(Severity.ERROR);
    }

    @Test
    void withoutALeaderNobodyIsElected() {
        EtcdMember lost = said(2, status -> status.setLeader(0));

        assertSays(
                EtcdMember.findings(List.of(lost), THREE), Severity.ERROR, "host:2 has no leader", "no leader can be");
        assertSays(
                EtcdMember.findings(List.of(well(1), lost), THREE),
                Severity.WARNING,
                "host:2",
                "cut off from the others");
    }

    @Test
    void versionsThatDifferOrWereNotTestedAreWarnings() {
        EtcdMember older = said(2, status -> status.setVersion("3.4.23"));
        EtcdMember newer = said(3, status -> status.setVersion("3.6.0"));

        assertSays(
                EtcdMember.findings(List.of(well(1), older), THREE),
                Severity.WARNING,
                "etcd 3.4.23 at host:2, etcd 3.5.16 at host:1",
                "one version");
        assertSays(
                EtcdMember.findings(List.of(newer), THREE),
                Severity.WARNING,
                "Mandate was never run on etcd 3.6.0, only on 3.4 and 3.5");
    }

    @Test
    void versionsWithKnownFaultsAreErrorsWhereThereAreOthersToDisagreeWith() {
        EtcdMember older = said(1, status -> status.setVersion("3.4.23"));
        EtcdMember unsound = said(1, status -> status.setVersion("3.5.2"));

        assertSays(
                EtcdMember.findings(List.of(older), THREE),
                Severity.ERROR,
                "etcd 3.4.23",
                "revokes live leases",
                "3.4.31",
                "staleLeader=accept");
        assertSays(
                EtcdMember.findings(List.of(unsound), THREE), Severity.ERROR, "etcd 3.5.2", "different data", "3.5.3");
        // Nobody told of the others, but the URL names them.
        EtcdMember silent = EtcdMember.silent(new Host("host", 9), "no answer in time");
        assertSays(EtcdMember.findings(List.of(older, silent), List.of()), Severity.ERROR, "revokes live leases");
        for (EtcdMember alone : List.of(older, unsound)) {
            assertThat(EtcdMember.findings(List.of(alone), List.of(member(1, "m1"))))
                    .allMatch(f -> f.severity() == Severity.OK);
        }
    }

    @Test
    void membersThatAreOfNoUseAreWarnings() {
        EtcdMember learner = said(2, status -> status.setIsLearner(true));
        EtcdMember behind = said(3, status -> status.setRaftIndex(9_000));
        List<Member> added = List.of(member(1, "m1"), member(2, ""));
        List<Finding> findings = EtcdMember.findings(List.of(well(1), learner, behind), THREE);

        assertSays(findings, Severity.WARNING, "host:2 is a learner");
        assertSays(findings, Severity.WARNING, "host:3 is 8900 entries behind");
        assertSays(EtcdMember.findings(List.of(well(1)), added), Severity.WARNING, "never started");
        assertSays(EtcdMember.findings(List.of(well(1)), added), Severity.WARNING, "2 members, of which 0 may fail");
        assertSays(EtcdMember.findings(List.of(well(1)), THREE), Severity.WARNING, "the URL names 1 of 3");
    }

    @Test
    void roomThatRunsOutIsAWarningAndAnAlarmAnError() {
        EtcdMember large = said(2, status -> status.setDbSize(1_900L << 20));
        EtcdMember full = said(3, status -> status.addErrors("memberID:1 alarm:NOSPACE "));
        EtcdMember corrupt = said(3, status -> status.addErrors("memberID:1 alarm:CORRUPT "));

        assertSays(EtcdMember.findings(List.of(large), THREE), Severity.WARNING, "1900 MiB", "full at 2048 MiB");
        assertSays(EtcdMember.findings(List.of(full), THREE), Severity.ERROR, "alarm NOSPACE", "etcdctl alarm disarm");
        assertSays(EtcdMember.findings(List.of(corrupt), THREE), Severity.ERROR, "alarms: memberID:1 alarm:CORRUPT");
    }
}
