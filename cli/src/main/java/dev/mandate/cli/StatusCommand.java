package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate status}: see its help. */
@Command(
        name = "status",
        header = "Show who leads what.",
        description = {
            "",
            "Lists the elections whose names begin with PREFIX, or all, that somebody is recorded to lead.",
            "",
            "Some stores (SQLite, PostgreSQL) do not remove the record of a leader that died: one look cannot tell the dead from"
                    + " the living, and the state is 'not verified'. With --verify this command looks for up to one lease.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 done, even where there is nothing to show; 2 bad input, 3 the store did not answer, 4 it has to be set up"
        })
final class StatusCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    /** Beside the lease, for the answers. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Console console;
    private final Map<String, String> environment;

    @Parameters(arity = "0..1", paramLabel = "PREFIX", defaultValue = "", description = "What the names begin with.")
    private String prefix = "";

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--verify", description = "Wait, for at most one lease, to tell live leaders from dead ones.")
    private boolean verify;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Show at most so many. Default: ${DEFAULT-VALUE}")
    private int limit = 1000;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Mixin
    private CommonOptions common = new CommonOptions();

    StatusCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    /** An election as it is shown. */
    private record Shown(Leader leader, State state) {}

    private enum State {
        LEADS("leads"),
        NOT_VERIFIED("not verified"),
        ENDED("ended");

        private final String words;

        State(String words) {
            this.words = words;
        }

        static State of(Leader leader) {
            return leader.verified() ? LEADS : NOT_VERIFIED;
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        if (limit < 1) {
            throw new Failure(ExitCode.BAD_INPUT, "--limit is " + limit + "; it must be 1 or more");
        }
        StoreAddress address = store.resolve(environment);
        try (ElectionClient client = address.client().connect()) {
            // One more than is shown, to know whether there are more.
            List<Leader> leaders = client.leaders(prefix, limit == Integer.MAX_VALUE ? limit : limit + 1);
            boolean more = leaders.size() > limit;
            List<Leader> first = more ? leaders.subList(0, limit) : leaders;
            List<Shown> shown = verify
                    ? verified(client, first)
                    : first.stream().map(l -> new Shown(l, State.of(l))).toList();
            if (json) {
                printJson(address, shown, more);
            } else {
                printTable(shown);
                if (more) {
                    console.say("there are more than " + limit + "; see --limit");
                }
            }
        }
        return ExitCode.OK;
    }

    /** Follows all that are not verified until it is known whether they live. */
    private static List<Shown> verified(ElectionClient client, List<Leader> leaders) throws InterruptedException {
        List<Observing> observing = new ArrayList<>();
        List<Leader> open = leaders.stream().filter(l -> !l.verified()).toList();
        CountDownLatch unsure = new CountDownLatch(open.size());
        for (Leader leader : open) {
            Verdict verdict = new Verdict(unsure);
            observing.add(client.election(leader.election()).observe(verdict::look));
        }
        Duration lease =
                open.stream().map(Leader::lease).max(Duration::compareTo).orElse(Duration.ZERO);
        unsure.await(lease.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        List<Shown> shown = new ArrayList<>();
        int next = 0;
        for (Leader leader : leaders) {
            shown.add(
                    leader.verified()
                            ? new Shown(leader, State.LEADS)
                            : now(leader, observing.get(next++).view()));
        }
        observing.forEach(Observing::close);
        return shown;
    }

    private static Shown now(Leader before, LeaderView view) {
        return view.leader()
                .map(leader -> new Shown(leader, State.of(leader)))
                .orElse(new Shown(before, view instanceof LeaderView.Vacant ? State.ENDED : State.NOT_VERIFIED));
    }

    /** Counts down once, when a view says for certain who leads, or that nobody does. */
    private static final class Verdict {
        private final CountDownLatch unsure;
        private boolean known;

        Verdict(CountDownLatch unsure) {
            this.unsure = unsure;
        }

        synchronized void look(LeaderView view) {
            boolean certain = view instanceof LeaderView.Vacant
                    || view.leader().filter(Leader::verified).isPresent();
            if (certain && !known) {
                known = true;
                unsure.countDown();
            }
        }
    }

    private void printJson(StoreAddress address, List<Shown> all, boolean more) {
        Json.print(console.out(), out -> {
            out.writeStringField("store", address.toString());
            Json.array(out, "elections", all, (item, shown) -> {
                item.writeStringField("election", shown.leader().election());
                item.writeStringField("state", shown.state().words);
                Json.object(item, "leader", leader -> Json.leader(leader, shown.leader()));
            });
            out.writeBooleanField("more", more);
        });
    }

    private void printTable(List<Shown> all) {
        if (all.isEmpty()) {
            console.say(prefix.isEmpty() ? "nobody leads anything here" : "nobody leads '" + prefix + "...'");
            return;
        }
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"ELECTION", "LEADER", "TOKEN", "SINCE", "LEASE", "STATE", "VALUE"});
        all.forEach(shown -> rows.add(row(shown)));
        int[] widths = new int[rows.get(0).length];
        rows.forEach(row -> Arrays.setAll(widths, i -> Math.max(widths[i], row[i].length())));
        for (int i = 0; i < rows.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String cell = rows.get(i)[column];
                line.append(cell).append(" ".repeat(widths[column] - cell.length() + 2));
            }
            String text = line.toString().stripTrailing();
            console.out().println(i == 0 ? console.styled(1, text) : text);
        }
    }

    private static String[] row(Shown shown) {
        Leader leader = shown.leader();
        return new String[] {
            Leader.printable(leader.election()),
            Leader.printable(leader.candidate()),
            leader.token().toString(),
            leader.since().equals(Instant.EPOCH)
                    ? "-"
                    : TIME.format(leader.since().atZone(ZoneId.systemDefault())),
            leader.lease().isZero() ? "-" : Durations.words(leader.lease()),
            shown.state().words + (leader.asked() ? ", asked to leave" : "") + (leader.foreign() ? ", foreign" : ""),
            Leader.printable(leader.value())
        };
    }
}
