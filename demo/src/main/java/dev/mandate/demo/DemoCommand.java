package dev.mandate.demo;

import dev.mandate.ElectionClient;
import dev.mandate.Explanation;
import dev.mandate.StoreSetupException;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mandate demo}: see its help. */
@Command(
        name = "demo",
        header = "Show leaders being killed, frozen and resigning, and who takes over.",
        description = {
            "",
            "Starts candidate processes for one election and shows them live. Then it kills the leader"
                    + " (SIGKILL), freezes the next one past its lease (SIGSTOP) and thaws it, and has the third"
                    + " resign. For each it shows who took over, after how long and with which fencing token, beside"
                    + " the bound computed from the settings. Ends every process it started.",
            "",
            "The election has a random name. If you use a store that keeps the records of vacant elections"
                    + " (SQL, Consul, Azure Blob), the demo's record stays in it.",
            "",
            "With --page it also serves the live page on this machine, prints its URL and waits up to 30 s"
                    + " for a browser to open it. At the end the page stays until you close it, for 10 minutes at most.",
            "",
            "With --watch it only watches and touches nothing, while you take leadership away by hand.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 all take-overs were within the bound, tokens increased, no two led at once;",
            "  5 not all of that was seen; 2 bad input, 3 the store did not answer, 4 it has to be set up"
        })
public final class DemoCommand extends ConsoleCommand {
    private static final int WORKERS_MIN = 2;
    private static final int WORKERS_MAX = 20;
    private static final Duration LEASE = Duration.ofSeconds(3);

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "How many candidates, 2 to 20; at least 3 in a group. Default: ${DEFAULT-VALUE}.",
            defaultValue = "3")
    private int workers;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description =
                    "The store, without a password. With bully, ring or peers alone, the workers form a group, which"
                            + " needs no store. Default: MANDATE_STORE, else a new file, deleted at the end.")
    private @Nullable String url;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = Durations.class,
            description =
                    "How long a term lasts without renewal. Default: the URL's lease, else 3s, or the shortest that"
                            + " the store grants.")
    private @Nullable Duration lease;

    @Option(
            names = "--election",
            paramLabel = "NAME",
            description = "The election to campaign in. Default: a random name.")
    private @Nullable String election;

    @Option(
            names = "--watch",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Only watch for TIME; touch nothing.")
    private @Nullable Duration watch;

    @Option(names = "--page", description = "Also serve the live page.")
    private boolean page;

    @Option(names = "--json", description = "Print one JSON object at the end, instead of events.")
    private boolean json;

    /** Creates the command; it prints to {@code console}. */
    public DemoCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (workers < WORKERS_MIN || workers > WORKERS_MAX) {
            throw new Failure(
                    ExitCode.BAD_INPUT, "--workers is " + workers + "; give " + WORKERS_MIN + " to " + WORKERS_MAX);
        }
        if (election != null) {
            ElectionNames.require("the election name", election);
        }
        if (watch != null && json) {
            throw new Failure(ExitCode.BAD_INPUT, "--watch shows who leads as it happens; leave out --json");
        }
        String given = url;
        if (given != null && ScratchGroup.isWanted(given)) {
            if (workers < ScratchGroup.MEMBERS_MIN) {
                throw new Failure(
                        ExitCode.BAD_INPUT,
                        "--workers is " + workers + "; give " + ScratchGroup.MEMBERS_MIN + " to " + WORKERS_MAX
                                + " with --store " + given
                                + ", because a majority of the members must remain when one is killed");
            }
            try (ScratchGroup group = ScratchGroup.of(given, workers)) {
                return play(group.guest(), group);
            }
        }
        try (ScratchStore scratch = ScratchStore.unless(url, environment)) {
            return play(scratch.address().requireShared().requireManyProcesses(), null);
        }
    }

    private int play(StoreAddress store, @Nullable ScratchGroup group) throws InterruptedException {
        boolean isInUrl = store.parsed().parameter("lease").isPresent();
        Explanation explanation = lease != null || isInUrl ? explain(store, lease) : explainShort(store);
        long leaseMillis = lease == null && isInUrl ? 0 : explanation.lease().toMillis();
        Duration bound = explanation.failoverAtMost();
        String name = election != null
                ? election
                : "mandate-demo-"
                        + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        if (!json) {
            console.out()
                    .println(workers + " candidates for the election " + name + ", lease "
                            + Durations.words(explanation.lease())
                            + ", store " + explanation.store() + ". A leader that crashed is replaced within "
                            + Durations.words(bound) + " at most.");
            if (group != null) {
                console.out().println(aboutGroup(explanation));
            }
        }
        try (DemoPage served = page ? DemoPage.open(store, explanation.lease()) : null) {
            if (served != null) {
                tell("The page: " + served.url() + " (waiting up to " + DemoPage.OPENING.toSeconds()
                        + " s for a browser to open it)");
                served.awaitReader();
            }
            int code = play(store, group, name, leaseMillis, explanation);
            if (served != null && served.isRead()) {
                tell("The page stays until you close it, " + DemoPage.STAYING.toMinutes()
                        + " minutes at most; Ctrl-C ends it at once.");
                served.awaitLastReader();
            }
            return code;
        }
    }

    /** Prints what is not part of the JSON object. */
    private void tell(String text) {
        if (json) {
            console.say(text);
        } else {
            console.out().println(text);
        }
    }

    private int play(
            StoreAddress store, @Nullable ScratchGroup group, String name, long leaseMillis, Explanation explanation)
            throws InterruptedException {
        Duration bound = explanation.failoverAtMost();
        Screen screen = new Screen(console, json);
        try (Cast cast =
                new Cast(worker -> group == null ? store : group.ofWorker(worker), name, leaseMillis, screen)) {
            List<HandOver> handOvers;
            try {
                Demo demo = new Demo(cast, screen, workers, explanation, group);
                if (watch != null) {
                    demo.watch(watch);
                    return ExitCode.OK;
                }
                handOvers = demo.play();
            } finally {
                screen.end();
            }
            String fault = fault(handOvers, bound, cast.overlap());
            if (json) {
                print(explanation, name, handOvers, fault);
            } else {
                summarize(handOvers, bound, fault);
            }
            if (fault != null) {
                throw new Failure(ExitCode.NOT_SHOWN, fault);
            }
            return ExitCode.OK;
        }
    }

    private String aboutGroup(Explanation explanation) {
        int majority = workers / 2 + 1;
        String even = workers % 2 == 0
                ? " (An even number: it survives the failure of " + (workers - majority) + ", as " + (workers - 1)
                        + " would.)"
                : "";
        return "The candidates are the group: " + majority + " of " + workers
                + " are a majority. For its first " + Durations.words(explanation.lease())
                + " a member does not vote, so nobody leads until then." + even;
    }

    /** Explains the store with a short lease for demos, or the shortest that the store grants if that is longer. */
    private static Explanation explainShort(StoreAddress store) {
        try {
            return explain(store, LEASE);
        } catch (IllegalArgumentException | StoreSetupException e) {
            Duration shortest = store.shortestLease();
            if (shortest.compareTo(LEASE) <= 0) {
                throw e;
            }
            return explain(store, shortest);
        }
    }

    private static Explanation explain(StoreAddress store, @Nullable Duration lease) {
        ElectionClient.Builder builder = store.client();
        if (store.isGroup()) {
            // No member runs yet, and none is needed to explain the settings.
            builder.connectTimeout(Duration.ZERO);
        }
        if (lease != null) {
            builder.lease(lease);
        }
        try (ElectionClient client = builder.connect()) {
            return client.explain();
        }
    }

    private static @Nullable String fault(List<HandOver> handOvers, Duration bound, @Nullable String overlap) {
        if (overlap != null) {
            return "two led at once: " + overlap;
        }
        for (HandOver h : handOvers) {
            if (!h.isWithin(bound)) {
                return h.to() + " took over from " + h.from() + ", which was " + h.how() + ", after "
                        + Durations.words(h.gap()) + "; the bound is " + Durations.words(bound)
                        + ", while the store and the machine answer in time";
            }
        }
        return null;
    }

    private void summarize(List<HandOver> handOvers, Duration bound, @Nullable String fault) {
        console.out().println();
        row("leader was", "led", "leads now", "token", "new token", "gap", "bound");
        for (HandOver h : handOvers) {
            row(
                    h.how(),
                    h.from(),
                    h.to(),
                    Long.toString(h.oldToken()),
                    Long.toString(h.newToken()),
                    millis(h.gap()),
                    millis(bound));
        }
        if (fault == null) {
            console.out()
                    .println(
                            console.styled(
                                    32,
                                    "All three take-overs were within the bound, tokens increased, and no two workers were seen leading at once."));
        }
    }

    private void row(Object... cells) {
        console.out()
                .println(String.format(Locale.ROOT, "%-11s %-10s %-10s %-16s %-16s %10s %10s", cells)
                        .stripTrailing());
    }

    private static String millis(Duration d) {
        return String.format(Locale.ROOT, "%.1f ms", d.toNanos() / 1e6);
    }

    private void print(Explanation explanation, String name, List<HandOver> handOvers, @Nullable String fault) {
        Duration bound = explanation.failoverAtMost();
        Json.print(console.out(), out -> {
            out.writeStringField("store", explanation.store());
            out.writeStringField("election", name);
            out.writeNumberField("workers", workers);
            Json.seconds(out, "leaseSeconds", explanation.lease());
            Json.seconds(out, "failoverAtMostSeconds", bound);
            Json.array(out, "handOvers", handOvers, (item, h) -> {
                item.writeStringField("how", h.how());
                item.writeStringField("from", h.from());
                item.writeStringField("to", h.to());
                item.writeNumberField("oldToken", h.oldToken());
                item.writeNumberField("newToken", h.newToken());
                Json.seconds(item, "gapSeconds", h.gap());
                item.writeBooleanField("withinBound", h.isWithin(bound));
            });
            out.writeBooleanField("shown", fault == null);
            if (fault != null) {
                out.writeStringField("fault", fault);
            }
        });
    }
}
