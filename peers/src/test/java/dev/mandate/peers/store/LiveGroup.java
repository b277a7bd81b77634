package dev.mandate.peers.store;

import dev.mandate.ElectionException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Members of a group, all in this process, on loopback; kept open until this is closed. */
final class LiveGroup implements AutoCloseable {
    private static final Duration FORMED_WITHIN = Duration.ofMinutes(1);

    private final String scheme;
    private final List<String> members = new ArrayList<>();
    private final Path directory;
    private final String parameters;
    private final List<ElectionStore> open = new ArrayList<>();

    /** {@code parameters} begin with an ampersand, or are empty. */
    LiveGroup(String scheme, int members, Path directory, String parameters) {
        this.scheme = scheme;
        this.directory = directory;
        this.parameters = parameters;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            names.add("m" + i);
        }
        ServerPorts.choose(names).values().forEach(port -> this.members.add("127.0.0.1:" + port));
    }

    /** All members start, and this waits until they vote. */
    LiveGroup start() {
        for (int i = 0; i < members.size(); i++) {
            open.add(open(member(i)));
        }
        Await.until("a majority votes", FORMED_WITHIN, () -> open.stream().allMatch(LiveGroup::answers));
        return this;
    }

    static boolean answers(ElectionStore store) {
        try {
            store.read(RecordKey.PROBE, CallContext.within(Duration.ofSeconds(1)))
                    .toCompletableFuture()
                    .get(5, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ElectionException) {
                return false;
            }
            throw new AssertionError(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static ElectionStore open(String url) {
        return new GroupStoreProvider().open(StoreUrl.parse(url));
    }

    int size() {
        return members.size();
    }

    String address(int place) {
        return members.get(place);
    }

    ElectionStore store(int place) {
        return open.get(place);
    }

    private String group() {
        return members.stream().collect(Collectors.joining(",", scheme + "://", ""));
    }

    /** The URL of a member. */
    String member(int place) {
        return group() + "?self=" + members.get(place) + "&state=" + directory.resolve("m" + place) + parameters;
    }

    /** That of a guest. */
    String guest() {
        return group() + (parameters.isEmpty() ? "" : "?" + parameters.substring(1));
    }

    /** One member stops, as if its process had ended. */
    void stop(int place) {
        open.get(place).close();
    }

    /** It starts again. */
    void restart(int place) throws IOException {
        open.set(place, open(member(place)));
    }

    @Override
    public void close() {
        open.forEach(ElectionStore::close);
    }
}
