package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What the lives of all nodes did with the files, and whether each was consumed once. */
final class FileLog {
    private static final int LINES_SHOWN = 4;

    private final List<Turn> turns = new ArrayList<>();
    private final Map<String, List<String>> said = new TreeMap<>();

    /** One file in one process; {@code doneNanos} is 0 if it never ended there. */
    record Turn(String life, String file, long beginNanos, long doneNanos, boolean mayBeRedone) {
        Turn done(long nanos) {
            return new Turn(life, file, beginNanos, nanos, mayBeRedone);
        }

        Turn redone() {
            return new Turn(life, file, beginNanos, doneNanos, true);
        }
    }

    /**
     * Adds the lines of a process that has ended.
     *
     * @param isKilled whether it was killed, so that its last file may be consumed again
     * @param isInterrupted whether the file at each loss may be, too: Camel interrupts what {@code master:} has in
     *     flight, and leaves its file where it was
     */
    void add(String life, List<String> lines, boolean isKilled, boolean isInterrupted) {
        said.put(life, List.copyOf(lines));
        Deque<Turn> all = new ArrayDeque<>();
        boolean isLost = false;
        for (String line : lines) {
            String[] words = line.split(" ");
            long nanos = Long.parseLong(words[0]);
            switch (words[1]) {
                case "begin" -> all.add(new Turn(life, words[2], nanos, 0, isLost));
                case "done" -> {
                    Turn begun = all.removeLast();
                    assertThat(begun.file).as(life + " said " + line).isEqualTo(words[2]);
                    all.add(begun.done(nanos));
                }
                case "leads" -> {
                    isLost = isInterrupted && words[2].equals("false");
                    if (isLost && !all.isEmpty()) {
                        all.add(all.removeLast().redone());
                    }
                }
                default -> throw new AssertionError(life + " said " + line);
            }
        }
        if (isKilled && !all.isEmpty()) {
            all.add(all.removeLast().redone());
        }
        turns.addAll(all);
    }

    /** Each of these files was done, and by one process, unless a process was interrupted during it. */
    void check(Set<String> files) {
        Map<String, List<Turn>> byFile = new TreeMap<>();
        turns.forEach(
                t -> byFile.computeIfAbsent(t.file, f -> new ArrayList<>()).add(t));
        assertThat(byFile.keySet()).as("files consumed").isEqualTo(files);
        byFile.forEach((file, all) -> {
            assertThat(all.stream().filter(t -> t.doneNanos != 0))
                    .as(() -> file + ": " + all + around(file))
                    .isNotEmpty();
            assertThat(all.stream().filter(t -> !t.mayBeRedone))
                    .as(() -> file + ": " + all + around(file))
                    .hasSizeLessThanOrEqualTo(1);
        });
        List<Turn> ordered = turns.stream()
                .filter(t -> !t.mayBeRedone)
                .sorted(Comparator.comparingLong(Turn::beginNanos))
                .toList();
        for (int i = 1; i < ordered.size(); i++) {
            Turn before = ordered.get(i - 1);
            Turn after = ordered.get(i);
            assertThat(before.doneNanos)
                    .as(() -> before + " before " + after + around(before.file) + around(after.file))
                    .isNotZero()
                    .isLessThanOrEqualTo(after.beginNanos);
        }
    }

    /** What every process said around this file, and when it led. */
    private String around(String file) {
        StringBuilder text = new StringBuilder();
        said.forEach((life, lines) -> {
            for (int i = 0; i < lines.size(); i++) {
                List<String> near =
                        lines.subList(Math.max(0, i - LINES_SHOWN), Math.min(lines.size(), i + LINES_SHOWN + 1));
                if (lines.get(i).contains(" leads ") || near.stream().anyMatch(line -> line.endsWith(" " + file))) {
                    text.append("\n").append(life).append(": ").append(lines.get(i));
                }
            }
        });
        return text.toString();
    }

    /** How often a file was begun again. */
    long redone() {
        return turns.size() - turns.stream().map(Turn::file).distinct().count();
    }

    /** From the last file of one process to the next one, which another process consumed. */
    long nanosAfter(String life) {
        long last = turns.stream()
                .filter(t -> t.life.equals(life))
                .mapToLong(Turn::doneNanos)
                .max()
                .orElseThrow();
        return turns.stream()
                        .filter(t -> !t.life.equals(life) && t.beginNanos > last)
                        .mapToLong(Turn::beginNanos)
                        .min()
                        .orElseThrow()
                - last;
    }
}
