package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import dev.mandate.registry.ServiceView;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate instances}: see its help. */
@Command(
        name = "instances",
        header = "List, or follow, the instances of a service.",
        description = {
            "",
            "Prints a line for each instance of SERVICE, with tabs between its fields: id, address, status,"
                    + " 'live' or 'unverified', metadata. A hyphen means that a field is empty. --watch then prints a"
                    + " line for each change, which begins with the time and the event.",
            "",
            "An instance that died is listed until its lease expires. On SQLite, PostgreSQL and in groups a"
                    + " single read cannot show whether an instance is alive: it is 'unverified'. --verify checks for"
                    + " about one lease.",
            "",
            "For instance: mandate instances web --passing | cut -f2",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 done, even if there is nothing to show; 2 bad input, 3 the store did not answer,",
            "  4 it has to be set up, 128 + n signal n ended --watch"
        })
final class InstancesCommand extends ConsoleCommand {
    @Parameters(paramLabel = "SERVICE", description = "The service.")
    private String service = "";

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--passing", description = "Only instances that may be called: UP, and alive as far as is known.")
    private boolean passing;

    @Option(names = "--verify", description = "Check for about one lease, and leave out instances that died.")
    private boolean verify;

    @Option(names = "--watch", description = "Follow the service: print all instances, then each change.")
    private boolean watch;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "With --watch: exit after TIME: 10s, 2m.")
    private @Nullable Duration atMost;

    @Option(names = "--json", description = "Print one JSON object; with --watch one per line.")
    private boolean json;

    InstancesCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        ElectionNames.require("the name of the service", service);
        if (watch && verify) {
            throw new Failure(ExitCode.BAD_INPUT, "--watch and --verify are both given; --watch verifies by itself");
        }
        if (atMost != null && !watch) {
            throw new Failure(ExitCode.BAD_INPUT, "--for is given without --watch; give both, or neither");
        }
        StoreAddress address = store.existing(environment);
        try (ElectionClient client = address.client().connect()) {
            if (watch) {
                new InstanceChanges(console, service, passing, json).follow(client, atMost);
            } else {
                ServiceView all = verify
                        ? InstanceVerification.of(client, service)
                        : Failure.bounded(() -> client.registry().instances(service));
                show(address, passing ? InstanceChanges.passing(all) : all);
            }
        }
        return ExitCode.OK;
    }

    private void show(StoreAddress address, ServiceView view) {
        if (json) {
            Json.print(console.out(), out -> {
                out.writeStringField("store", address.toString());
                out.writeStringField("service", service);
                Json.seconds(out, "ageSeconds", view.age());
                Json.array(out, "instances", view.instances(), Json::instance);
            });
            return;
        }
        view.instances().forEach(instance -> console.out().println(InstanceChanges.line(instance)));
        if (view.instances().isEmpty()) {
            console.say("no instance of '" + service + "' " + (passing ? "is passing" : "is registered") + " in "
                    + address);
        } else if (!verify && view.instances().stream().anyMatch(each -> !each.verified())) {
            console.say(
                    "a single read cannot show whether unverified instances are alive; --verify checks for about one"
                            + " lease");
        }
    }
}
