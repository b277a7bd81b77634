package dev.mandate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * Says whether a real server was there for a test, so that a missing one is never silent: it is printed, written to
 * {@code target/servers/NAME.txt}, counted as skipped, and a failure where servers are demanded.
 *
 * <p>The environment variable {@code MANDATE_SERVERS_REQUIRED} or the system property {@code mandate.servers.required}
 * demands servers: names separated by commas, or {@code all}.
 *
 * <p>The file has one line, {@code name TAB state TAB text}: state is {@code found}, {@code fetched} or
 * {@code missing}, text is the version that the running server reported, or the reason. Its folder is the system
 * property {@code mandate.servers.dir}.
 */
public final class ServerFixture {
    private static final String REQUIRED_PROPERTY = "mandate.servers.required";
    private static final String REQUIRED_VARIABLE = "MANDATE_SERVERS_REQUIRED";

    private final String name;
    private final Path directory;
    private final String required;

    ServerFixture(String name, Path directory, String required) {
        if (!name.matches("[a-z0-9][a-z0-9.-]{0,63}")) {
            throw new IllegalArgumentException("name of a server is '" + name
                    + "', must be 1 to 64 of a-z, 0-9, - and ., not beginning with - or .");
        }
        this.name = name;
        this.directory = directory;
        this.required = required;
    }

    /**
     * The report on one server.
     *
     * @param name as in {@code MANDATE_SERVERS_REQUIRED}: lower-case letters, digits, {@code -} and {@code .}
     */
    public static ServerFixture named(String name) {
        @Nullable String variable = System.getenv(REQUIRED_VARIABLE);
        String required = System.getProperty(REQUIRED_PROPERTY, variable == null ? "" : variable);
        return new ServerFixture(name, Path.of(System.getProperty("mandate.servers.dir", "target/servers")), required);
    }

    /** The server runs. {@code version} is what it reported. */
    public void found(String version) {
        report("found", version);
    }

    /** The same for a server that was fetched for tests. */
    public void fetched(String version) {
        report("fetched", version);
    }

    /**
     * There is no server: skips the running test, or fails it if this server is demanded. Never returns.
     *
     * @param reason what was searched for, and what would help
     * @return nothing; declared so that a caller can write {@code throw fixture.missing(…)}
     * @throws TestAbortedException if the server is not demanded
     * @throws AssertionError if it is
     */
    public RuntimeException missing(String reason) {
        report("missing", reason);
        if (isRequired()) {
            throw new AssertionError(
                    "server " + name + " is missing and " + REQUIRED_VARIABLE + " demands it: " + reason);
        }
        throw new TestAbortedException("server " + name + " is missing: " + reason);
    }

    /** Whether its absence is a failure. */
    public boolean isRequired() {
        return Stream.of(required.split(",")).map(String::trim).anyMatch(r -> r.equals(name) || r.equals("all"));
    }

    /** The first of these that is an executable file; a bare name is searched for on the {@code PATH}. */
    public static Optional<Path> program(List<String> candidates) {
        @Nullable String path = System.getenv("PATH");
        for (String candidate : candidates) {
            Stream<Path> places = candidate.contains("/")
                    ? Stream.of(Path.of(candidate))
                    : Stream.of((path == null ? "" : path).split(":")).map(dir -> Path.of(dir, candidate));
            Optional<Path> program = places.filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                    .findFirst();
            if (program.isPresent()) {
                return program;
            }
        }
        return Optional.empty();
    }

    private void report(String state, String text) {
        String line = name + "\t" + state + "\t" + text.replaceAll("\\s+", " ").strip();
        System.out.println("[server] " + line.replace('\t', ' '));
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(name + ".txt"), line + "\n", StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("report on server " + name + " can't be written to " + directory, e);
        }
    }
}
