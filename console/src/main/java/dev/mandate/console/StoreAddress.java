package dev.mandate.console;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.peers.url.GroupScheme;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The store that a command talks to. May hold a secret, which {@link #toString()} hides. */
public final class StoreAddress {
    /** The variable that holds the store's URL, which may hold a password. */
    public static final String URL_VARIABLE = "MANDATE_STORE";

    /** The variable that names a file whose first line is the store's URL. */
    public static final String FILE_VARIABLE = "MANDATE_STORE_FILE";

    private static final int FILE_BYTES_MAX = 64 * 1024;

    private static final Set<String> SECRET_VARIABLES = ServiceLoader.load(ElectionStoreProvider.class).stream()
            .flatMap(provider -> provider.get().secretVariables().stream())
            .collect(Collectors.toUnmodifiableSet());

    private final String url;
    private final StoreUrl parsed;
    private final boolean mayCreate;

    private StoreAddress(String url) {
        this(url, true);
    }

    private StoreAddress(String url, boolean mayCreate) {
        this.url = url;
        this.mayCreate = mayCreate;
        this.parsed = mayCreate ? StoreUrl.parse(url) : StoreUrl.parse(url).onlyExisting();
    }

    /**
     * The store given as an argument, else by the environment, else a file in the user's data folder, which is created
     * if it is missing.
     *
     * @throws Failure if what was given is unusable; names it, without secrets
     */
    public static StoreAddress resolve(@Nullable String argument, Map<String, String> environment) {
        return given(argument, environment).orElseGet(() -> embedded(environment));
    }

    /**
     * Like {@link #resolve}, for a command that only reads: creates nothing in the store, so opening fails if something
     * is missing.
     *
     * @throws Failure if what was given is unusable, or there is no default store yet
     */
    public static StoreAddress existing(@Nullable String argument, Map<String, String> environment) {
        StoreAddress address = given(argument, environment).orElseGet(() -> existingEmbedded(environment));
        return new StoreAddress(address.url, false);
    }

    private static Optional<StoreAddress> given(@Nullable String argument, Map<String, String> environment) {
        if (argument != null) {
            return Optional.of(fromArgument(argument));
        }
        String variable = environment.getOrDefault(URL_VARIABLE, "");
        String file = environment.getOrDefault(FILE_VARIABLE, "");
        if (!variable.isEmpty() && !file.isEmpty()) {
            throw new Failure(
                    ExitCode.BAD_INPUT, URL_VARIABLE + " and " + FILE_VARIABLE + " are both set; set only one of them");
        }
        if (!variable.isEmpty()) {
            return Optional.of(new StoreAddress(variable));
        }
        return file.isEmpty() ? Optional.empty() : Optional.of(fromFile(file));
    }

    private static StoreAddress fromArgument(String argument) {
        StoreAddress address = new StoreAddress(argument);
        if (address.parsed.holdsSecret()) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "the store URL " + address
                            + " holds a secret, and arguments can be read by everybody on this machine (ps);"
                            + " set " + URL_VARIABLE + " to the URL, or " + FILE_VARIABLE
                            + " to a file that holds it, and leave the argument out");
        }
        return address;
    }

    /** {@code text}, which may be a store URL, without its secrets. */
    static String masked(String text) {
        try {
            StoreUrl url = StoreUrl.parse(text);
            return url.holdsSecret() ? url.toString() : text;
        } catch (IllegalArgumentException e) {
            // It is unknown which part is secret, so all of it is hidden.
            return text.contains("://") ? "***" : text;
        }
    }

    /** {@code text}, which may quote {@code args}, without the secrets of store URLs among them. */
    static String masked(String text, String[] args) {
        String clean = text;
        for (String arg : args) {
            String url = arg.startsWith("-") ? arg.substring(arg.indexOf('=') + 1) : arg;
            if (url.contains(":")) {
                clean = clean.replace(url, masked(url));
            }
        }
        return clean;
    }

    private static StoreAddress fromFile(String file) {
        byte[] content;
        try {
            Path path = Path.of(file);
            if (Files.size(path) > FILE_BYTES_MAX) {
                throw new Failure(
                        ExitCode.BAD_INPUT,
                        FILE_VARIABLE + " names " + file + ", which has more than " + FILE_BYTES_MAX
                                + " bytes; its first line should be a store URL");
            }
            content = Files.readAllBytes(path);
        } catch (IOException | InvalidPathException e) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    FILE_VARIABLE + " names " + file + ", which cannot be read (" + reason(e)
                            + "); its first line should be a store URL",
                    e);
        }
        String line = new String(content, StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElse("")
                .strip();
        if (line.isEmpty()) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "the first line of " + file + ", named by " + FILE_VARIABLE
                            + ", is empty; it should be a store URL");
        }
        return new StoreAddress(line);
    }

    private static StoreAddress embedded(Map<String, String> environment) {
        try {
            Path file = embeddedFile(environment);
            makePrivate(Objects.requireNonNull(file.getParent()), file);
            return sqlite(file);
        } catch (IOException | InvalidPathException e) {
            throw new Failure(
                    ExitCode.SETUP,
                    "the default store, a file in your data folder, cannot be created (" + reason(e)
                            + "); give another with --store or " + URL_VARIABLE,
                    e);
        }
    }

    private static StoreAddress existingEmbedded(Map<String, String> environment) {
        try {
            Path file = embeddedFile(environment);
            if (Files.exists(file)) {
                return sqlite(file);
            }
            throw new Failure(
                    ExitCode.SETUP,
                    "there is no default store yet: " + file
                            + " does not exist, and 'mandate run' creates it; name another" + " store with --store or "
                            + URL_VARIABLE);
        } catch (InvalidPathException e) {
            throw new Failure(
                    ExitCode.SETUP,
                    "the default store, a file in your data folder, cannot be found (" + reason(e)
                            + "); give another with --store or " + URL_VARIABLE,
                    e);
        }
    }

    private static Path embeddedFile(Map<String, String> environment) {
        String data = environment.getOrDefault("XDG_DATA_HOME", "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", ""));
        // By the XDG specification a relative path is invalid and ignored.
        Path folder = data.startsWith("/")
                ? Path.of(data, "mandate")
                : Path.of(home, ".local", "share", "mandate").toAbsolutePath();
        return folder.resolve("mandate.db");
    }

    private static StoreAddress sqlite(Path file) {
        return new StoreAddress("sqlite:" + file.toString().replace("%", "%25").replace("?", "%3F"));
    }

    private static void makePrivate(Path folder, Path file) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        Files.createDirectories(folder, permissions(posix, "rwx------"));
        try {
            // SQLite gives the same permissions to the files beside it.
            Files.createFile(file, permissions(posix, "rw-------"));
        } catch (FileAlreadyExistsException e) {
            // Normal from the second use on.
        }
    }

    private static FileAttribute<?>[] permissions(boolean posix, String text) {
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : new FileAttribute<?>[0];
    }

    private static String reason(Exception e) {
        return e.getClass().getSimpleName().replace("Exception", "") + ": " + e.getMessage();
    }

    /** A builder for a client of this store. */
    public ElectionClient.Builder client() {
        return ElectionClient.builder(url).create(mayCreate);
    }

    /**
     * Opens the store itself, without a client, as a client would.
     *
     * @param client the explanation of a client of this store
     * @throws dev.mandate.StoreSetupException if it has to be set up first
     * @throws dev.mandate.StoreUnavailableException if it may work later
     */
    public ElectionStore open(Explanation client) {
        StoreUrl own = parsed.without(client.settings().keySet()).withLease(client.lease());
        return provider().open(own);
    }

    /**
     * The shortest lease that the store grants; the only one if its settings fix it, as a bucket's time to live does.
     * Opens the store.
     *
     * @throws dev.mandate.StoreSetupException if it has to be set up first
     * @throws dev.mandate.StoreUnavailableException if it may work later
     */
    public Duration shortestLease() {
        ElectionStoreProvider provider = provider();
        Set<String> others = new HashSet<>(parsed.parameters().keySet());
        others.removeAll(provider.parameters().keySet());
        try (ElectionStore store = provider.open(parsed.without(others))) {
            return store.traits().leaseMin();
        }
    }

    private ElectionStoreProvider provider() {
        return ServiceLoader.load(ElectionStoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains(parsed.scheme()))
                .findFirst()
                .orElseThrow(() -> new Failure(ExitCode.BAD_INPUT, "unsupported store URL: " + parsed));
    }

    /** The URL as it was given. May hold a secret: put it into another process's environment, and nowhere else. */
    public String url() {
        return url;
    }

    /**
     * Whether this environment variable is this program's own, or may hold the secret of a store of any kind, in use or
     * not: other programs must not get it.
     */
    public boolean isOwnVariable(String variable) {
        return variable.startsWith("MANDATE_")
                || SECRET_VARIABLES.contains(variable)
                || parsed.parameters().entrySet().stream()
                        .anyMatch(
                                p -> p.getKey().endsWith("Env") && p.getValue().equals(variable));
    }

    /**
     * Returns this if other processes can reach it.
     *
     * @throws Failure if it is in the memory of one process, where every candidate would lead alone
     */
    public StoreAddress requireShared() {
        if (parsed.scheme().equals("memory")) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "the store " + this
                            + " exists in one process alone, so other processes cannot take part; give another with"
                            + " --store, for instance sqlite:FILE, or none");
        }
        return this;
    }

    /** Whether this is a group without a store: its members keep the elections. */
    public boolean isGroup() {
        return GroupScheme.of(parsed.scheme()).isPresent();
    }

    /**
     * Returns this if several processes can open it.
     *
     * @throws Failure if it is the address of one member of a group
     */
    public StoreAddress requireManyProcesses() {
        if (isGroup() && parsed.parameter("self").isPresent()) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "the store URL has self=" + parsed.parameter("self").get()
                            + ", and all processes that are started here would be that one member; leave out self and"
                            + " state, so that they are guests, or give " + parsed.scheme()
                            + " alone for a new group");
        }
        return this;
    }

    /** The parsed URL. */
    public StoreUrl parsed() {
        return parsed;
    }

    /** The URL with every secret hidden. */
    @Override
    public String toString() {
        return parsed.toString();
    }
}
