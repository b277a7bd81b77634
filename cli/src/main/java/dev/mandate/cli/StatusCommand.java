package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.Order;
import dev.mandate.Queued;
import dev.mandate.StoreSetupException;
import dev.mandate.cli.Verification.Verified;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate status}: see its help. */
@Command(
        name = "status",
        header = "List elections and their leaders.",
        description = {
            "",
            "Lists the elections that have a leader on record: all of them, or those whose names begin with"
                    + " PREFIX. If PREFIX is the name of an election whose candidates queue (order=arrival), it also"
                    + " shows the queue.",
            "",
            "On SQLite, PostgreSQL and in groups a single read cannot show whether a leader is alive: its"
                    + " state is 'unverified'. With --verify the command checks for up to one lease, and the state is"
                    + " 'live' or 'dead'.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 done, even if there is nothing to show; 2 bad input, 3 the store did not answer,",
            "  4 it has to be set up"
        })
final class StatusCommand extends ConsoleCommand {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    /** A value may have 64 KiB; {@code --json} shows all of it. */
    private static final int VALUE_COLUMNS_MAX = 60;

    @Parameters(
            arity = "0..1",
            paramLabel = "PREFIX",
            defaultValue = "",
            completionCandidates = Elections.class,
            description = "How the names begin.")
    private String prefix = "";

    @Option(names = "--exact", description = "PREFIX is a full name: show only that election.")
    private boolean exact;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--verify", description = "Check for up to one lease which leaders are alive.")
    private boolean verify;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Show at most N elections. Default: ${DEFAULT-VALUE}")
    private int limit = 1000;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    StatusCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (limit < 1) {
            throw new Failure(ExitCode.BAD_INPUT, "--limit is " + limit + "; give 1 or more");
        }
        if (exact && prefix.isEmpty()) {
            throw new Failure(ExitCode.BAD_INPUT, "--exact needs the name of an election");
        }
        if (!prefix.isEmpty()) {
            ElectionNames.require("the prefix", prefix);
        }
        StoreAddress address = store.existing(environment);
        try (ElectionClient client = address.client().connect()) {
            List<Leader> leaders = leaders(client);
            boolean more = leaders.size() > limit;
            List<Leader> first = more ? leaders.subList(0, limit) : leaders;
            List<Queued> queue = queue(client);
            List<Verified> shown = verify
                    ? Verification.of(client, first)
                    : first.stream()
                            .map(l -> new Verified(l, LeaderState.of(l)))
                            .toList();
            if (json) {
                printJson(address, shown, more, queue);
            } else {
                printTable(address, shown, more);
                printQueue(shown, queue);
            }
        }
        return ExitCode.OK;
    }

    private List<Leader> leaders(ElectionClient client) {
        if (exact) {
            // Names are sorted: longer names that begin with this one follow it.
            return client.leaders(prefix, 1).stream()
                    .filter(leader -> leader.election().equals(prefix))
                    .toList();
        }
        // One more than is shown, to know whether there are more.
        return client.leaders(prefix, limit == Integer.MAX_VALUE ? limit : limit + 1);
    }

    /** The queue of the election named {@code prefix}: one more listing. Empty if there is none or it can't be read. */
    private List<Queued> queue(ElectionClient client) {
        if (prefix.isEmpty()) {
            return List.of();
        }
        try {
            return client.election(prefix).queue();
        } catch (StoreSetupException e) {
            console.say("the queue of '" + prefix + "' could not be listed: " + e.getMessage());
            return List.of();
        }
    }

    private void printQueue(List<Verified> all, List<Queued> queue) {
        if (queue.isEmpty()) {
            return;
        }
        console.out().println(console.styled(1, "QUEUE of " + Leader.printable(prefix) + ", the next first"));
        for (int place = 0; place < queue.size(); place++) {
            Queued waiting = queue.get(place);
            console.out()
                    .println((place + 1) + "  " + Leader.printable(waiting.candidate()) + "  since "
                            + time(waiting.since()));
        }
        if (areOrdersMixed(all, queue)) {
            console.say("the leader did not queue: give all candidates order=arrival, or none");
        }
    }

    /** Whether candidates queue behind a leader that raced. One that races while a queued one leads leaves no trace. */
    private boolean areOrdersMixed(List<Verified> all, List<Queued> queue) {
        return !queue.isEmpty()
                && all.stream()
                        .map(Verified::leader)
                        .anyMatch(leader -> leader.election().equals(prefix) && leader.order() == Order.RACE);
    }

    private static String time(Instant instant) {
        return instant.equals(Instant.EPOCH) ? "-" : TIME.format(instant.atZone(ZoneId.systemDefault()));
    }

    private void printJson(StoreAddress address, List<Verified> all, boolean more, List<Queued> queue) {
        Json.print(console.out(), out -> {
            out.writeStringField("store", address.toString());
            Json.array(out, "elections", all, (item, shown) -> {
                item.writeStringField("election", shown.leader().election());
                item.writeStringField("state", shown.state().name().toLowerCase(Locale.ROOT));
                Json.object(item, "leader", leader -> Json.leader(leader, shown.leader()));
            });
            out.writeBooleanField("more", more);
            if (!prefix.isEmpty()) {
                Json.array(out, "queue", queue, (item, waiting) -> {
                    item.writeStringField("candidate", waiting.candidate());
                    item.writeStringField("incarnation", waiting.incarnation());
                    item.writeStringField("since", waiting.since().toString());
                });
                out.writeBooleanField("mixedOrders", areOrdersMixed(all, queue));
            }
        });
    }

    private void printTable(StoreAddress address, List<Verified> all, boolean more) {
        if (all.isEmpty()) {
            console.say("nobody leads " + asked() + " in " + address);
            return;
        }
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"ELECTION", "LEADER", "TOKEN", "SINCE", "LEASE", "STATE", "VALUE"});
        all.forEach(shown -> rows.add(row(shown)));
        int[] widths = new int[rows.get(0).length];
        rows.forEach(row -> Arrays.setAll(widths, i -> Math.max(widths[i], columns(row[i]))));
        for (int i = 0; i < rows.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String cell = rows.get(i)[column];
                line.append(cell).append(" ".repeat(widths[column] - columns(cell) + 2));
            }
            String text = line.toString().stripTrailing();
            console.out().println(i == 0 ? console.styled(1, text) : text);
        }
        if (more) {
            console.say("there are more than " + limit + "; see --limit");
        }
        if (all.stream().anyMatch(shown -> shown.state() == LeaderState.UNVERIFIED) && !verify) {
            console.say("a single read cannot show whether unverified leaders are alive; --verify checks for up to one"
                    + " lease");
        }
    }

    private String asked() {
        return prefix.isEmpty() ? "anything" : "'" + prefix + (exact ? "'" : "...'");
    }

    private static String[] row(Verified shown) {
        Leader leader = shown.leader();
        return new String[] {
            Leader.printable(leader.election()),
            Leader.printable(leader.candidate()),
            leader.token().toString(),
            time(leader.since()),
            leader.lease().isZero() ? "-" : Durations.words(leader.lease()),
            shown.state().words()
                    + (leader.asked() ? ", asked to leave" : "")
                    + (leader.foreign() ? ", by another program" : ""),
            shortened(Leader.printable(leader.value()))
        };
    }

    private static int columns(String text) {
        return text.codePointCount(0, text.length());
    }

    private static String shortened(String text) {
        return columns(text) <= VALUE_COLUMNS_MAX
                ? text
                : text.substring(0, text.offsetByCodePoints(0, VALUE_COLUMNS_MAX - 1)) + "…";
    }
}
