package dev.mandate.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The program of a real server in a version that tests allow, or why there is none. The script
 * {@code testkit/servers/servers} finds it, and its {@code --help} says where; names are those of its lock file, for
 * instance {@code etcd-3.4}.
 *
 * <p>The script is searched for in the working directory and the folders above it, or is named by the system property
 * {@code mandate.servers.script}. Immutable.
 */
public final class ServerBinary {
    /** Only a backstop: the script has its own time limit. */
    private static final Duration FIND_WITHIN = Duration.ofMinutes(20);

    private final String name;
    private final @Nullable Path path;
    private final boolean isFetched;
    private final String reason;

    /** By script and name. */
    private static final Map<String, ServerBinary> FOUND = new ConcurrentHashMap<>();

    private ServerBinary(String name, @Nullable Path path, boolean isFetched, String reason) {
        this.name = name;
        this.path = path;
        this.isFetched = isFetched;
        this.reason = reason;
    }

    /**
     * Looks for the server of that name; fetches it if the script is allowed to, which may take minutes. Remembers what
     * it found in this JVM: on a machine full of tests even asking for a version may take long. Never fails: without a
     * program {@link #path} is empty and {@link #reason} says why.
     */
    public static ServerBinary named(String name) {
        Optional<Path> script = script();
        if (script.isEmpty()) {
            return none(name, "there is no testkit/servers/servers in the working directory or above it");
        }
        String asked = script.get() + " " + name;
        @Nullable ServerBinary before = FOUND.get(asked);
        if (before != null) {
            return before;
        }
        ServerBinary answer = ask(script.get(), List.of("path", "--long"), name);
        if (answer.path().isPresent()) {
            FOUND.put(asked, answer);
        }
        return answer;
    }

    static ServerBinary ask(Path script, List<String> arguments, String name) {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(arguments);
        command.add(name);
        try {
            Path output = Files.createTempFile("mandate-server", ".out");
            Path error = Files.createTempFile("mandate-server", ".err");
            try {
                return run(command, output, error, name);
            } finally {
                Files.delete(output);
                Files.delete(error);
            }
        } catch (IOException e) {
            return none(name, script + " can't be run: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return none(name, "the search was interrupted");
        }
    }

    private static ServerBinary run(List<String> command, Path output, Path error, String name)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .redirectError(error.toFile())
                .start();
        try {
            if (!process.waitFor(FIND_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                return none(name, command + " did not end within " + FIND_WITHIN.toMinutes() + " min");
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String said = Files.readString(error, StandardCharsets.UTF_8).strip();
        // State, version, path.
        String[] line = Files.readString(output, StandardCharsets.UTF_8).strip().split("\t", -1);
        if (process.exitValue() != 0 || line.length != 3) {
            return none(name, said.isEmpty() ? command + " said nothing" : said);
        }
        if (!said.isEmpty()) {
            System.out.println(said);
        }
        return new ServerBinary(name, Path.of(line[2]), line[0].equals("fetched"), "");
    }

    private static ServerBinary none(String name, String reason) {
        return new ServerBinary(name, null, false, reason);
    }

    private static Optional<Path> script() {
        @Nullable String setting = System.getProperty("mandate.servers.script");
        if (setting != null) {
            return Optional.of(Path.of(setting));
        }
        for (@Nullable Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path script = folder.resolve("testkit/servers/servers");
            if (Files.isExecutable(script)) {
                return Optional.of(script);
            }
        }
        return Optional.empty();
    }

    /** The name it was searched by. */
    public String name() {
        return name;
    }

    /** The path of the program; empty if there is none of an allowed version. */
    public Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    /** Why there is none, and what would help; empty text if there is one. */
    public String reason() {
        return reason;
    }

    /** Whether it was fetched for tests, now or earlier, rather than found on this machine. */
    public boolean isFetched() {
        return isFetched;
    }

    /**
     * The path of the program; if there is none, skips the running test, or fails it if this server is demanded.
     *
     * @see ServerFixture#missing
     */
    public Path require() {
        return require(ServerFixture.named(name));
    }

    Path require(ServerFixture fixture) {
        if (path == null) {
            throw fixture.missing(reason);
        }
        return path;
    }

    /** Reports that it runs, with the version it reported. */
    void report(String version) {
        ServerFixture fixture = ServerFixture.named(name);
        if (isFetched) {
            fixture.fetched(version);
        } else {
            fixture.found(version);
        }
    }

    @Override
    public String toString() {
        return name + " (" + (path == null ? "missing: " + reason : path) + ")";
    }
}
