package dev.mandate.bench;

import dev.mandate.ElectionClient;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import java.io.IOException;

/** Starts a server on loopback to measure it. */
final class Served {
    private Served() {}

    static MandateHttp of(ElectionClient client) {
        try {
            return MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    static Failure failed(IOException why) {
        return new Failure(ExitCode.UNEXPECTED, "the server on loopback failed: " + why, why);
    }
}
