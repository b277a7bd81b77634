package dev.mandate.peers.register;

import java.util.List;

/**
 * What an {@link Explorer} explores.
 *
 * @param isHeld whether all voters have accepted a record in the beginning
 * @param isDiskSlow whether the voter that restarts may lose what it has not written yet
 * @param roundsMax of each call
 * @param ceiling that of all voters in the beginning
 * @param hasDeadlines whether a call that another one follows may end at its deadline, at any time
 * @param answersAtOnce whether an answer arrives with what it answers, or never. Where each proposer makes one
 *     call, that
 *     is as good as at any time: what is sent because of it may be delivered later, the request may come again, and an
 *     answer that comes after the majority it is not in changes nothing
 */
record Plan(
        List<Proposer> proposers,
        boolean isHeld,
        Restarts restarts,
        boolean isDiskSlow,
        int roundsMax,
        long ceiling,
        boolean hasDeadlines,
        boolean answersAtOnce) {
    static final Plan TWO_ACQUIRES = of(Restarts.NONE, false, List.of(Verb.ACQUIRE), List.of(Verb.ACQUIRE));
    static final Plan RELEASE_AND_READ = of(Restarts.NONE, true, List.of(Verb.RELEASE), List.of(Verb.READ));

    /** Only in its second round a release can meet what replaced it. */
    static final Plan RELEASE_AND_TAKE = new Plan(
            List.of(new Proposer(20, List.of(Verb.RELEASE)), new Proposer(10, List.of(Verb.TAKE))),
            true,
            Restarts.NONE,
            false,
            2,
            5,
            false,
            true);

    /** The calls of one proposer, one after the other. */
    record Proposer(long wallMillis, List<Verb> verbs) {
        Proposer {
            verbs = List.copyOf(verbs);
        }
    }

    /** On what stands in the beginning, or on what the former call of this proposer wrote or read. */
    enum Verb {
        ACQUIRE,
        /** An acquire on the first call's write, which a hint told of before anybody knows whether it is chosen. */
        TAKE,
        RENEW,
        AMEND,
        RELEASE,
        READ
    }

    /** Whether the first voter restarts, once. */
    enum Restarts {
        NONE,
        FILE_KEPT,
        FILE_LOST
    }

    Plan {
        proposers = List.copyOf(proposers);
    }

    /** Two proposers whose wall clocks differ; each call has one round. */
    static Plan of(Restarts restarts, boolean isHeld, List<Verb> first, List<Verb> second) {
        List<Proposer> both = List.of(new Proposer(20, first), new Proposer(10, second));
        return new Plan(both, isHeld, restarts, restarts != Restarts.NONE, 1, 5, false, restarts != Restarts.NONE);
    }

    /**
     * Whether voters differ in nothing but their places. A read asks the first two, so one that begins later tells them
     * apart.
     */
    boolean isSymmetric() {
        return restarts == Restarts.NONE
                && proposers.stream().allMatch(each -> each.verbs().lastIndexOf(Verb.READ) <= 0);
    }
}
