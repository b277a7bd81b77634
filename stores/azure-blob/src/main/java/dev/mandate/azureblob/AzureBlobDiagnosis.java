package dev.mandate.azureblob;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Finding;
import dev.mandate.spi.Verb;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The doctor's checks of a blob service: what answers, its clock, the container, and how long the credentials last. */
final class AzureBlobDiagnosis {
    /** The service refuses signatures from 15 min on. */
    private static final Duration CLOCK_BAD = Duration.ofMinutes(10);

    /** The service reports its time in seconds. */
    private static final Duration CLOCK_WELL = Duration.ofSeconds(10);

    private static final Duration SIGNATURE_SOON = Duration.ofDays(7);

    private final AzureBlobSettings settings;
    private final BlobConnection connection;

    AzureBlobDiagnosis(AzureBlobSettings settings, BlobConnection connection) {
        this.settings = settings;
        this.connection = connection;
    }

    CompletionStage<List<Finding>> findings(CallContext call) {
        return connection.greet("asking for the container", true, call).handle((greeting, why) -> {
            List<Finding> findings = new ArrayList<>();
            if (why == null) {
                version(greeting, findings);
                clock(greeting, findings);
                container(greeting, findings);
            } else {
                findings.add(Finding.error(
                        "service", String.valueOf(Causes.unwrapped(why).getMessage())));
            }
            credentials(findings);
            if (why != null) {
                // If the service did not answer, nothing counts as OK.
                findings.removeIf(finding -> finding.severity() == Finding.Severity.OK);
            }
            return findings;
        });
    }

    private void version(BlobConnection.Greeting greeting, List<Finding> findings) {
        String server = greeting.server().isEmpty() ? "a service without a name" : greeting.server();
        // The emulator does not report it if there is no container.
        String with = greeting.version().isEmpty() ? "" : ", interface " + greeting.version();
        String said = settings.name() + " is " + server + with;
        findings.add(
                greeting.server().startsWith("Azurite")
                        ? Finding.warning(
                                "version",
                                said
                                        + ": the emulator, for tests. Restarted, it forgets its leases, which the service does not")
                        : Finding.ok("version", said + ". Mandate is tested on the emulator only"));
    }

    private static void clock(BlobConnection.Greeting greeting, List<Finding> findings) {
        if (greeting.clockMillis() == 0) {
            findings.add(Finding.warning(
                    "clock", "the service does not report its time: tokens rise, but not where a blob was deleted"));
            return;
        }
        Duration ahead = Duration.between(Instant.ofEpochMilli(greeting.clockMillis()), Instant.now());
        String said = "this machine's clock is " + ahead.abs().toSeconds() + " s "
                + (ahead.isNegative() ? "behind" : "ahead of") + " the service's";
        if (ahead.abs().compareTo(CLOCK_BAD) > 0) {
            findings.add(Finding.error("clock", said + "; from 15 min on, signed requests are rejected: correct it"));
        } else if (ahead.abs().compareTo(CLOCK_WELL) > 0) {
            findings.add(Finding.warning("clock", said + "; leases don't depend on it, signatures do"));
        } else {
            findings.add(Finding.ok("clock", said));
        }
    }

    private void container(BlobConnection.Greeting greeting, List<Finding> findings) {
        String name = settings.container();
        switch (greeting.container()) {
            case PRIVATE -> findings.add(Finding.ok("container", "the container " + name + " exists and is private"));
            case IMMUTABLE ->
                findings.add(Finding.error(
                        "container",
                        "the container " + name + " has an immutability policy or a legal hold, so that no leader can"
                                + " write its record; use a container without one"));
            case PUBLIC ->
                findings.add(Finding.warning(
                        "container",
                        "anyone may read the container " + name + ", including leaders' values; make it private"));
            case MISSING ->
                findings.add(
                        settings.create()
                                ? Finding.ok(
                                        "container",
                                        "there is no container " + name + " yet; the first election creates it")
                                : Finding.error(
                                        "container",
                                        "there is no container " + name + "; create it: az storage container create"));
            case UNTOLD -> {
                // The doctor's other checks show the rights.
            }
        }
    }

    private void credentials(List<Finding> findings) {
        Optional<Instant> end = settings.credentials().end();
        String kind = "requests are signed with " + settings.credentials();
        if (end.isEmpty()) {
            findings.add(Finding.ok("credentials", kind));
            return;
        }
        Duration left = Duration.between(Instant.now(), end.get());
        String until = kind + ", which " + (left.isNegative() ? "ended at " : "ends at ") + end.get();
        String todo = "; " + settings.credentials().toExchange() + (left.isNegative() ? "" : ", before");
        findings.add(
                left.isNegative()
                        ? Finding.error("credentials", until + todo)
                        : left.compareTo(SIGNATURE_SOON) < 0
                                ? Finding.warning("credentials", until + todo)
                                : Finding.ok("credentials", until));
    }

    /** The right that a signature for the container, or a role, must grant. */
    static Optional<String> rightFor(Verb verb, String container) {
        String on = " on the container " + container;
        return switch (verb) {
            case READ -> Optional.of("read (r)" + on + ", role Storage Blob Data Reader");
            case LIST, WATCH -> Optional.of("list (l)" + on + ", role Storage Blob Data Reader");
            case ACQUIRE, UPDATE, RELEASE -> Optional.of("write (w)" + on + ", role Storage Blob Data Contributor");
            case ERASE -> Optional.of("delete (d)" + on + ", role Storage Blob Data Contributor");
            case SESSION -> Optional.empty();
        };
    }
}
