package dev.mandate.cli.demo;

import dev.mandate.cli.Durations;
import dev.mandate.cli.ExitCode;
import dev.mandate.cli.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The play in three acts: the leader is killed, the next one frozen, the third asked to resign. */
final class Demo {
    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final Duration STARTUP_EACH = Duration.ofSeconds(5);
    static final Duration PATIENCE = Duration.ofSeconds(20);
    /** How often the thawed one is asked whether it believes to lead. */
    private static final int ANSWERS_AFTER_THAW = 10;

    private final Cast cast;
    private final Screen screen;
    private final int workers;
    private final Duration bound;
    private final List<HandOver> handOvers = new ArrayList<>();

    /** @param bound within which another leads after a leader crashed */
    Demo(Cast cast, Screen screen, int workers, Duration bound) {
        this.cast = cast;
        this.screen = screen;
        this.workers = workers;
        this.bound = bound;
    }

    /**
     * Plays.
     *
     * @return the three hand-overs
     * @throws Failure if something did not happen in time, or should not have happened
     */
    List<HandOver> play() throws InterruptedException {
        for (int i = 1; i <= workers; i++) {
            cast.start("worker-" + i);
        }
        kill(settled(STARTUP.plus(STARTUP_EACH.multipliedBy(workers))));
        // Somebody has to be there when the next one is frozen, even of two.
        screen.act(cast, "worker-" + (workers + 1) + " is started in place of the killed one");
        cast.start("worker-" + (workers + 1));
        freeze(settled(STARTUP));
        resign(settled(PATIENCE.plus(bound)));
        return List.copyOf(handOvers);
    }

    /** Starts all, and touches nobody for so long. What happens is shown as it does. */
    void watch(Duration time) throws InterruptedException {
        for (int i = 1; i <= workers; i++) {
            cast.start("worker-" + i);
        }
        cast.passing(time);
    }

    private Cast.Term settled(Duration atMost) throws InterruptedException {
        return cast.await("not every worker led or followed the leader", atMost, cast::settled);
    }

    private void kill(Cast.Term former) throws InterruptedException {
        screen.act(cast, "1. " + former.leader + " leads and is killed (SIGKILL)");
        long atNanos = cast.member(former.leader).process.kill();
        handedOver("killed", former, atNanos);
    }

    private void freeze(Cast.Term former) throws InterruptedException {
        screen.act(cast, "2. " + former.leader + " leads and is frozen (SIGSTOP)");
        Cast.Member member = cast.member(former.leader);
        long atNanos = member.process.freeze();
        cast.frozen(member, true);
        handedOver("frozen", former, atNanos);
        screen.act(cast, former.leader + " is thawed (SIGCONT)");
        long thawedMicros = Report.micros();
        member.process.thaw();
        cast.frozen(member, false);
        requireDeposed(former, thawedMicros);
    }

    /** Every answer from the thaw on counts; that the first is among them follows from their order. */
    private void requireDeposed(Cast.Term former, long thawedMicros) throws InterruptedException {
        long seenMicros = thawedMicros;
        for (int i = 0; i < ANSWERS_AFTER_THAW; i++) {
            long afterMicros = seenMicros;
            Report.Beat answer = cast.await(former.leader + " did not say what it believes, thawed,", PATIENCE, () -> {
                Report.Beat last = cast.last(former);
                return last != null && last.atMicros() > afterMicros ? last : null;
            });
            if (cast.believed(former, thawedMicros)) {
                throw new Failure(
                        ExitCode.NOT_SHOWN,
                        former.leader + " believed to lead after it had been frozen and another led");
            }
            if (i == 0) {
                screen.act(
                        cast, former.leader + " finds at once that it no longer leads: its first isValid() is false");
            }
            seenMicros = answer.atMicros();
        }
    }

    private void resign(Cast.Term former) throws InterruptedException {
        screen.act(cast, "3. " + former.leader + " leads and is asked to resign");
        long atNanos = System.nanoTime();
        cast.member(former.leader).process.resign();
        handedOver("resigned", former, atNanos);
    }

    private void handedOver(String how, Cast.Term former, long atNanos) throws InterruptedException {
        Cast.Term next = cast.await(
                "nobody took over from " + former.leader + ", which was " + how + ",",
                bound.multipliedBy(2).plus(PATIENCE),
                () -> cast.after(former));
        Duration gap = Duration.ofNanos(next.heardNanos - atNanos);
        handOvers.add(new HandOver(how, former.leader, next.leader, former.token, next.token, gap));
        screen.act(
                cast,
                former.leader + " led with token " + former.token + " and " + (how.equals("resigned") ? "" : "was ")
                        + how + "; " + next.leader + " leads with token " + next.token + " after "
                        + Durations.words(gap));
    }
}
