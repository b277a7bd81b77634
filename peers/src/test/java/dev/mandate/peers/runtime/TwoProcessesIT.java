package dev.mandate.peers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.node.Call;
import dev.mandate.peers.node.CallResult;
import dev.mandate.peers.url.GroupUrl;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.ServerPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes with the same {@code self}, as two processes would have. */
class TwoProcessesIT {
    private static final Duration PLENTY = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private RunningNode open(List<String> members, int place, String state, String more) {
        String url = "peers://" + String.join(",", members) + "?self=" + members.get(place) + "&state="
                + directory.resolve(state) + "&maxLease=1s" + more;
        return RunningNode.open(GroupUrl.settings(StoreUrl.parse(url)));
    }

    private static CallResult read(RunningNode node) {
        return node.call(new Call.Read(RecordKey.PROBE), CallContext.within(Duration.ofMillis(500)))
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static boolean answers(RunningNode node) {
        return read(node) instanceof CallResult.Ended ended
                && ended.outcome() instanceof dev.mandate.peers.register.Outcome.Read;
    }

    @Test
    void theSecondStopsAndTheFirstGoesOn() {
        List<Integer> ports =
                List.copyOf(ServerPorts.choose(List.of("a", "b", "c", "d")).values());
        List<String> members = new ArrayList<>();
        ports.subList(0, 3).forEach(port -> members.add("127.0.0.1:" + port));
        try (RunningNode a = open(members, 0, "a", "");
                RunningNode b = open(members, 1, "b", "");
                RunningNode c = open(members, 2, "c", "")) {
            Await.until("all to answer", PLENTY, () -> answers(a) && answers(b) && answers(c));
            Await.until(
                    "all to be connected",
                    PLENTY,
                    () -> List.of(a, b, c).stream()
                            .allMatch(node -> node.links().stream().allMatch(link -> link.isUp())));
            try (RunningNode second = open(members, 1, "second", "&bind=127.0.0.1:" + ports.get(3))) {
                CallResult.Disagreed disagreed = Await.value("it to notice", PLENTY, () -> {
                    return read(second) instanceof CallResult.Disagreed seen
                            ? java.util.Optional.of(seen)
                            : java.util.Optional.empty();
                });
                assertThat(disagreed.sentence())
                        .contains("two processes have self=" + members.get(1))
                        .contains("stop one of them");
                for (RunningNode node : List.of(a, b, c)) {
                    assertThat(answers(node)).isTrue();
                }
            }
        }
    }
}
