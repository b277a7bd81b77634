package dev.mandate.peers.register;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.bugs.Edit;
import dev.mandate.testkit.bugs.EditedClasses;
import dev.mandate.testkit.bugs.EditedSources;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Known mistakes, planted one at a time in the sources of the register; each must be found. */
@Tag("long")
class RegisterBugsTest {
    /**
     * A mistake.
     *
     * @param finder what must find it
     * @param edits each file, what stands in it once, and what stands there instead
     */
    private record Bug(String name, Finder finder, List<Edit> edits) {}

    private static Bug bug(String name, Finder finder, String... edits) {
        return new Bug(
                name,
                finder,
                Stream.iterate(0, i -> i < edits.length, i -> i + 3)
                        .map(i -> new Edit(edits[i], edits[i + 1], edits[i + 2]))
                        .toList());
    }

    private static final List<Bug> BUGS = List.of(
            bug(
                    "majority-off-by-one",
                    Finder.EXPLORER,
                    "Group.java",
                    "return voters / 2 + 1;",
                    "return Math.max(1, voters / 2);"),
            bug(
                    "voter-counted-twice",
                    Finder.EXPLORER,
                    "Ballot.java",
                    "accepted |= 1 << voter;",
                    "accepted = accepted << 1 | 1;"),
            bug(
                    "promise-forgotten",
                    Finder.EXPLORER,
                    "KeyTable.java",
                    "return epoch.counter() > promised(key);",
                    "return true;"),
            bug(
                    "counter-tied",
                    Finder.DIRECTED,
                    "KeyTable.java",
                    "return epoch.counter() > promised(key);",
                    "return entry == null ? epoch.counter() > floor : epoch.compareTo(entry.promised) > 0;"),
            bug(
                    "basis-ignored",
                    Finder.EXPLORER,
                    "Proposal.java",
                    "if (currentWrite.equals(wanted.basis())) {",
                    "if (currentWrite.counter() >= 0) {"),
            bug(
                    "first-promise-instead-of-highest",
                    Finder.WALKS,
                    "Ballot.java",
                    "if (vote != null && (highest == null || vote.epoch().compareTo(highest.epoch()) > 0)) {",
                    "if (vote != null && highest == null) {"),
            bug(
                    "unchosen-value-read",
                    Finder.EXPLORER_READ,
                    "ReadAnswers.java",
                    "return same >= group.majority();",
                    "return same > 0;"),
            bug(
                    "replaced-by-what-nobody-chose-told-as-written",
                    Finder.EXPLORER_REPLACED,
                    "Proposal.java",
                    "return isChosen ? end(before) : accept(current, ageNanos, before, now);",
                    "return end(before);"),
            bug(
                    "ceiling-not-kept",
                    Finder.DIRECTED,
                    "Voter.java",
                    "table.promiseBelow(durable.ceiling());",
                    "table.promiseBelow(1);"),
            bug(
                    "persisted-late",
                    Finder.DIRECTED,
                    "Voter.java",
                    "if (counter >= durable.ceiling()) {",
                    "if (counter >= asked.ceiling()) {"),
            bug(
                    "ceiling-not-learnt",
                    Finder.DIRECTED,
                    "Joining.java",
                    "durable.ceiling(), answers().mapToLong(Message.Welcome::height).max().orElse(0));",
                    "durable.ceiling(), 0);"),
            bug(
                    "start-id-not-compared",
                    Finder.DIRECTED,
                    "Ballot.java",
                    "if (promise != null && !isVoid(voter, promise)) {",
                    "if (promise != null) {"),
            bug(
                    "accept-after-the-deadline",
                    Finder.DIRECTED,
                    "Proposal.java",
                    "return now.nanos() - settings.deadlineNanos() >= 0;",
                    "return false;"),
            bug(
                    "quarantine-missing",
                    Finder.WALKS,
                    "Voter.java",
                    "this.quarantineEndsNanos = nowNanos + longestNanos;",
                    "this.quarantineEndsNanos = nowNanos;"),
            bug(
                    "quarantine-halved",
                    Finder.WALKS,
                    "Voter.java",
                    "this.quarantineEndsNanos = nowNanos + longestNanos;",
                    "this.quarantineEndsNanos = nowNanos + longestNanos / 2;"),
            bug(
                    "value-forgotten-early",
                    Finder.WALKS,
                    "KeyTable.java",
                    "? 2 * quarantineNanos : quarantineNanos;",
                    "? quarantineNanos / 2 : quarantineNanos / 2;"),
            bug("refused-for-what-may-be-forgotten-first", Finder.DIRECTED, "Proposal.java", " || isOlder) {", ") {"),
            bug(
                    "refused-for-what-only-some-say-is-young",
                    Finder.DIRECTED,
                    "Proposal.java",
                    "isChosen && oldestNanos <= roundAfterNanos;",
                    "isChosen;"),
            bug(
                    "completed-value-counts-as-new",
                    Finder.DIRECTED,
                    "KeyTable.java",
                    "entry.votedNanos = isYounger ? entry.votedNanos : votedNanos;",
                    "entry.votedNanos = nowNanos;"),
            bug(
                    "epoch-never-old",
                    Finder.DIRECTED,
                    "Proposal.java",
                    "return isRound && now.nanos() - roundUntilNanos >= 0;",
                    "return false;"),
            bug(
                    "promise-repeated-below-the-ceiling",
                    Finder.DIRECTED,
                    "KeyTable.java",
                    "return epoch.counter() > base;",
                    "return true;"),
            bug(
                    "floor-not-kept",
                    Finder.DIRECTED,
                    "KeyTable.java",
                    "floor = Math.max(floor, entry.promised.counter());",
                    "floor = Math.max(floor, base);"),
            bug(
                    "lease-above-the-quarantine",
                    Finder.DIRECTED,
                    "Voter.java",
                    "if (record != null && isTooLong(record)) {",
                    "if (record != null && record.lease().isZero()) {"),
            bug(
                    "contradiction-overwritten",
                    Finder.DIRECTED,
                    "Voter.java",
                    "if (!known.equals(join.start()) && includes(join, known)) {",
                    "if (!known.equals(join.start())) {"));

    @TestFactory
    Stream<DynamicTest> isFound() {
        return BUGS.stream()
                .map(bug -> DynamicTest.dynamicTest(bug.name(), () -> {
                    Optional<String> found = look(bug);
                    System.out.println("planted bug " + bug.name() + ": "
                            + found.map(each -> each.substring(0, Math.min(90, each.length())))
                                    .orElse("NOT FOUND"));
                    assertThat(found).as("%s by %s", bug.name(), bug.finder()).isPresent();
                }));
    }

    @TestFactory
    Stream<DynamicTest> nothingIsFoundWhereNothingIsPlanted() {
        return Stream.of(Finder.values())
                .filter(finder -> finder != Finder.WALKS)
                .map(finder -> DynamicTest.dynamicTest(
                        finder.name(), () -> assertThat(finder.get()).isEmpty()));
    }

    @SuppressWarnings("unchecked")
    private static Optional<String> look(Bug bug) throws ReflectiveOperationException {
        EditedClasses classes = new EditedClasses(EditedSources.of(bug.name(), bug.edits(), RegisterBugsTest.class)
                .compile(System.getProperty("java.class.path")));
        Object[] finders = classes.loadClass(Finder.class.getName()).getEnumConstants();
        return ((Supplier<Optional<String>>) finders[bug.finder().ordinal()]).get();
    }
}
