package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.console.SilentLibraries;
import dev.mandate.console.StoreAddress;
import dev.mandate.peers.runtime.Nodes;
import dev.mandate.peers.transport.LinkStatus;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One member of a group in its own process, for {@link GroupIdleFigure}. Obeys the commands on standard input, answers
 * each with a line on standard output, and exits when its input ends:
 *
 * <ul>
 *   <li>{@code hold N PREFIX}: wins N elections whose names begin with PREFIX.
 *   <li>{@code campaign NAME}: campaigns in one election, without waiting.
 *   <li>{@code warm N PREFIX}: campaigns in N elections, without waiting.
 *   <li>{@code leave}: withdraws from all elections and closes all terms.
 *   <li>{@code count}: answers with a {@link MemberCount}.
 * </ul>
 */
public final class MemberMain {
    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final int AT_A_TIME = 32;

    private static final String TASKS = "/proc/self/task";
    /** Indexes of the fields after the name, from 0. */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;
    private static final long TICK_NANOS = 10_000_000;

    private final CountingStore store;
    private final ElectionClient client;
    private final List<CompletableFuture<Leadership>> campaigns = new ArrayList<>();

    private MemberMain(CountingStore store, ElectionClient client) {
        this.store = store;
        this.client = client;
    }

    /** Runs until standard input ends; the environment names the store. */
    public static void main(String[] args) throws IOException, InterruptedException {
        SilentLibraries.install();
        Target target = Target.ofMember(StoreAddress.resolve(null, System.getenv()));
        CountingStore store = CountingStore.of(target.store());
        try (ElectionClient client = target.client(store)
                .candidate("member")
                .splay(Duration.ZERO)
                .connectTimeout(STARTUP)
                .connect()) {
            BenchProcess.serve(new MemberMain(store, client)::obey);
        }
        System.exit(0);
    }

    private String obey(String[] words) throws InterruptedException {
        switch (words[0]) {
            case "hold" ->
                Pipeline.run(Integer.parseInt(words[1]), AT_A_TIME, "an acquisition", i -> campaign(words[2] + i));
            case "campaign" -> campaign(words[1]);
            case "warm" -> {
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    campaign(words[2] + i);
                }
            }
            case "leave" -> leave();
            default -> {
                return count().line();
            }
        }
        return "done";
    }

    private CompletableFuture<Leadership> campaign(String name) {
        CompletableFuture<Leadership> campaign =
                client.election(name).campaignAsync("bench").toCompletableFuture();
        campaigns.add(campaign);
        return campaign;
    }

    private void leave() throws InterruptedException {
        // Withdraws the campaigns that have not won; the others have terms.
        campaigns.forEach(campaign -> campaign.cancel(false));
        Pipeline.close(won().toArray(Leadership[]::new));
        campaigns.clear();
    }

    private List<Leadership> won() {
        return campaigns.stream()
                .filter(campaign -> campaign.isDone() && !campaign.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .toList();
    }

    /** The processor time of the compiler threads; 0 if the system does not say. */
    private static long compilerNanos() {
        long ticks = 0;
        String[] threads = new File(TASKS).list();
        for (String thread : threads == null ? new String[0] : threads) {
            try {
                String stat = Files.readString(Path.of(TASKS, thread, "stat"));
                int name = stat.lastIndexOf(')');
                if (stat.substring(0, name).contains("CompilerThre")) {
                    String[] fields = stat.substring(name + 2).split(" ");
                    ticks += Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
                }
            } catch (IOException e) {
                // The thread has ended.
            }
        }
        return ticks * TICK_NANOS;
    }

    private MemberCount count() {
        Requests asked = store.count();
        List<LinkStatus> links = Nodes.links();
        long sent = links.stream().mapToLong(LinkStatus::sent).sum();
        String[] files = new File("/proc/self/fd").list();
        long lost = won().stream().filter(won -> !won.isValid()).count();
        return new MemberCount(
                ProcessHandle.current()
                                .info()
                                .totalCpuDuration()
                                .orElse(Duration.ZERO)
                                .toNanos()
                        - compilerNanos(),
                sent,
                ManagementFactory.getThreadMXBean().getThreadCount(),
                files == null ? 0 : files.length,
                asked.reads(),
                asked.renewals(),
                asked.all(),
                lost);
    }
}
