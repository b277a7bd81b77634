package dev.mandate.jdbc;

import static dev.mandate.testkit.bugs.StoreBug.bug;

import dev.mandate.testkit.bugs.StoreBug;
import dev.mandate.testkit.bugs.StoreBugs;
import java.util.List;

/** Mistakes that can be made on SQL databases. */
class JdbcStoreBugsTest extends StoreBugs {
    @Override
    protected List<StoreBug> bugs() {
        return List.of(
                bug("connection-given-away-first", "A connection goes back to the pool before there is another one.")
                        .edit(
                                "Worker.java",
                                "if (connector.isUnderWay()) { Link other = connector.take(0);",
                                "if (!connector.isUnderWay()) { connector.giveBack(old);"
                                        + " connector.begin(CONNECT_MAX_MILLIS); Link other = connector.take(2_000);")
                        .foundBy("PostgresPoolsServerIT#aConnectionIsKeptWhileThePoolHasNoOther"),
                bug("commit-without-the-disk", "What the server confirms is as durable as its user's default.")
                        .edit("PostgresDatabase.java", "WHEN 'off' THEN 'on'", "WHEN 'off' THEN 'off'")
                        .foundBy("PgBouncerServerIT#everyWriteWaitsForTheDiskWhateverSessionItRunsIn"),
                bug("lock-waited-for-beyond-the-call", "The call is over when the server gives up waiting for a lock.")
                        .edit("PostgresDatabase.java", "Long.toString(lockMillis)", "\"1000\"")
                        .foundBy("PostgresBadInputServerIT#aLockedRowIsUnknownAndNoLoss"),
                bug("settings-stay", "Other programs' transactions get Mandate's isolation.")
                        .edit(
                                "PostgresDatabase.java",
                                "SET transaction_isolation =",
                                "SET default_transaction_isolation =")
                        .foundBy(
                                "PostgresPoolsServerIT#aUsersConnectionGoesBackAsItCame",
                                "PgBouncerServerIT#nothingStaysOnTheSessionsOfOthers"),
                bug("hanging-writes-pile-up", "Each call that hangs in its commit leaves a session behind.")
                        .edit("Worker.java", "if (isAbandoned) {", "if (isAbandoned && what.isEmpty()) {")
                        .foundBy("PostgresStandbyServerIT#commitsThatWaitForAStandbyDoNotPileUp"),
                bug("fence-without-the-disk", "A server that crashes forgets which tokens the fence has seen.")
                        .edit("FenceTimeouts.java", ".contains(\"off\")", ".contains(\"never\")")
                        .foundBy("PostgresFenceServerIT#everyTokenWaitsForTheDisk"),
                bug("depose-whoever-renewed", "A challenger ends a session that was renewed since it looked.")
                        .edit(
                                "Sql.java",
                                "SET ended = 1, version = version + 1\" + \" WHERE id = ? AND version = ? AND ended = 0",
                                "SET ended = 1, version = version + 1\" + \" WHERE id = ? AND version >= ? AND ended = 0")
                        .foundBy(
                                "SqliteStoreTest#aRenewalBeforeTheDeposingKeepsTheHolder",
                                "PostgresStoreServerIT#aRenewalBeforeTheDeposingKeepsTheHolder"),
                bug("former-file", "A file that was replaced is gone on with.")
                        .edit(
                                "SqliteSource.java",
                                "if (file != null && link.file != null && !link.file.equals(key(file))) {",
                                "if (file != null && link.file != null && !link.file.equals(link.file)) {")
                        .foundBy(
                                "SqliteBadInputTest#aFileThatWasReplacedIsNotedAndLedByNobody",
                                "SqlitePoolsTest#aFileThatWasReplacedIsLedByNobody"),
                bug("erased-for-good", "Versions and tokens of a row that was erased start again at the clock.")
                        .edit("Sql.java", "raise(\"max(\" + next + \", ?)\",", "raise(\"max(version, 0 * ?)\",")
                        .edit("Sql.java", "raise(\"greatest(version, ?)\",", "raise(\"greatest(version, 0 * ?)\",")
                        .edit("Sql.java", "\", term = \" + larger", "\", term = 0 * \" + larger")
                        .foundBy(
                                "SqliteStoreTest#versionAndTokenRiseOverAnEraseWhateverTheClockSays",
                                "SqliteStoreTest#theNextVersionOfAFileIsLargerThanThatOfARowThatWent",
                                "PostgresStoreServerIT#versionAndTokenRiseOverAnEraseWhateverTheClockSays"),
                bug("erase-overtaken", "A first write that overlaps an erase takes the place of what goes.")
                        .edit("Sql.java", "\" FOR SHARE OF m\"", "\"\"")
                        .foundBy("PostgresStoreServerIT#aFirstWriteThatOverlapsAnEraseIsRefused"),
                bug("erase-of-whatever-is-vacant", "An erase on an old basis removes a later vacancy.")
                        .edit("Mark.java", "sql.erase(),", "sql.erase().replace(\"version = ?\", \"version >= ?\"),")
                        .edit("Sql.java", "x.path = ? AND x.version = ?", "x.path = ? AND x.version >= ?")
                        .foundBy("SqliteConformanceTest#anEraseOnAnOldBasisIsRefused"),
                bug("erase-unheard", "Who watches is not told of what was erased before it was read.")
                        .edit("SqliteWatch.java", "erased.forEach(this::tellGap);", "")
                        .edit("Sql.java", "told(ERASE + \" RETURNING path\", \"path\")", "ERASE")
                        .foundBy(
                                "SqliteStoreTest#whatAnEndedSessionKeptIsToldThoughItIsErasedBeforeItIsRead",
                                "PostgresStoreServerIT#whatAnEndedSessionKeptIsToldThoughItIsErasedBeforeItIsRead"),
                bug("hints-for-everybody", "Each watch of a store tells of what any of them watches.")
                        .edit("SqlWatch.java", "if (observation.key().isBelow(listener.prefix())) {", "if (true) {")
                        .foundBy(
                                "SqliteStoreTest#eachWatchTellsWhatIsBelowItsPrefix",
                                "PostgresStoreServerIT#eachWatchTellsWhatIsBelowItsPrefix"),
                bug("password-read-once", "A password that was changed is never read again.")
                        .edit(
                                "PostgresSource.java",
                                "String first = password.forLogin();",
                                "String first = password.current();")
                        .edit("PostgresSource.java", "&& password.rejected(first)) {", "&& first.isEmpty()) {")
                        .foundBy("PostgresRotationServerIT#aTermOutlivesRotatedPasswords"));
    }
}
