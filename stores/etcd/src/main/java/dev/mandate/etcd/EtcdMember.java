package dev.mandate.etcd;

import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import dev.mandate.spi.Finding;
import dev.mandate.support.ClusterFindings;
import dev.mandate.support.StoreAuthority.Host;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.StatusResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A member in the URL, and its status.
 *
 * @param status null if it did not answer
 * @param silence why it did not answer; empty if it did
 */
record EtcdMember(Host host, @Nullable StatusResponse status, String silence) {
    private static final String CLUSTER = "cluster";
    private static final String SPACE = "space";
    private static final String VERSION = "version";
    private static final long MIB = 1 << 20;

    /** The server's default quota; servers do not report theirs. */
    private static final long QUOTA = 2048 * MIB;

    /** How many entries a member may lag behind without a warning. */
    private static final long BEHIND_MAX = 5_000;

    static EtcdMember answered(Host host, StatusResponse status) {
        return new EtcdMember(host, status, "");
    }

    static EtcdMember silent(Host host, String why) {
        return new EtcdMember(host, null, why);
    }

    /**
     * Compares the members' answers.
     *
     * @param known all members of the cluster; empty if not known
     */
    static List<Finding> findings(List<EtcdMember> named, List<Member> known) {
        List<Finding> findings = new ArrayList<>();
        List<EtcdMember> awake = named.stream().filter(m -> m.status != null).toList();
        if (!awake.isEmpty()) {
            findings.add(versions(awake));
            versions(awake, isCluster(awake, named, known), findings);
        }
        for (EtcdMember silent : named) {
            if (silent.status == null) {
                findings.add(
                        awake.isEmpty()
                                ? Finding.error(CLUSTER, silent.host + " does not answer: " + silent.silence)
                                : Finding.warning(
                                        CLUSTER, silent.host + " does not answer, others do: " + silent.silence));
            }
        }
        if (awake.isEmpty()) {
            return findings;
        }
        leader(awake, known, findings);
        size(named, known, findings);
        awake.forEach(member -> member.space(findings));
        findings.add(ClusterFindings.CLOCK);
        return findings;
    }

    private StatusResponse said() {
        return Objects.requireNonNull(status);
    }

    /** If the number of members is not known, those in the URL count. */
    private static boolean isCluster(List<EtcdMember> awake, List<EtcdMember> named, List<Member> known) {
        return Math.max(awake.size(), known.isEmpty() ? named.size() : known.size()) > 1;
    }

    private static Finding versions(List<EtcdMember> awake) {
        TreeMap<String, List<EtcdMember>> byVersion = awake.stream()
                .collect(Collectors.groupingBy(m -> m.said().getVersion(), TreeMap::new, Collectors.toList()));
        String versions = byVersion.entrySet().stream()
                .map(e -> "etcd " + e.getKey() + " at " + hosts(e.getValue()))
                .collect(Collectors.joining(", "));
        if (byVersion.size() > 1) {
            return Finding.warning(VERSION, versions + ": bring all members to one version");
        }
        return Finding.ok(VERSION, versions);
    }

    /** The known bugs of each version, reported once per version. */
    private static void versions(List<EtcdMember> awake, boolean isCluster, List<Finding> findings) {
        awake.stream().map(m -> m.said().getVersion()).distinct().sorted().forEach(text -> {
            Optional<EtcdVersion> version = EtcdVersion.parse(text);
            if (isCluster && version.filter(EtcdVersion::mayDisagree).isPresent()) {
                findings.add(Finding.error(
                        VERSION,
                        "in etcd " + text + " members may come to hold different data (mended in 3.5.3); upgrade"));
            }
            if (isCluster && version.filter(EtcdVersion::revokesEarly).isPresent()) {
                findings.add(Finding.error(
                        VERSION,
                        "etcd " + text + ": " + EtcdVersion.REVOKES_EARLY + ", and two may lead until the former one"
                                + " hears of that; upgrade. Candidates refuse this cluster unless their URL says "
                                + EtcdUrl.STALE_LEADER + "=accept"));
            }
            if (version.filter(EtcdVersion::isTested).isEmpty()) {
                findings.add(
                        Finding.warning(VERSION, "Mandate was never run on etcd " + text + ", only on 3.4 and 3.5"));
            }
        });
    }

    private static String hosts(List<EtcdMember> members) {
        return members.stream().map(m -> m.host.toString()).collect(Collectors.joining(", "));
    }

    private static void leader(List<EtcdMember> awake, List<Member> known, List<Finding> findings) {
        List<EtcdMember> lost =
                awake.stream().filter(m -> m.said().getLeader() == 0).toList();
        for (EtcdMember member : lost) {
            findings.add(
                    lost.size() == awake.size()
                            ? Finding.error(
                                    CLUSTER,
                                    member.host
                                            + " has no leader: no majority of the members is connected; no leader can be"
                                            + " elected until one is")
                            : Finding.warning(CLUSTER, member.host + " has no leader: it is cut off from the others"));
        }
        for (EtcdMember member : awake) {
            long behind = member.said().getRaftIndex() - member.said().getRaftAppliedIndex();
            if (behind > BEHIND_MAX) {
                findings.add(Finding.warning(
                        CLUSTER, member.host + " is " + behind + " entries behind: too slow a disk or processor"));
            }
            if (member.said().getIsLearner()) {
                findings.add(Finding.warning(
                        CLUSTER, member.host + " is a learner, which answers no reads; leave it out of the URL"));
            }
        }
        awake.stream().filter(m -> m.said().getLeader() != 0).findFirst().ifPresent(member -> {
            long leader = member.said().getLeader();
            String name = known.stream()
                    .filter(m -> m.getID() == leader)
                    .map(m -> "'" + m.getName() + "'")
                    .findFirst()
                    .orElse(Long.toHexString(leader));
            findings.add(Finding.ok(
                    CLUSTER,
                    name + " is the leader, in raft term " + member.said().getRaftTerm() + "; " + awake.size()
                            + " of the members in the URL answer"));
        });
    }

    private static void size(List<EtcdMember> named, List<Member> known, List<Finding> findings) {
        int count = (int) known.stream().filter(m -> !m.getIsLearner()).count();
        if (count == 0) {
            return;
        }
        findings.add(ClusterFindings.size(count, "member"));
        for (Member member : known) {
            if (member.getName().isEmpty()) {
                findings.add(Finding.warning(
                        CLUSTER,
                        "the member with the peer URLs " + member.getPeerURLsList()
                                + " was added, but never started; start it or remove it"));
            }
        }
        if (named.size() < count) {
            findings.add(Finding.warning(
                    CLUSTER,
                    "the URL names " + named.size() + " of " + count
                            + ": list all of them, or the others are not found when these are down"));
        }
    }

    private void space(List<Finding> findings) {
        StatusResponse said = said();
        long size = said.getDbSize();
        String figures = host + ": database of " + (size + MIB - 1) / MIB + " MiB, "
                + (said.getDbSizeInUse() + MIB - 1) / MIB + " MiB of it in use";
        List<String> alarms = said.getErrorsList().stream()
                .filter(error -> error.contains("alarm:"))
                .map(error -> Excerpt.line(error, Causes.LINE_MAX))
                .toList();
        if (alarms.stream().anyMatch(alarm -> alarm.contains("NOSPACE"))) {
            findings.add(Finding.error(
                    SPACE,
                    figures
                            + ", alarm NOSPACE: leaders go on, no new one can be elected; compact and defragment it, then"
                            + " etcdctl alarm disarm"));
        } else if (!alarms.isEmpty()) {
            findings.add(Finding.error(SPACE, figures + ", alarms: " + String.join(", ", alarms)));
        } else if (size > QUOTA / 5 * 4) {
            findings.add(Finding.warning(
                    SPACE,
                    figures + "; unless --quota-backend-bytes says otherwise it is full at " + QUOTA / MIB
                            + " MiB: compact and defragment it"));
        } else {
            findings.add(Finding.ok(SPACE, figures));
        }
    }
}
