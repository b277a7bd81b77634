package dev.mandate.simulator;

import dev.mandate.simulator.bugs.PlantedBug;
import dev.mandate.simulator.bugs.PlantedBugs;
import dev.mandate.simulator.classic.Algorithm;
import dev.mandate.simulator.classic.Classic;
import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.StoreKind;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parsed command line. */
final class Arguments {
    /** What {@code --help} prints. */
    static final String HELP = """
            Runs the real machines of Mandate on virtual clocks through seeded faults, and checks after every event.

            usage: java -jar simulator/target/simulator.jar [option...]

              --schedules N   how many fresh seeds to run (default 100000)
              --base SEED     the first of them (default: drawn at random, and printed)
              --threads N     how many run at once (default 1)
              --coverage      print which events met which roles, and how often each fault fired
              --seed SEED     run this one alone, and print its knobs and last steps
              --lines N       how many steps to print (default 50)
              --expiry KIND   removes-session, removes-record, judges-session or judges-record
                              (default: it follows from the seed)
              --aim AIM       swarm (default), clock-edge, clock-beyond, clock-bare, clock-slow,
                              clock-stepped, haunted, stuck, paused, blinded, suspended, crowded, services, queues,
                              runtime, descheduled, groups or plots
              --groups        worlds of groups without a store, as --aim groups: a voter and a candidate in
                              each of 3 to 9 processes; takes neither --expiry nor --aim nor --bug
              --bug NAME      plant this mistake and look for it; with --seed, show what that seed makes of it
              --list-bugs     print the names of all planted bugs
              --classic KIND  bully or ring as in textbooks, without a register: print how elections work
                              and how two lead at once, then how often they do in N schedules (default
                              10000) of each kind of fault, from SEED on (default 1); of the options
                              above, only --schedules and --base apply
              --help          print this

            Exit code: 0 nothing was broken (with --bug alone: it was found), 1 something was broken (with
            --bug alone: it was not found), 2 the arguments cannot be understood.
            """;

    private static final long SCHEDULES = 100_000;
    private static final long SCHEDULES_MAX = 1_000_000_000L;
    private static final int LINES_MAX = 10_000_000;
    private static final int THREADS_MAX = 1_024;
    private static final Set<String> FIXED_BY_GROUPS = Set.of("--aim", "--expiry", "--bug");
    private static final Set<String> CLASSIC = Set.of("--classic", "--schedules", "--base", "--help", "-h");

    private Aim aim = Aim.SWARM;
    private @Nullable StoreKind kind;
    private @Nullable Long seed;
    private @Nullable Long schedules;
    private @Nullable Long base;
    private final long baseDrawn = new SecureRandom().nextLong() >>> 24;
    private int threads = 1;
    private int lines = Replay.LINES;
    private boolean coverage;
    private @Nullable PlantedBug bug;
    private boolean listBugs;
    private @Nullable Algorithm classic;
    private boolean groups;
    private boolean help;

    private Arguments() {}

    /**
     * Parses a command line.
     *
     * @throws IllegalArgumentException with one sentence that says which argument is wrong and what it may be
     */
    static Arguments parse(String... args) {
        Arguments read = new Arguments();
        Deque<String> rest = new ArrayDeque<>(List.of(args));
        Set<String> given = new TreeSet<>();
        while (!rest.isEmpty()) {
            String option = rest.remove();
            read.option(option, rest);
            given.add(option);
        }
        given.removeAll(CLASSIC);
        if (read.classic != null && !given.isEmpty()) {
            throw new IllegalArgumentException(
                    "--classic takes only --schedules and --base; leave out " + String.join(" and ", given));
        }
        if (read.groups) {
            given.retainAll(FIXED_BY_GROUPS);
            if (!given.isEmpty()) {
                throw new IllegalArgumentException(
                        "--groups has one kind of worlds; leave out " + String.join(" and ", given));
            }
            read.aim = Aim.GROUPS;
        }
        if (read.aim.isGroup() && read.kind != null && read.kind != StoreKind.JUDGES_RECORD) {
            throw new IllegalArgumentException("--expiry is " + read.kind.text() + "; with --aim " + read.aim.text()
                    + " it can only be judges-record");
        }
        return read;
    }

    private void option(String option, Deque<String> rest) {
        switch (option) {
            case "--seed" -> seed = number(option, rest, Long.MIN_VALUE, Long.MAX_VALUE);
            case "--base" -> base = number(option, rest, Long.MIN_VALUE, Long.MAX_VALUE - SCHEDULES_MAX);
            case "--schedules" -> schedules = number(option, rest, 1, SCHEDULES_MAX);
            case "--threads" -> threads = (int) number(option, rest, 1, THREADS_MAX);
            case "--lines" -> lines = (int) number(option, rest, 0, LINES_MAX);
            case "--expiry" -> kind = StoreKind.parse(value(option, rest));
            case "--aim" -> aim = Aim.parse(value(option, rest));
            case "--bug" -> bug = bug(value(option, rest));
            case "--coverage" -> coverage = true;
            case "--list-bugs" -> listBugs = true;
            case "--classic" -> classic = Algorithm.parse(value(option, rest));
            case "--groups" -> groups = true;
            case "--help", "-h" -> help = true;
            default -> throw new IllegalArgumentException("option '" + option + "' is unknown; --help lists all");
        }
    }

    private static String value(String option, Deque<String> rest) {
        String value = rest.poll();
        if (value == null) {
            throw new IllegalArgumentException(option + " needs a value; --help says which");
        }
        return value;
    }

    private static long number(String option, Deque<String> rest, long least, long most) {
        String text = value(option, rest);
        long number;
        try {
            number = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " is '" + text + "'; it must be a whole number", e);
        }
        if (number < least || number > most) {
            throw new IllegalArgumentException(option + " is " + number + "; it must be from " + least + " to " + most);
        }
        return number;
    }

    private static PlantedBug bug(String name) {
        return PlantedBugs.named(name)
                .orElseThrow(() ->
                        new IllegalArgumentException("there is no planted bug '" + name + "'; --list-bugs names all"));
    }

    Aim aim() {
        return aim;
    }

    /** The kind of store, or null if it follows from the seed. */
    @Nullable
    StoreKind kind() {
        return kind;
    }

    StoreKind kindOf(long ofSeed) {
        if (aim.isGroup()) {
            return StoreKind.JUDGES_RECORD;
        }
        return kind == null ? StoreKind.ofSeed(ofSeed) : kind;
    }

    /** The one seed to run, or null. */
    @Nullable
    Long seed() {
        return seed;
    }

    long schedules() {
        if (schedules != null) {
            return schedules;
        }
        return classic == null ? SCHEDULES : Classic.SCHEDULES;
    }

    long base() {
        if (base != null) {
            return base;
        }
        return classic == null ? baseDrawn : Classic.BASE;
    }

    int threads() {
        return threads;
    }

    int lines() {
        return lines;
    }

    boolean coverage() {
        return coverage;
    }

    /** The bug to plant, or null. */
    @Nullable
    PlantedBug bug() {
        return bug;
    }

    boolean listBugs() {
        return listBugs;
    }

    /** The classic election to show, or null. */
    @Nullable
    Algorithm classic() {
        return classic;
    }

    boolean help() {
        return help;
    }
}
