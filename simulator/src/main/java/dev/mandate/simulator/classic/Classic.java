package dev.mandate.simulator.classic;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * Shows what a classic election does when nobody asks a register: scenes, each with a transcript, then how often two
 * nodes led at once in random schedules.
 */
public final class Classic {
    /** The default number of schedules. */
    public static final long SCHEDULES = 10_000;
    /** The default seed of the first schedule. */
    public static final long BASE = 1;

    private static final String BULLY = """
            Classic bully: nodes believe the outcome of an election, and no register is asked.

            There are five nodes, n1 to n5. The leader sends a heartbeat every 0.5 s. A node that hears none for
            2 s asks all higher nodes whether they are alive. If none answers within 0.2 s, it believes that it
            leads, and tells all lower nodes, which believe it.
            """;

    private static final String RING = """
            Classic ring: nodes believe the outcome of an election, and no register is asked.

            There are five nodes, n1 to n5, each with a successor; that of n5 is n1. The leader sends a heartbeat
            to all every 0.5 s. A node that hears none for 2 s sends a token round the ring, which collects the
            nodes it passes. A successor that does not confirm it within 0.1 s is skipped. A node that waits for
            its own token drops those of lower nodes, and sends a new one after 0.3 s. Once the token is back, a
            second lap tells all that the highest node in it leads, and they believe it.
            """;

    private static final String REGISTER = """
            With Mandate's register: none, whatever of this goes wrong. A leader needs a lease from a majority of
            the nodes, two majorities share a node, and a leader stops before its lease is over. Bully and ring
            only decide who tries first. Assumptions and argument: docs/adr/0035 and docs/adr/0036.
            """;

    private final Algorithm algorithm;
    private final PrintStream out;

    private Classic(Algorithm algorithm, PrintStream out) {
        this.algorithm = algorithm;
        this.out = out;
    }

    /**
     * Prints everything; {@link #SCHEDULES} schedules take some ten seconds.
     *
     * @param schedules how many to run for each kind of fault, at least 1
     * @param base the seed of the first; the others follow
     */
    public static void show(Algorithm algorithm, long schedules, long base, PrintStream out) {
        Classic classic = new Classic(algorithm, out);
        classic.scenes();
        classic.rates(schedules, base);
    }

    private void scenes() {
        boolean isBully = algorithm == Algorithm.BULLY;
        out.println(isBully ? BULLY : RING);
        String left = isBully ? "heartbeats" : "heartbeats and confirmations";
        out.println("A message takes 1 to 6 ms. Times are in seconds; " + left + " are not shown.");
        List<Scene> scenes = Scene.all(algorithm);
        for (int i = 0; i < scenes.size(); i++) {
            Scene scene = scenes.get(i);
            out.println();
            out.println("--- " + (i + 1) + ". " + scene.title());
            out.println(scene.before());
            out.println();
            scene.transcript().forEach(out::println);
            out.println();
            out.println(scene.after());
        }
    }

    private void rates(long schedules, long base) {
        out.println();
        out.println("--- How often two lead at once");
        out.printf(
                Locale.ROOT,
                "Random schedules of two minutes, %,d for each line, with seeds from %d on.%n",
                schedules,
                base);
        out.println(
                "Every 3 to 9 s a node crashes, a node is paused, or the network splits; every other crash or pause is");
        out.println("aimed at a leader. Late messages take up to 1.5 s.");
        out.println();
        out.printf("%-39s  %19s%n", "", "schedules in which");
        out.printf(
                "%-39s  %19s  %17s  %17s%n",
                "what goes wrong", "two led at once", "for 0.1 s or more", "share of all time");
        for (Faults faults : Faults.values()) {
            ClassicRates rates = ClassicRates.of(algorithm, faults, schedules, base);
            out.printf(
                    Locale.ROOT,
                    "%-39s  %,19d  %,17d  %15.2f %%%n",
                    faults.text(),
                    rates.withSeveral(),
                    rates.withSeveralForLong(),
                    100 * rates.share());
        }
        out.println();
        out.print(REGISTER);
    }
}
