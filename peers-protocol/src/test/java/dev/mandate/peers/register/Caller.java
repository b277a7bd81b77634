package dev.mandate.peers.register;

import org.jspecify.annotations.Nullable;

/** A proposer of a {@link World}. Not changed any more once its digests were asked for. */
final class Caller {
    /** The place of the call among its calls. */
    int verb;

    /** What it wrote or read last. */
    Epoch basis;

    /** The highest counter that it has seen. */
    long counter;

    /** Null after the last one. */
    @Nullable
    Proposal call;

    private long @Nullable [] digests;

    Caller(Epoch basis) {
        this.basis = basis;
    }

    /** With a call of its own, to be changed. */
    Caller(Caller other) {
        verb = other.verb;
        basis = other.basis;
        counter = other.counter;
        call = other.call == null ? null : new Proposal(other.call);
    }

    /** Of what it knows of each of {@code voters} voters, and at last of all else; worked out once. */
    long[] digests(int voters, boolean withStarts) {
        long[] known = digests;
        if (known == null) {
            known = new long[voters + 1];
            Digest all = new Digest(7).add(verb).add(basis.counter()).add(counter);
            Proposal proposal = call;
            if (proposal != null) {
                proposal.digest(all::add);
                for (int v = 0; v < voters; v++) {
                    Digest one = new Digest(5);
                    proposal.digest(v, withStarts, one::add);
                    known[v] = one.value();
                }
            }
            known[voters] = all.value();
            digests = known;
        }
        return known;
    }
}
