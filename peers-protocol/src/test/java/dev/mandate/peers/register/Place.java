package dev.mandate.peers.register;

import java.util.List;

/** A voter of a {@link World}, its disk, and what was sent to it and from it. */
final class Place {
    private Voter voter;
    private long digest;
    DurableState disk;
    long now;
    List<VoterAction.Persist> unwritten = List.of();

    /** The sum of the hashes of all that was sent. */
    long sent;

    Place(Voter voter, DurableState disk) {
        this.voter = voter;
        this.disk = disk;
    }

    /** Shares the voter until one of them gets another one. */
    Place(Place other) {
        voter = other.voter;
        digest = other.digest;
        disk = other.disk;
        now = other.now;
        unwritten = other.unwritten;
        sent = other.sent;
    }

    Voter voter() {
        return voter;
    }

    void voter(Voter other) {
        voter(other, 0);
    }

    /** With the digest, if that is known already. */
    void voter(Voter other, long otherDigest) {
        voter = other;
        digest = otherDigest;
    }

    /** Of the voter, worked out once. */
    long digest(boolean withStarts) {
        if (digest == 0) {
            digest = digest(voter, withStarts);
        }
        return digest;
    }

    static long digest(Voter voter, boolean withStarts) {
        Digest digest = new Digest(3);
        voter.digest(withStarts, digest::add);
        return digest.value();
    }
}
