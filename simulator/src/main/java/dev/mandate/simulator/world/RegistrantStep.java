package dev.mandate.simulator.world;

/** A timer of a registrant, for what it does now and then while it is registered. */
final class RegistrantStep extends Step {
    private final Registrant registrant;
    private final Runnable what;
    private final String name;

    RegistrantStep(Registrant registrant, Runnable what, String name) {
        super(registrant.candidate);
        this.registrant = registrant;
        this.what = what;
        this.name = name;
    }

    @Override
    void run(World world) {
        what.run();
    }

    @Override
    long mark() {
        return 0xC00 + registrant.candidate.index;
    }

    @Override
    public String toString() {
        return "candidate " + registrant.candidate.index + " " + name;
    }
}
