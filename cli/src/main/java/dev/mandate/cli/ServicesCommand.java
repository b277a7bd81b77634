package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.Leader;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Json;
import dev.mandate.console.StoreAddress;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mandate services}: see its help. */
@Command(
        name = "services",
        header = "List the services that have instances.",
        description = {"", "Prints one name per line, sorted. Reads every registration in the store.", ""},
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 done, even if there is nothing to show; 2 bad input, 3 the store did not answer,",
            "  4 it has to be set up"
        })
final class ServicesCommand extends ConsoleCommand {
    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    ServicesCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() {
        StoreAddress address = store.existing(environment);
        try (ElectionClient client = address.client().connect()) {
            List<String> services = Failure.bounded(client.registry()::services);
            if (json) {
                Json.print(console.out(), out -> {
                    out.writeStringField("store", address.toString());
                    out.writeArrayFieldStart("services");
                    for (String service : services) {
                        out.writeString(service);
                    }
                    out.writeEndArray();
                });
            } else if (services.isEmpty()) {
                console.say("nothing is registered in " + address);
            } else {
                services.forEach(service -> console.out().println(Leader.printable(service)));
            }
        }
        return ExitCode.OK;
    }
}
