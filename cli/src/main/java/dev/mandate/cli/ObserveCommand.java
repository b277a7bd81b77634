package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate observe}: see its help. */
@Command(
        name = "observe",
        header = "Follow who leads, without campaigning.",
        description = {
            "",
            "Prints a line whenever the leader of one of the elections changes: led, vacant, or unknown if"
                    + " the store has not answered for too long. An unverified leader is on record but has not been"
                    + " seen alive yet. Ends when it is interrupted (INT, TERM) or nobody reads its output.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 after --for, 2 bad input, 3 the store did not answer, 4 it has to be set up,",
            "  128 + n signal n ended it"
        })
final class ObserveCommand extends ConsoleCommand {
    /** The placeholder for the election in a URL's {@code key}. */
    private static final String ANY = "{election}";

    private final FollowTime time;

    /** The elections with an answer, or reported as unanswered. Guarded by this. */
    private final Set<String> looked = new HashSet<>();

    @Parameters(
            arity = "1..*",
            paramLabel = "NAME",
            completionCandidates = Elections.class,
            description = "The elections to follow.")
    private List<String> names = List.of();

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Exit after TIME: 10s, 2m.")
    private @Nullable Duration atMost;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    ObserveCommand(Console console, Map<String, String> environment) {
        super(console, environment);
        this.time = new FollowTime(console);
    }

    @Override
    public Integer call() throws InterruptedException {
        names.forEach(name -> ElectionNames.require("the election name", name));
        Set<String> distinct = new LinkedHashSet<>(names);
        StoreAddress address = store.existing(environment);
        if (distinct.size() > 1) {
            requireManyKeys(address);
        }
        try (ElectionClient client = address.client().connect()) {
            Map<String, Observing> all = new LinkedHashMap<>();
            for (String name : distinct) {
                all.put(name, client.election(name).observe(view -> show(name, view)));
            }
            time.await(atMost, () -> all.forEach(this::showUnanswered));
            all.values().forEach(Observing::close);
            return ExitCode.OK;
        }
    }

    /** Refuses a URL whose {@code key} is the same for every election. */
    private static void requireManyKeys(StoreAddress address) {
        address.parsed().parameter("key").filter(key -> !key.contains(ANY)).ifPresent(key -> {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "the key '" + key
                            + "' of the store URL names a single election, but several were given; give one, or put "
                            + ANY
                            + " into the key");
        });
    }

    private synchronized void showUnanswered(String name, Observing observing) {
        LeaderView view = observing.view();
        if (view instanceof LeaderView.Unknown && looked.add(name)) {
            show(name, view);
        }
    }

    private synchronized void show(String name, LeaderView view) {
        if (!(view instanceof LeaderView.Unknown)) {
            looked.add(name);
        } else if (!looked.contains(name)) {
            // Nothing is known before the first answer, which is reported only if that takes long.
            return;
        }
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        if (json) {
            Json.print(console.out(), out -> {
                out.writeStringField("time", now.toString());
                out.writeStringField("election", name);
                out.writeStringField("event", LeaderState.word(view));
                Json.seconds(out, "ageSeconds", view.age());
                if (view instanceof LeaderView.Led led) {
                    Json.object(out, "leader", leader -> Json.leader(leader, led.current()));
                }
            });
        } else {
            console.out()
                    .println(console.styled(2, now.toString()) + "  " + Leader.printable(name) + "  " + words(view));
        }
        time.printed();
    }

    private String words(LeaderView view) {
        if (view instanceof LeaderView.Led led) {
            Leader leader = led.current();
            return console.styled(32, "led") + " by " + Leader.printable(leader.candidate()) + ", token "
                    + leader.token()
                    + (leader.value().isEmpty() ? "" : ", value '" + Leader.printable(leader.value()) + "'")
                    + (leader.foreign() ? ", written by another program" : "")
                    + (leader.asked() ? ", asked to leave" : "")
                    + (leader.verified() ? "" : " (unverified)");
        }
        return view instanceof LeaderView.Vacant
                ? console.styled(33, "vacant")
                : console.styled(31, "unknown") + ": no answer from the store for " + Durations.words(view.age());
    }
}
