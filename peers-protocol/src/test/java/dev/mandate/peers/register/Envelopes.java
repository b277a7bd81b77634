package dev.mandate.peers.register;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All messages that were ever sent in any state, each under a number, and what voters did with them. */
final class Envelopes {
    /**
     * A message on its way.
     *
     * @param isToVoter whether {@code to} is a voter and {@code from} a proposer, or the other way round
     */
    record Envelope(boolean isToVoter, int to, int from, Message message) {
        int voter() {
            return isToVoter ? to : from;
        }
    }

    /** What a voter became by a message, and did. */
    record Taken(Voter voter, long digest, List<VoterAction> actions) {}

    private final boolean isSymmetric;
    private final Map<Envelope, Integer> numbers = new HashMap<>();
    private final List<Envelope> envelopes = new ArrayList<>();
    private final Map<Envelope, Integer> kinds = new HashMap<>();
    private final List<Long> hashes = new ArrayList<>();
    private final Map<Long, Taken> taken = new HashMap<>();

    /** For voters that differ in nothing but their places, or for others. */
    Envelopes(boolean isSymmetric) {
        this.isSymmetric = isSymmetric;
    }

    /** Whether voters differ in nothing but their places. */
    boolean isSymmetric() {
        return isSymmetric;
    }

    int number(Envelope envelope) {
        return numbers.computeIfAbsent(envelope, absent -> {
            envelopes.add(absent);
            int kind = kinds.computeIfAbsent(isSymmetric ? placeless(absent) : absent, each -> kinds.size() + 1);
            hashes.add(LongSet.mix(0x9E3779B97F4A7C15L * kind));
            return envelopes.size() - 1;
        });
    }

    /** What is sent to all voters, or by all, is the same for each. */
    private static Envelope placeless(Envelope envelope) {
        if (envelope.isToVoter()) {
            return new Envelope(true, 0, envelope.from(), envelope.message());
        }
        Message message = envelope.message() instanceof Message.Promise promise
                ? new Message.Promise(promise.epoch(), Start.NONE, List.of(), promise.vote(), 0)
                : envelope.message();
        return new Envelope(false, envelope.to(), 0, message);
    }

    Envelope envelope(int number) {
        return envelopes.get(number);
    }

    /** Where voters differ in nothing but their places, the same for all of them. */
    long hash(int number) {
        return hashes.get(number);
    }

    /**
     * What this voter does with a message to it: worked out once for all states in which it is as it is here. Not for
     * voters that restart, whose disks and times its digest leaves out.
     */
    Taken taken(Place place, int number) {
        long key = new Digest(place.digest(false)).add(number).value();
        return taken.computeIfAbsent(key, absent -> {
            Envelope envelope = envelope(number);
            Voter voter = new Voter(place.voter());
            VoterEvent event = new VoterEvent.Received(envelope.from(), envelope.message());
            List<VoterAction> actions = voter.step(event, place.now);
            return new Taken(voter, Place.digest(voter, false), actions);
        });
    }
}
