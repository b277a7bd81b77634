package dev.mandate.demo;

import dev.mandate.Explanation;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The play in three acts: the leader is killed, the next one frozen, the third asked to resign. */
final class Demo {
    private static final Duration STARTUP = Duration.ofSeconds(60);
    private static final Duration STARTUP_EACH = Duration.ofSeconds(5);
    static final Duration PATIENCE = Duration.ofSeconds(20);
    /** How many answers of the thawed leader are checked. */
    private static final int ANSWERS_AFTER_THAW = 10;

    private final Cast cast;
    private final Screen screen;
    private final int workers;
    private final Explanation explanation;
    private final Duration bound;
    private final @Nullable ScratchGroup group;
    private final List<HandOver> handOvers = new ArrayList<>();

    /**
     * @param explanation of the settings
     * @param group whose members the workers are; null if they have a store
     */
    Demo(Cast cast, Screen screen, int workers, Explanation explanation, @Nullable ScratchGroup group) {
        this.cast = cast;
        this.screen = screen;
        this.workers = workers;
        this.explanation = explanation;
        this.bound = explanation.failoverAtMost();
        this.group = group;
    }

    /**
     * Plays the three acts.
     *
     * @return the three hand-overs
     * @throws Failure if something did not happen in time, or should not have happened
     */
    List<HandOver> play() throws InterruptedException {
        for (int i = 1; i <= workers; i++) {
            cast.start("worker-" + i);
        }
        Cast.Term first = settled(STARTUP.plus(STARTUP_EACH.multipliedBy(workers)));
        ScratchGroup own = group;
        if (own != null) {
            own.awaitVoters(explanation, STARTUP);
        }
        kill(first);
        if (own == null) {
            // Somebody has to take over when the next leader is frozen, even with two workers.
            screen.act(cast, "worker-" + (workers + 1) + " is started in place of the killed one");
            cast.start("worker-" + (workers + 1));
        } else {
            startAgain(first.leader, own);
        }
        freeze(settled(STARTUP));
        resign(settled(PATIENCE.plus(bound)));
        return List.copyOf(handOvers);
    }

    /** Starts a killed member again and waits until it votes. */
    private void startAgain(String name, ScratchGroup own) throws InterruptedException {
        screen.act(
                cast,
                name + " is started again; for " + Durations.words(explanation.lease())
                        + " it follows and does not vote: it has forgotten which leases it granted");
        cast.start(name);
        own.awaitVoters(explanation, STARTUP);
        screen.act(cast, name + " votes again");
    }

    /** Starts all and only watches for {@code time}. Shows what happens as it happens. */
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

    /** Requires that no answer since the thaw was true. Answers come in order, so the first one is checked, too. */
    private void requireDeposed(Cast.Term former, long thawedMicros) throws InterruptedException {
        long seenMicros = thawedMicros;
        for (int i = 0; i < ANSWERS_AFTER_THAW; i++) {
            long afterMicros = seenMicros;
            Optional<Report.Beat> answer =
                    cast.await(former.leader + " did not report after it was thawed", PATIENCE, () -> {
                        Report.Beat last = cast.last(former);
                        return last != null && last.atMicros() > afterMicros
                                ? Optional.of(last)
                                // If the next leader makes room for it (preempt), it answers for a later term.
                                : cast.leadsAgain(former) ? Optional.empty() : null;
                    });
            if (cast.believed(former, thawedMicros)) {
                throw new Failure(
                        ExitCode.NOT_SHOWN,
                        former.leader + " still believed that it led after it had been frozen and another worker led");
            }
            if (i == 0) {
                screen.act(
                        cast, former.leader + " notices at once that it no longer leads: its first isValid() is false");
            }
            if (answer.isEmpty()) {
                return;
            }
            seenMicros = answer.get().atMicros();
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
