package dev.mandate.demo;

import dev.mandate.Explanation;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import dev.mandate.peers.url.GroupScheme;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Diagnosable;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Finding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A group of members on free ports of 127.0.0.1, with their state in a new folder, deleted when this is closed or the
 * process ends. Starts no member. Thread-safe.
 */
public final class ScratchGroup implements AutoCloseable {
    /** The smallest group that goes on when one member is killed. */
    public static final int MEMBERS_MIN = 3;

    private static final String HOST = "127.0.0.1";
    /** Below the range from which systems take ports for outgoing connections. */
    private static final int PORT_MIN = 10_000;

    private static final int PORT_MAX = 12_000;
    private static final int TRIES_MAX = 1_000;
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final long PAUSE_MILLIS = 100;

    private final ScratchFolder folder = new ScratchFolder();
    private final String url;
    private final String parameters;
    private final List<String> members;

    private ScratchGroup(String scheme, String parameters, int members) {
        this.parameters = parameters;
        this.members = free(members);
        this.url = scheme + "://" + String.join(",", this.members) + "?";
    }

    /** Whether {@code store} asks for a new group: {@code bully}, {@code ring} or {@code peers}, plus parameters. */
    public static boolean isWanted(@Nullable String store) {
        return store != null && scheme(store).isPresent();
    }

    private static Optional<GroupScheme> scheme(String store) {
        return GroupScheme.of(store.split("\\?", 2)[0]);
    }

    /**
     * Prepares a group of {@code members}.
     *
     * @param store as {@link #isWanted} accepts it
     * @throws Failure if there is no folder or no free port
     */
    public static ScratchGroup of(String store, int members) {
        String[] parts = store.split("\\?", 2);
        String scheme = scheme(store).orElseThrow().word();
        return new ScratchGroup(scheme, parts.length == 1 || parts[1].isEmpty() ? "" : "&" + parts[1], members);
    }

    private static List<String> free(int count) {
        List<String> found = new ArrayList<>();
        for (int tries = 0; found.size() < count; tries++) {
            if (tries == TRIES_MAX) {
                throw new Failure(
                        ExitCode.SETUP,
                        "no " + count + " free ports on " + HOST + " from " + PORT_MIN + " to " + PORT_MAX
                                + " found in " + TRIES_MAX + " tries; try again");
            }
            int port = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX);
            if (!found.contains(HOST + ":" + port) && isFree(port)) {
                found.add(HOST + ":" + port);
            }
        }
        return found;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(HOST), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The number of members. */
    public int size() {
        return members.size();
    }

    /** The address of the group for a guest. */
    public StoreAddress guest() {
        return address("");
    }

    /** The address of the group for the member at {@code place}, from 0. */
    public StoreAddress member(int place) {
        String state = folder.path()
                .resolve("member-" + (place + 1))
                .toAbsolutePath()
                .toString()
                .replace("%", "%25")
                .replace("&", "%26");
        return address("&self=" + members.get(place) + "&state=" + state);
    }

    /** The address for the worker with this name; {@code worker-1} is the first member. */
    StoreAddress ofWorker(String name) {
        return member(Integer.parseInt(name.substring(name.lastIndexOf('-') + 1)) - 1);
    }

    private StoreAddress address(String own) {
        String all = own + parameters;
        String text = url + (all.isEmpty() ? "" : all.substring(1));
        return StoreAddress.resolve(text.endsWith("?") ? text.substring(0, text.length() - 1) : text, Map.of());
    }

    /**
     * Waits until all members vote and are connected to each other.
     *
     * @param explanation of a client of this group
     * @throws Failure if they do not in time; says which
     */
    public void awaitVoters(Explanation explanation, Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        try (ElectionStore store = guest().open(explanation)) {
            while (true) {
                List<Finding> found = findings((Diagnosable) store, explanation.lease());
                Optional<Finding> open = found.stream()
                        .filter(finding -> List.of("member", "links").contains(finding.subject()))
                        .filter(finding -> finding.severity() != Finding.Severity.OK)
                        .findFirst();
                if (!found.isEmpty() && open.isEmpty()) {
                    return;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new Failure(
                            ExitCode.NOT_SHOWN,
                            "not all members voted within " + atMost.toSeconds() + " s"
                                    + open.map(finding -> ": " + finding.sentence())
                                            .orElse(""));
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static List<Finding> findings(Diagnosable store, Duration lease) throws InterruptedException {
        try {
            return store.diagnose(lease, CallContext.within(ANSWER))
                    .toCompletableFuture()
                    .get(2 * ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        folder.close();
    }
}
