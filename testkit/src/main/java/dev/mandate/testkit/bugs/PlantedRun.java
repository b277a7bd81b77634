package dev.mandate.testkit.bugs;

import dev.mandate.testkit.CandidateProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs some tests in their own JVM, with other classes ahead of those under test. Blocks. */
final class PlantedRun {
    private static final Duration AT_MOST = Duration.ofMinutes(10);

    private PlantedRun() {}

    /**
     * The result of a test.
     *
     * @param failure the first line of its message; empty if it passed
     */
    record Outcome(Selected test, Optional<String> failure) {}

    /**
     * Runs {@code tests} and waits for them.
     *
     * @param folder receives the classes and {@code log.txt}
     * @param classes what comes first in the class path, by name
     * @return an outcome for each test, in their order
     * @throws IllegalStateException if a test did not run: it was skipped, could not be started, or took too long
     */
    static List<Outcome> of(Path folder, Map<String, byte[]> classes, List<Selected> tests) {
        Path front = folder.resolve("classes").toAbsolutePath();
        write(front, classes);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        System.getProperties().stringPropertyNames().stream()
                .filter(name ->
                        (name.startsWith("mandate.") || name.startsWith("jdk.net.")) && !name.equals(StoreBugs.PLANTED))
                .sorted()
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.add("-cp");
        command.add(front + File.pathSeparator + System.getProperty("java.class.path"));
        command.add(TestRun.class.getName());
        tests.forEach(test -> command.add(test.toString()));
        List<String> lines;
        try (CandidateProcess process = CandidateProcess.command(command.toArray(String[]::new))
                .named("tests of " + folder.getFileName())
                .start()) {
            try {
                process.awaitExit(AT_MOST);
            } finally {
                log(folder.resolve("log.txt"), process.log());
            }
            lines = process.lines();
        }
        return tests.stream().map(test -> outcome(test, lines, folder)).toList();
    }

    private static Outcome outcome(Selected test, List<String> lines, Path folder) {
        boolean hasPassed = false;
        for (String line : lines) {
            String[] told = line.split("\t", 4);
            if (told.length < 4 || !told[0].equals(TestRun.TOLD)) {
                continue;
            }
            int hash = told[2].indexOf('#');
            if (!test.includes(told[2].substring(0, hash), told[2].substring(hash + 1))) {
                continue;
            }
            if (told[1].equals(TestRun.FAILED)) {
                return new Outcome(test, Optional.of(told[3]));
            }
            hasPassed |= told[1].equals(TestRun.PASSED);
        }
        if (!hasPassed) {
            throw new IllegalStateException(test + " did not run; see " + folder.resolve("log.txt"));
        }
        return new Outcome(test, Optional.empty());
    }

    private static void write(Path front, Map<String, byte[]> classes) {
        try {
            // Removes what an earlier run planted.
            deleteAll(front);
            Files.createDirectories(front);
            for (Map.Entry<String, byte[]> each : classes.entrySet()) {
                Path file = front.resolve(each.getKey().replace('.', '/') + ".class");
                Files.createDirectories(file.getParent());
                Files.write(file, each.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("edited classes can't be written to " + front, e);
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walked = Files.walk(folder)) {
            all = walked.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }

    private static void log(Path file, List<String> lines) {
        try {
            Files.write(file, lines, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can't be written", e);
        }
    }
}
