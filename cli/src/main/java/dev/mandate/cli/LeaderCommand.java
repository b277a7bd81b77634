package dev.mandate.cli;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.LeaderResolver;
import dev.mandate.LeaderView;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate leader}: see its help. */
@Command(
        name = "leader",
        header = "Print the leader's value: its address, for instance.",
        description = {
            "",
            "Prints what the leader of NAME published, and nothing else. With --wait, it waits for a leader"
                    + " if there is none.",
            "",
            "On SQLite, PostgreSQL and in groups a single read cannot show whether the leader is alive: a"
                    + " dead leader is printed until another one leads.",
            "",
            "For instance: curl \"http://$(mandate leader invoices --wait 10s)/\"",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 there is a leader, 10 nobody leads, 3 unknown because the store did not answer;",
            "  2 bad input, 4 the store has to be set up"
        })
final class LeaderCommand extends ConsoleCommand {
    @Parameters(paramLabel = "NAME", completionCandidates = Elections.class, description = "The election.")
    private String name = "";

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Wait for a leader, for at most TIME: 10s, 2m.")
    private @Nullable Duration atMost;

    @Option(names = "--json", description = "Print one JSON object, even if nobody leads.")
    private boolean json;

    LeaderCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        ElectionNames.require("the election name", name);
        StoreAddress address = store.existing(environment);
        try (ElectionClient client = address.client().connect()) {
            LeaderView view = view(client.election(name));
            if (json) {
                printJson(view);
            }
            if (view instanceof LeaderView.Led led) {
                if (!json) {
                    console.out().println(Leader.printable(led.current().value()));
                }
                return ExitCode.OK;
            }
            if (view instanceof LeaderView.Vacant) {
                console.say("nobody leads '" + name + "' in " + address);
                return ExitCode.VACANT;
            }
            console.say("the leader of '" + name + "' is unknown: " + address + " has not answered for "
                    + Durations.words(view.age()));
            return ExitCode.UNAVAILABLE;
        }
    }

    private LeaderView view(Election election) throws InterruptedException {
        LeaderView first = election.view();
        if (atMost == null || first instanceof LeaderView.Led) {
            return first;
        }
        try (LeaderResolver resolver = election.resolver()) {
            resolver.await(atMost);
            LeaderView view = resolver.view();
            if (!(view instanceof LeaderView.Unknown)) {
                return view;
            }
        }
        // The time may have been too short for any answer.
        return election.view();
    }

    private void printJson(LeaderView view) {
        Json.print(console.out(), out -> {
            out.writeStringField("election", name);
            out.writeStringField("state", LeaderState.word(view));
            Json.seconds(out, "ageSeconds", view.age());
            if (view instanceof LeaderView.Led led) {
                Json.object(out, "leader", leader -> Json.leader(leader, led.current()));
            }
        });
    }
}
