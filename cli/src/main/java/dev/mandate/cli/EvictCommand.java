package dev.mandate.cli;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.Eviction;
import dev.mandate.Leader;
import dev.mandate.console.Console;
import dev.mandate.console.ConsoleCommand;
import dev.mandate.console.Durations;
import dev.mandate.console.ElectionNames;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Json;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mandate evict}: see its help. */
@Command(
        name = "evict",
        header = "Ask a leader to leave, or force it out.",
        description = {
            "",
            "Asks the leader of an election to stop its work and resign. It then stays away for a while. No"
                    + " two leaders overlap: a leader that does not respond keeps leadership until its lease expires.",
            "",
            "With --force the record is freed at once. Until the former leader notices, it may go on working"
                    + " beside a new one; the output says for how long at most. In that time only resources that check"
                    + " the token are safe.",
            ""
        },
        footerHeading = "%nExit code:%n",
        footer = {
            "  0   asked, or freed",
            "  10  nobody led",
            "  11  another program wrote the record and doesn't support eviction requests; only --force works",
            "  12  another term had begun meanwhile; it was not touched",
            "  2 bad input, 3 the store did not answer: the eviction may have happened, 4 it has to be set up"
        })
final class EvictCommand extends ConsoleCommand {
    @Parameters(paramLabel = "NAME", completionCandidates = Elections.class, description = "The election.")
    private String name = "";

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(names = "--force", description = "Free the record at once; two may then lead at the same time.")
    private boolean force;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    EvictCommand(Console console, Map<String, String> environment) {
        super(console, environment);
    }

    @Override
    public Integer call() {
        ElectionNames.require("the election name", name);
        try (ElectionClient client = store.existing(environment).client().connect()) {
            Election election = client.election(name);
            Eviction eviction = force ? election.evictByForce() : election.evict();
            if (json) {
                print(eviction);
            } else {
                console.out().println(words(eviction));
            }
            return exitCode(eviction);
        }
    }

    private void print(Eviction eviction) {
        Json.print(console.out(), out -> {
            out.writeStringField("election", name);
            out.writeStringField("outcome", eviction.outcome().name().toLowerCase(Locale.ROOT));
            if (!isUnbounded(eviction)) {
                Json.seconds(out, "overlapAtMostSeconds", eviction.overlapAtMost());
            }
            Leader evicted = eviction.evicted();
            if (evicted != null) {
                Json.object(out, "leader", leader -> Json.leader(leader, evicted));
            }
        });
    }

    private String words(Eviction eviction) {
        String election = "'" + Leader.printable(name) + "'";
        String leader = eviction.leader()
                .map(l -> "'" + Leader.printable(l.candidate()) + "' (token " + l.token() + ")")
                .orElse("its leader");
        return switch (eviction.outcome()) {
            case ASKED -> "asked " + leader + " to leave " + election + "; no two leaders will overlap";
            case ASKED_BEFORE ->
                leader + " had already been asked to leave " + election
                        + "; if it does not respond, its lease expires, or use --force";
            case FREED ->
                "freed " + election + " from " + leader
                        + (isUnbounded(eviction)
                                ? "; another program wrote the record, and it is not known how long that program goes on leading"
                                        + " beside a new leader. A candidate that saw the record settles after it wins, before it leads,"
                                        + " for the longer of its lease and the record's, unless settleTime or settle=never says"
                                        + " otherwise"
                                : ", which may go on leading beside a new leader for at most "
                                        + Durations.words(eviction.overlapAtMost()));
            case VACANT -> "nobody leads " + election;
            case FOREIGN ->
                "another program wrote the record of " + election
                        + " and doesn't support eviction requests; only --force works";
            case MOVED_ON -> "another term of " + election + " had begun meanwhile; it was not touched";
        };
    }

    /** Whether another program's record was freed: nothing bounds how long that program believes. */
    private static boolean isUnbounded(Eviction eviction) {
        return eviction.outcome() == Eviction.Outcome.FREED
                && eviction.leader().filter(Leader::foreign).isPresent();
    }

    private static int exitCode(Eviction eviction) {
        return switch (eviction.outcome()) {
            case ASKED, ASKED_BEFORE, FREED -> ExitCode.OK;
            case VACANT -> ExitCode.VACANT;
            case FOREIGN -> ExitCode.FOREIGN;
            case MOVED_ON -> ExitCode.MOVED_ON;
        };
    }
}
