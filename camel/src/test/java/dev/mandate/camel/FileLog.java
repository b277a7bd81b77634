package dev.mandate.camel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What the lives of all nodes did with the files, and whether each was consumed once. */
final class FileLog {
    private final List<Turn> turns = new ArrayList<>();

    /** One file in one process; {@code doneNanos} is 0 if it never ended there. */
    record Turn(String life, String file, long beginNanos, long doneNanos, boolean mayBeRedone) {}

    /**
     * Adds the lines of a process that has ended, or goes on.
     *
     * @param mayBeRedone whether its last file may be consumed again: it was killed, or stopped by Camel, during it
     */
    void add(String life, List<String> lines, boolean mayBeRedone) {
        Turn open = null;
        List<Turn> all = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (words[1].equals("begin")) {
                if (open != null) {
                    all.add(open);
                }
                open = new Turn(life, words[2], Long.parseLong(words[0]), 0, false);
            } else if (words[1].equals("done")) {
                all.add(new Turn(life, words[2], open.beginNanos, Long.parseLong(words[0]), false));
                open = null;
            }
        }
        if (open != null) {
            all.add(open);
        }
        if (mayBeRedone && !all.isEmpty()) {
            Turn last = all.remove(all.size() - 1);
            all.add(new Turn(life, last.file, last.beginNanos, last.doneNanos, true));
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
                    .as(file + ": " + all)
                    .isNotEmpty();
            assertThat(all.stream().filter(t -> !t.mayBeRedone))
                    .as(file + ": " + all)
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
                    .as("%s before %s", before, after)
                    .isNotZero()
                    .isLessThanOrEqualTo(after.beginNanos);
        }
    }

    /** How often a file was begun again. */
    long redone() {
        return turns.size() - turns.stream().map(Turn::file).distinct().count();
    }

    /** From the last file of one process to the next file, which another one consumed, for those given. */
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
