package dev.mandate.cli;

import dev.mandate.ElectionClient;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.StoreAddress;
import dev.mandate.console.StoreArgument;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mandate serve}: see its help. */
@Command(
        name = "serve",
        header = "Serve who leads over HTTP: a page, JSON and events.",
        description = {
            "",
            "Follows all elections, queues and services of the store and serves them: a live page at /, JSON"
                    + " at /v1/elections and /v1/services, server-sent events at /v1/events, and /healthz for probes."
                    + " /v1/openapi.json describes all of it. Prints the page's URL and runs until it is interrupted"
                    + " (INT, TERM). Writes nothing to the store.",
            "",
            "Without a token, it serves only this machine. Clients that send the token, as a bearer token or"
                    + " as the password of any user, see everything. Put a TLS proxy in front.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0 after --for, 2 bad input or an address that is in use, 3 the store did not answer,",
            "  4 it has to be set up, 128 + n signal n ended it"
        })
final class ServeCommand extends ConsoleCommand {
    @Mixin
    private StoreArgument store = new StoreArgument();

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "" + HttpOptions.DEFAULT_PORT,
            description = "The port to listen on; 0 for any that is free. Default: ${DEFAULT-VALUE}")
    private int port = HttpOptions.DEFAULT_PORT;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description =
                    "The address to listen on; 0.0.0.0 for all. Every address but loopback requires a token. Default:"
                            + " ${DEFAULT-VALUE}")
    private String bind = "127.0.0.1";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "Serve only clients that send the token in the first line of this file. You may replace the file"
                            + " at any time.")
    private @Nullable String tokenFile;

    @Option(
            names = "--token-env",
            paramLabel = "NAME",
            description = "The same, with the token in this environment variable.")
    private @Nullable String tokenVariable;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Exit after TIME: 10s, 2m.")
    private @Nullable Duration atMost;

    ServeCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() throws InterruptedException {
        HttpOptions options = options();
        StoreAddress address = store.existing(environment).requireShared();
        CountDownLatch isOver = new CountDownLatch(1);
        try (ElectionClient client = address.client().connect();
                MandateHttp http = MandateHttp.serve(client, options)) {
            Thread atExit = new Thread(
                    () -> {
                        http.close();
                        client.close();
                    },
                    "serve-exit");
            Runtime.getRuntime().addShutdownHook(atExit);
            console.out().println(http.uri());
            console.say("serving who leads in " + address + " to "
                    + (hasToken() ? "clients that send the token" : "this machine only")
                    + "; stop it with INT or TERM");
            if (atMost == null) {
                isOver.await();
            } else {
                isOver.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
            }
            forget(atExit);
            return ExitCode.OK;
        } catch (IOException e) {
            throw new Failure(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()), e);
        }
    }

    private static void forget(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This process is ending already; the hook does the same.
        }
    }

    private boolean hasToken() {
        return tokenFile != null || tokenVariable != null;
    }

    private HttpOptions options() {
        if (port < 0 || port > 65_535) {
            throw new Failure(ExitCode.BAD_INPUT, "--port is " + port + "; give 0 to 65535, 0 for any that is free");
        }
        if (tokenFile != null && tokenVariable != null) {
            throw new Failure(ExitCode.BAD_INPUT, "--token-file and --token-env are both given; give one of them");
        }
        HttpOptions options = HttpOptions.DEFAULTS.withPort(port).withAddress(bind);
        if (tokenFile != null) {
            try {
                return options.withTokenFile(Path.of(tokenFile));
            } catch (InvalidPathException e) {
                throw new Failure(ExitCode.BAD_INPUT, "--token-file names no file: " + e.getReason(), e);
            }
        }
        if (tokenVariable == null) {
            requireLoopback();
        } else {
            String token = environment.get(tokenVariable);
            if (token == null) {
                throw new Failure(
                        ExitCode.BAD_INPUT,
                        "the environment variable " + tokenVariable + ", named by --token-env, is not set");
            }
            return options.withToken(token);
        }
        return options;
    }

    private void requireLoopback() {
        try {
            if (!InetAddress.getByName(bind).isLoopbackAddress()) {
                throw new Failure(
                        ExitCode.BAD_INPUT,
                        "--bind " + bind
                                + " can be reached from other machines, and there is no token; give --token-file"
                                + " or --token-env, or listen on 127.0.0.1");
            }
        } catch (UnknownHostException e) {
            // Listening fails for the same reason and says so.
        }
    }
}
