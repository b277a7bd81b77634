package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.http.Board.Kind;
import dev.mandate.http.Events.Batch;
import dev.mandate.http.Events.Health;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventsTest {
    private static final long SECOND = 1_000_000_000L;

    private final Board board = new Board(100);
    private final Events events = new Events(board, "memory:x");

    private void put(Kind kind, String name, int bytes) {
        String field = kind == Kind.SERVICE ? "name" : "election";
        board.put(kind, name, json -> {
            json.writeStringField(field, name);
            json.writeStringField("filler", "x".repeat(bytes));
        });
    }

    /** The data of each event, by its name. */
    private static Map<String, Map<String, Object>> parsed(byte[] bytes) {
        Map<String, Map<String, Object>> found = new LinkedHashMap<>();
        for (String event : new String(bytes, StandardCharsets.US_ASCII).split("\n\n")) {
            List<String> lines = event.lines().toList();
            assertThat(lines).hasSize(2);
            found.put(
                    lines.get(0).substring("event: ".length()),
                    JsonTree.object(lines.get(1).substring("data: ".length())));
        }
        return found;
    }

    private Map<String, Object> snapshot(long nanos) {
        String head = new String(events.snapshotHead(new Health(true, 12, 34)), StandardCharsets.US_ASCII);
        String rest = new String(events.snapshot(nanos).bytes(), StandardCharsets.US_ASCII);
        assertThat(head).startsWith("retry: 2000\n");
        return parsed((head + rest).substring("retry: 2000\n".length()).getBytes(StandardCharsets.US_ASCII))
                .get("snapshot");
    }

    private static List<Object> names(Object list, String field) {
        return JsonTree.maps(list).stream().map(each -> each.get(field)).toList();
    }

    @Test
    void aSnapshotHasAllThereIsAndSaysHowOldItIs() {
        put(Kind.ELECTION, "a", 1);
        put(Kind.ELECTION, "b", 1);
        put(Kind.QUEUE, "a", 1);
        put(Kind.SERVICE, "s", 1);
        put(Kind.TAKE_OVER, "1", 1);
        board.put(Kind.ELECTION, "b", null);

        Map<String, Object> snapshot = snapshot(0);

        assertThat(snapshot)
                .containsEntry("store", "memory:x")
                .containsEntry("stale", true)
                .containsEntry("ageMillis", 12L)
                .containsEntry("now", 34L);
        assertThat(names(snapshot.get("elections"), "election")).containsExactly("a");
        assertThat(names(snapshot.get("queues"), "election")).containsExactly("a");
        assertThat(names(snapshot.get("services"), "name")).containsExactly("s");
        assertThat(names(snapshot.get("takeOvers"), "election")).containsExactly("1");
    }

    @Test
    void anEmptySnapshotIsWhole() {
        assertThat(snapshot(0))
                .containsEntry("elections", List.of())
                .containsEntry("queues", List.of())
                .containsEntry("services", List.of())
                .containsEntry("takeOvers", List.of());
        assertThat(events.after(0)).isNull();
    }

    @Test
    void aLongSnapshotIsUsedForASecondAndWhatCameSinceFollows() {
        put(Kind.ELECTION, "a", 100_000);
        Batch first = events.snapshot(0);
        put(Kind.ELECTION, "b", 1);

        assertThat(events.snapshot(SECOND)).isSameAs(first);
        assertThat(first.upTo()).isEqualTo(1);
        assertThat(parsed(events.after(first.upTo()).bytes())).containsOnlyKeys("elections");
        assertThat(events.snapshot(SECOND + 1).upTo()).isEqualTo(2);
    }

    @Test
    void aLongSnapshotIsNotUsedAgainOnceWhatWentIsToldNoMore() {
        put(Kind.ELECTION, "a", 100_000);
        put(Kind.ELECTION, "x", 1);
        events.snapshot(0);
        board.put(Kind.ELECTION, "x", null);
        assertThat(events.snapshot(1).upTo()).isEqualTo(2);

        board.told(3);

        assertThat(names(snapshot(2).get("elections"), "election")).containsExactly("a");
        assertThat(events.after(events.snapshot(2).upTo())).isNull();
    }

    @Test
    void whoBeginsAfterSomethingWentKnowsAll() {
        put(Kind.ELECTION, "a", 1);
        put(Kind.ELECTION, "b", 1);
        board.put(Kind.ELECTION, "b", null);
        board.told(Long.MAX_VALUE);

        assertThat(events.after(events.snapshot(0).upTo())).isNull();
    }

    @Test
    void whereWhatCameWentAgainThereIsNothingToTell() {
        put(Kind.ELECTION, "a", 1);
        put(Kind.TAKE_OVER, "1", 1);
        board.drop(Kind.TAKE_OVER, "1");

        Batch batch = events.after(1);

        assertThat(batch.bytes()).isEmpty();
        assertThat(events.after(batch.upTo())).isNull();
    }

    /** What changes while a snapshot or a batch is being made is told behind it. */
    @Test
    void whatGoesWhileASnapshotIsMadeIsToldNext() {
        put(Kind.ELECTION, "goes", 1);
        board.put(Kind.ELECTION, "slow", json -> board.put(Kind.ELECTION, "goes", null));
        for (int i = 0; i < 1_000; i++) {
            put(Kind.SERVICE, "s" + i, 1);
        }

        Batch first = events.snapshot(0);

        assertThat(parsed(events.after(first.upTo()).bytes()).get("elections")).containsEntry("gone", List.of("goes"));
    }

    @Test
    void whatComesBackWhileABatchIsMadeIsToldNext() {
        put(Kind.ELECTION, "back", 1);
        board.put(Kind.ELECTION, "back", null);
        board.put(Kind.ELECTION, "slow", json -> put(Kind.ELECTION, "back", 1));
        for (int i = 0; i < 1_000; i++) {
            put(Kind.SERVICE, "s" + i, 1);
        }

        Batch first = events.after(1);

        assertThat(parsed(first.bytes()).get("elections")).containsEntry("gone", List.of("back"));
        assertThat(names(
                        parsed(events.after(first.upTo()).bytes())
                                .get("elections")
                                .get("changed"),
                        "election"))
                .containsExactly("back");
    }

    @Test
    void aShortSnapshotIsMadeAnewOnceSomethingChanged() {
        put(Kind.ELECTION, "a", 1);
        Batch first = events.snapshot(0);
        assertThat(events.snapshot(10 * SECOND)).isSameAs(first);

        put(Kind.ELECTION, "b", 1);

        assertThat(events.snapshot(10 * SECOND).upTo()).isEqualTo(2);
    }

    @Test
    void whatChangedIsToldByKindAndWhatWentByName() {
        put(Kind.ELECTION, "a", 1);
        put(Kind.ELECTION, "b", 1);
        put(Kind.SERVICE, "s", 1);
        put(Kind.QUEUE, "q", 1);
        long known = board.number();
        put(Kind.ELECTION, "a", 2);
        board.put(Kind.ELECTION, "b", null);
        board.put(Kind.SERVICE, "s", null);
        board.put(Kind.QUEUE, "q", null);
        put(Kind.TAKE_OVER, "1", 1);

        Batch batch = events.after(known);

        Map<String, Map<String, Object>> told = parsed(batch.bytes());
        assertThat(told.keySet()).containsExactly("elections", "queues", "services", "takeOver");
        assertThat(names(told.get("elections").get("changed"), "election")).containsExactly("a");
        assertThat(told.get("elections")).containsEntry("gone", List.of("b"));
        assertThat(told.get("services")).containsEntry("changed", List.of()).containsEntry("gone", List.of("s"));
        assertThat(told.get("queues")).containsEntry("changed", List.of(Map.of("election", "q", "waiting", List.of())));
        assertThat(told.get("takeOver")).containsEntry("election", "1");
        assertThat(batch.upTo()).isEqualTo(board.number());
        assertThat(events.after(batch.upTo())).isNull();
    }

    @Test
    void whoBeganWhenNothingWasThereIsToldOfEverything() {
        long known = events.snapshot(0).upTo();
        put(Kind.ELECTION, "a", 1);
        put(Kind.TAKE_OVER, "1", 1);
        put(Kind.SERVICE, "s", 1);
        board.put(Kind.SERVICE, "s", null);

        assertThat(parsed(events.after(known).bytes()).keySet()).containsExactly("elections", "services", "takeOver");
    }

    @Test
    void thoseWhoKnowTheSameAreToldTheSameBytes() {
        put(Kind.ELECTION, "a", 1);
        put(Kind.ELECTION, "b", 1);

        assertThat(events.after(1)).isSameAs(events.after(1)).isNotSameAs(events.after(0));
    }

    @Test
    void aBatchAndASnapshotAreBoundedAndTheRestFollows() {
        for (int i = 0; i < 3_000; i++) {
            put(Kind.ELECTION, "e" + i, 2_000);
        }

        long told = events.snapshot(0).upTo();
        assertThat(events.snapshot(0).bytes()).hasSizeLessThan(5 * 1024 * 1024);
        assertThat(told).isBetween(1_000L, 2_500L);
        int batches = 0;
        for (Batch next = events.after(told); next != null; next = events.after(told)) {
            assertThat(next.bytes()).hasSizeLessThan(300 * 1024);
            assertThat(next.upTo()).isGreaterThan(told);
            told = next.upTo();
            batches++;
        }
        assertThat(told).isEqualTo(3_000);
        assertThat(batches).isGreaterThan(2);
    }

    @Test
    void healthIsAnEvent() {
        assertThat(parsed(Events.health(new Health(false, 5, 6))))
                .containsEntry("health", Map.of("stale", false, "ageMillis", 5L, "now", 6L));
    }

    @Test
    void whatIsServedIsAsciiOnOneLine() {
        put(Kind.ELECTION, "ä\n\u2028</script>", 1);

        String bytes = new String(events.after(0).bytes(), StandardCharsets.ISO_8859_1);

        assertThat(bytes).matches("\\A[\\x20-\\x7e\\n]*\\z").doesNotContain("ä");
        assertThat(names(parsed(events.after(0).bytes()).get("elections").get("changed"), "election"))
                .containsExactly("ä\n\u2028</script>");
    }
}
