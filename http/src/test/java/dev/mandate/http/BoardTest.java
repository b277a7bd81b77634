package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.http.Board.Kind;
import dev.mandate.http.Board.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BoardTest {
    private static final Json.Body SOMETHING = json -> {};

    private final Board board = new Board(3);

    private static List<String> names(List<State> states) {
        return states.stream()
                .map(each -> (each.body() == null ? "-" : "") + each.name())
                .toList();
    }

    private void put(String name) {
        board.put(Kind.ELECTION, name, SOMETHING);
    }

    private void remove(String name) {
        board.put(Kind.ELECTION, name, null);
    }

    @Test
    void whoAsksGetsTheNewestOfEachName() {
        put("a");
        put("b");
        put("a");
        put("a");

        assertThat(names(board.after(0, 10))).containsExactly("b", "a");
        assertThat(names(board.after(2, 10))).containsExactly("a");
        assertThat(board.after(4, 10)).isEmpty();
        assertThat(board.number()).isEqualTo(4);
    }

    @Test
    void aPieceIsTakenAtATime() {
        put("a");
        put("b");
        put("c");

        List<State> first = board.after(0, 2);

        assertThat(names(first)).containsExactly("a", "b");
        assertThat(names(board.after(first.get(1).number(), 2))).containsExactly("c");
    }

    @Test
    void whatWentIsRememberedUntilAllWereTold() {
        put("a");
        put("b");
        remove("a");
        assertThat(names(board.after(2, 10))).containsExactly("-a");

        board.told(2);
        assertThat(names(board.after(2, 10))).containsExactly("-a");
        assertThat(board.dropped()).isZero();
        board.told(3);

        assertThat(names(board.after(0, 10))).containsExactly("b");
        assertThat(board.dropped()).isEqualTo(3);
        assertThat(board.forgotten()).isZero();
    }

    @Test
    void whatIsBackIsNotForgotten() {
        put("a");
        remove("a");
        put("a");

        board.told(3);

        assertThat(names(board.after(0, 10))).containsExactly("a");
    }

    @Test
    void whatWasNeverThereNeedNotGo() {
        remove("a");
        put("b");
        remove("b");
        remove("b");

        assertThat(board.number()).isEqualTo(2);
    }

    @Test
    void moreThatWentThanIsRememberedCutsOffWhoWasNotTold() {
        for (String each : List.of("a", "b", "c", "d")) {
            put(each);
            remove(each);
        }

        assertThat(board.forgotten()).isEqualTo(2);
        assertThat(names(board.after(2, 10))).containsExactly("-b", "-c", "-d");
    }

    @Test
    void kindsDoNotMeet() {
        board.put(Kind.ELECTION, "a", SOMETHING);
        board.put(Kind.SERVICE, "a", SOMETHING);
        board.drop(Kind.SERVICE, "a");
        board.drop(Kind.SERVICE, "b");

        assertThat(names(board.after(0, 10))).containsExactly("a");
    }

    /** Readers of any pace who apply what they are told know what there is. */
    @Test
    void everyReaderEndsWithTheWhole() {
        for (long seed = 1; seed <= 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Board all = new Board(1_000);
            Map<String, Long> truth = new HashMap<>();
            List<Map<String, Long>> known = new ArrayList<>();
            long[] told = new long[3];
            for (int i = 0; i < told.length; i++) {
                known.add(new HashMap<>());
            }
            for (int step = 0; step < 200; step++) {
                String name = "n" + random.nextInt(8);
                boolean goes = random.nextInt(3) == 0;
                all.put(Kind.ELECTION, name, goes ? null : SOMETHING);
                if (goes) {
                    truth.remove(name);
                } else {
                    truth.put(name, all.number());
                }
                int reader = random.nextInt(told.length);
                told[reader] = apply(all.after(told[reader], 1 + random.nextInt(4)), known.get(reader), told[reader]);
                if (random.nextInt(5) == 0) {
                    all.told(Math.min(told[0], Math.min(told[1], told[2])));
                }
            }
            for (int i = 0; i < told.length; i++) {
                apply(all.after(told[i], 1_000), known.get(i), told[i]);
                assertThat(known.get(i)).as("seed " + seed).isEqualTo(truth);
            }
        }
    }

    private static long apply(List<State> states, Map<String, Long> known, long told) {
        long last = told;
        for (State each : states) {
            assertThat(each.number()).isGreaterThan(last);
            last = each.number();
            if (each.body() == null) {
                known.remove(each.name());
            } else {
                known.put(each.name(), each.number());
            }
        }
        return last;
    }
}
