package dev.mandate.examples.workers;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.Observing;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.examples.legacy.LegacyTable;
import dev.mandate.registry.ServiceWatch;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Starts workers as processes, lets an old program write events, kills and freezes workers, and counts: each event must
 * be queued once, and done. Run {@code Show [STORE-URL]}; the default is {@code MANDATE_STORE}, else a new SQLite file.
 */
public final class Show implements AutoCloseable {
    /** A group of five goes on with one worker dead and another just started that does not vote yet. */
    private static final int WORKERS = 5;

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long LOOK_MILLIS = 50;
    private static final long EVENT_MILLIS = 20;

    private final PrintStream out;
    private final Path folder;
    private final Path database;
    private final Addresses addresses;
    private final LegacyTable table;
    private final WorkQueue queue;
    private final Process[] processes = new Process[WORKERS];
    private final String[] ids = new String[WORKERS];
    private final ElectionClient client;
    private final Observing leaders;
    private final ServiceWatch workers;
    private volatile boolean isWriting = true;
    private volatile long written;
    private int starts;

    /**
     * What was counted.
     *
     * @param written events of the old program
     * @param queued those of them that were queued
     * @param duplicates rows of the queue beyond one for each event
     * @param done events that a worker has done
     * @param leaders those that queued something
     */
    public record Count(long written, long queued, long duplicates, long done, long leaders) {
        /** Whether each event was queued once, and done. */
        public boolean isRight() {
            return written > 0 && queued == written && duplicates == 0 && done == written;
        }
    }

    /**
     * Starts the workers.
     *
     * @param folder for the application's database and the workers' output
     */
    public Show(String store, Path folder, PrintStream out) throws Exception {
        this.out = out;
        this.folder = folder;
        this.database = folder.resolve("application.db");
        this.addresses = Addresses.of(store, WORKERS, folder);
        this.table = new LegacyTable(Worker.database(database));
        this.queue = new WorkQueue(Worker.database(database));
        table.create();
        queue.create();
        if (addresses.isGroup()) {
            // The members must run before a client can connect.
            startAll();
            this.client = ElectionClient.connect(addresses.guest());
        } else {
            // Connects first, so that a wrong URL starts nothing.
            this.client = ElectionClient.connect(addresses.guest());
            startAll();
        }
        this.leaders = election().observe(view -> {});
        this.workers = client.registry().watch(Worker.SERVICE);
    }

    /** Runs the show. */
    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("mandate-workers-");
        String variable = System.getenv("MANDATE_STORE");
        String store = args.length > 0
                ? args[0]
                : variable != null && !variable.isEmpty()
                        ? variable
                        : "sqlite:" + folder.resolve("store.db") + "?lease=3s";
        // Silences the stores' own libraries.
        Logger.getLogger("").setLevel(Level.SEVERE);
        System.exit(shows(store, folder) ? 0 : 1);
    }

    private static boolean shows(String store, Path folder) throws Exception {
        boolean isRight = false;
        try (Show show = new Show(store, folder, System.out)) {
            isRight = show.run().isRight();
        } catch (IllegalArgumentException | IllegalStateException | StoreUnavailableException | StoreSetupException e) {
            System.err.println("workers: " + e.getMessage());
        }
        if (isRight || isWithoutLogs(folder)) {
            delete(folder);
        } else {
            System.err.println("workers: what the workers said is in " + folder);
        }
        return isRight;
    }

    private static boolean isWithoutLogs(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.noneMatch(file -> file.toString().endsWith(".log"));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Kills, freezes and politely ends workers while events arrive; then waits until all is done, and counts. */
    public Count run() throws Exception {
        Thread writing = new Thread(this::write, "old-program");
        writing.setDaemon(true);
        writing.start();
        awaitRegistered(List.of(ids));
        say(WORKERS + " workers are registered; " + awaitWorkingLeader().value() + " leads");

        Leader killedLeader = awaitWorkingLeader();
        int killed = place(killedLeader.value());
        processes[killed].destroyForcibly().waitFor();
        Leader next = awaitLeaderAfter(killedLeader);
        say("killed " + killedLeader.value() + ", which led: " + next.value() + " leads; " + replace(killed)
                + " is started in its place");

        int idle = (place(awaitWorkingLeader().value()) + 1) % WORKERS;
        String gone = ids[idle];
        processes[idle].destroyForcibly().waitFor();
        awaitGone(gone);
        say("killed " + gone + ", which did not lead: it is not registered any more, and others do its work; "
                + replace(idle) + " is started in its place");

        Leader frozenLeader = awaitWorkingLeader();
        int frozen = place(frozenLeader.value());
        signal(frozen, "STOP");
        next = awaitLeaderAfter(frozenLeader);
        awaitGone(frozenLeader.value());
        signal(frozen, "CONT");
        awaitRegistered(List.of(frozenLeader.value()));
        say("froze " + frozenLeader.value() + ", which led: " + next.value() + " leads; thawed, it registered again");

        Leader askedLeader = awaitWorkingLeader();
        int asked = place(askedLeader.value());
        processes[asked].destroy();
        processes[asked].waitFor();
        next = awaitLeaderAfter(askedLeader);
        awaitGone(askedLeader.value());
        say("asked " + askedLeader.value() + ", which led, to end: " + next.value() + " leads");
        replace(asked);
        awaitWorkingLeader();

        isWriting = false;
        writing.join();
        await("all events to be done", () -> queue.done() >= written ? Optional.of(true) : Optional.empty());
        Count count = new Count(written, queue.queued(), queue.duplicates(), queue.done(), queue.leaders());
        say(count.written() + " events: " + count.queued() + " queued, " + count.duplicates() + " more than once, "
                + count.done() + " done; " + count.leaders() + " leaders queued them");
        return count;
    }

    /** Writes events, as the old program does. */
    private void write() {
        try {
            while (isWriting) {
                long next = written + 1;
                table.add("event " + next);
                written = next;
                Thread.sleep(EVENT_MILLIS);
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException("the old program can't write events", e);
        }
    }

    // ---- workers ----

    private void startAll() throws IOException {
        for (int place = 0; place < WORKERS; place++) {
            start(place);
        }
    }

    private void start(int place) throws IOException {
        String id = "worker-" + ++starts;
        File log = folder.resolve(id + ".log").toFile();
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        id,
                        database.toString())
                .redirectErrorStream(true)
                .redirectOutput(log);
        // Not as an argument, which everybody could read: it may hold a password.
        builder.environment().put("MANDATE_STORE", addresses.workers().get(place));
        ids[place] = id;
        processes[place] = builder.start();
    }

    private String replace(int place) throws Exception {
        start(place);
        awaitRegistered(List.of(ids[place]));
        return ids[place];
    }

    private int place(String id) {
        return List.of(ids).indexOf(id);
    }

    private void signal(int place, String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-s", name, Long.toString(processes[place].pid()))
                .start()
                .waitFor();
    }

    // ---- what the store shows ----

    private Election election() {
        return client.election(Worker.ELECTION);
    }

    /** Awaits a leader that has queued something: the end of one that has not worked yet would show little. */
    private Leader awaitWorkingLeader() throws Exception {
        return await("one of " + List.of(ids) + " to lead and to queue events", () -> {
            Optional<Leader> leader = leader();
            return leader.isPresent() && queue.hasQueued(leader.get().token()) ? leader : Optional.empty();
        });
    }

    /**
     * Awaits another leader: on a busy machine {@code former} may have lost and won again before it was ended. It need
     * not work yet: a frozen worker may hold the lock on the application's database.
     */
    private Leader awaitLeaderAfter(Leader former) throws Exception {
        return await(
                "somebody to lead after " + former.value(),
                () -> leader().filter(leader ->
                        leader.token().value() > former.token().value()
                                && !leader.value().equals(former.value())));
    }

    private Optional<Leader> leader() {
        return leaders.view().leader().filter(leader -> List.of(ids).contains(leader.value()));
    }

    private void awaitRegistered(List<String> all) throws Exception {
        await(all + " to be registered", () -> {
            List<String> passing =
                    workers.view().passing().stream().map(each -> each.id()).toList();
            return passing.containsAll(all) ? Optional.of(true) : Optional.empty();
        });
    }

    private void awaitGone(String id) throws Exception {
        await(id + " to be registered no more", () -> {
            boolean isListed = workers.view().stale() || workers.view().find(id).isPresent();
            return isListed ? Optional.empty() : Optional.of(true);
        });
    }

    private static <T> T await(String what, Callable<Optional<T>> look) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Optional<T> found = look.call();
            if (found.isPresent()) {
                return found.get();
            }
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("waited for " + what + ", in vain for " + PATIENCE.toSeconds() + " s");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private void say(String text) {
        out.println(text);
    }

    /** Ends the workers. */
    @Override
    public void close() throws Exception {
        isWriting = false;
        List<Process> started = new ArrayList<>();
        for (Process process : processes) {
            if (process != null) {
                process.destroy();
                started.add(process);
            }
        }
        for (Process process : started) {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        client.close();
    }
}
