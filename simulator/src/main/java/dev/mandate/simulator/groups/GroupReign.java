package dev.mandate.simulator.groups;

import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Term;
import dev.mandate.simulator.check.Claim;
import dev.mandate.spi.Id;

/** One announced term and its work. */
final class GroupReign implements Claim {
    final Client client;
    final int election;
    final Term term;
    boolean isEnded;
    boolean isWorking = true;
    /** Whether its overrun was reported. */
    boolean isReported;

    GroupReign(Client client, int election, Term term) {
        this.client = client;
        this.election = election;
        this.term = term;
    }

    @Override
    public int candidate() {
        return client.process.index;
    }

    @Override
    public long term() {
        return term.number();
    }

    @Override
    public Id attempt() {
        return term.attempt();
    }

    @Override
    public boolean isBelieved() {
        return client.process.isUp && term.remainingNanos(client.process.now()) > 0;
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public boolean isExcused() {
        return false;
    }

    @Override
    public boolean isWorking() {
        return isWorking && client.process.isUp;
    }

    @Override
    public boolean isOverrun() {
        LeaseWindow window = term.cell().window();
        return isReported || window.isEndPassed(client.process.now());
    }

    @Override
    public String toString() {
        return "term " + term.number() + " of " + client.process + " in election " + election;
    }
}
