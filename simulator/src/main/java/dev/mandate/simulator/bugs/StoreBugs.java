package dev.mandate.simulator.bugs;

import static dev.mandate.simulator.bugs.PlantedBug.bug;

import dev.mandate.simulator.check.Invariant;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.util.List;

/** Stores that do not keep the contract: edits of the model store. */
final class StoreBugs {
    private static final String STORE = "internal/memory/ModelStore.java";
    private static final String ROWS = "internal/memory/Rows.java";
    private static final String LEASES = "internal/memory/Leases.java";

    private StoreBugs() {}

    static List<PlantedBug> all() {
        return List.of(
                bug(
                                "late-unlock-frees-a-later-term",
                                "The store releases whatever stands there, whatever the basis was.")
                        .of("Consul's bare unlock, spring-projects/spring-integration PR 2116, "
                                + "ShedLock's JetStream unlock")
                        .edit(
                                STORE,
                                "public WriteOutcome release(Observation.Held basis, long nowNanos) { "
                                        + "removeExpired(nowNanos); Row row ="
                                        + " rows.standing(basis); if (row == null) {",
                                "public WriteOutcome release(Observation.Held basis, long nowNanos) { "
                                        + "removeExpired(nowNanos); Row row ="
                                        + " rows.at(basis.key()); if (row == null || row.isVacant()) {")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("one-basis-for-several-writers", "The store grants one expected revision to several writers.")
                        .of("stores that compare and write in two steps")
                        .edit(
                                ROWS,
                                "return (row == null || row.isVacant()) && Version.number(vacant) == "
                                        + "vacantVersion(row);",
                                "return true;")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("lease-expires-early", "The store expires a lease before its time.")
                        .of("etcd-io/etcd#15247, #12528, hashicorp/consul#1290 (live leases revoked)")
                        .edit(
                                LEASES,
                                "lease.expireAt(nowNanos + stretched + slackNanos, expiring);",
                                "lease.expireAt(nowNanos + stretched / 2, expiring);")
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "proclaims-do-not-move-the-version",
                                "A value is written without a new version: an older basis still fits.")
                        .edit(
                                STORE,
                                "row.version = rows.nextRevision(); row.record = record;",
                                "row.version = intent == Intent.PROCLAIM || intent == Intent.ASK_TO_LEAVE ? "
                                        + "row.version : rows.nextRevision();"
                                        + " row.record = record; row.shown = null;")
                        .foundBy(Invariant.RECORD),
                bug("deposed-session-lives-on", "Taking over does not end the session of the deposed, which renews on.")
                        .of("SQL recipes that only overwrite the row")
                        .edit(STORE, "leases.end(old); free(old, 0);", "")
                        .edit(
                                STORE,
                                "return isBySession ? row.isVacant() || row.foreign != null : !row.isVacant();",
                                "return !row.isVacant();")
                        .in(StoreKind.JUDGES_SESSION)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("living-session-deposed", "A challenger deposes a session that was renewed since it looked.")
                        .of("SQL recipes with a time stamp instead of a version")
                        .edit(STORE, "&& old.version == seen.version()) {", ") {")
                        .in(StoreKind.JUDGES_SESSION)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug("full-lease-granted", "The store grants all of a lease that a step of its clock may shorten.")
                        .of("whoever takes a time to live on a server's wall clock for a lease")
                        .edit(STORE, "row.lease.leaseNanos - reserveNanos", "row.lease.leaseNanos")
                        .in(Aim.CLOCK_STEPPED)
                        .in(StoreKind.REMOVES_RECORD)
                        .foundBy(Invariant.BELIEF, Invariant.EFFECTS),
                bug(
                                "expired-renewed-though-taken",
                                "A record whose lease is over is renewed although somebody else has taken the key.")
                        .of("leases named by an id alone, whatever version they were taken on")
                        .edit(
                                STORE,
                                "record == null || row.version != Version.number(basis.basis()) || row.claim "
                                        + "!= null) {",
                                "record == null || row.claim != null) {")
                        .in(StoreKind.REMOVES_RECORD)
                        .foundBy(
                                Invariant.BELIEF, Invariant.EFFECTS, Invariant.RECORD, Invariant.TERMS, Invariant.VIEW),
                bug(
                                "lease-without-a-record-never-ends",
                                "A lease under which no record was written keeps everybody out for ever.")
                        .of("an acquisition of two requests whose client died between them")
                        .edit(
                                LEASES,
                                "row.claim = ofRow(row, leaseNanos, nowNanos);",
                                "row.claim = new Lease(++made, row);")
                        .in(StoreKind.REMOVES_RECORD)
                        .foundBy(Invariant.LEADER, Invariant.CALM),
                bug(
                                "taken-without-a-session",
                                "The second half of an acquisition does not ask whether the own session was "
                                        + "ended meanwhile.")
                        .of("SQL recipes that check the session in a statement of its own")
                        .edit(STORE, "if (isBySession && own == null) { return refused(key); }", "")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.JUDGES_SESSION)
                        .within(15_000)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER, Invariant.BELIEF),
                bug("token-goes-back", "The token is the server's clock, which steps back.")
                        .of("tokens from clocks; stores that were restored or created anew")
                        .edit(STORE, "row.token = Math.max(row.token + 1, wallMillis);", "row.token = wallMillis;")
                        .foundBy(Invariant.TERMS, Invariant.FENCE, Invariant.VIEW),
                bug("dead-session-acquires", "The store lets an ended session acquire; the record then never expires.")
                        .of("etcd-io/etcd#11456, etcd-io/jetcd#686 (grants for leases that are gone)")
                        .edit(STORE, "if (isBySession && own == null) { return refused(key); }", "")
                        .in(Aim.HAUNTED)
                        .in(StoreKind.REMOVES_SESSION)
                        .foundBy(Invariant.LEFTOVERS, Invariant.LEADER));
    }
}
