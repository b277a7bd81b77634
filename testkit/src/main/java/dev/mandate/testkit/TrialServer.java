package dev.mandate.testkit;

/** The private server of one trial, which disturbs it. It listens on the loopback address. Used by one thread. */
public interface TrialServer extends AutoCloseable {
    /** Its port, which survives restarts. */
    int port();

    /** Stops it: connections stay open and are not answered. Returns once it has stopped. */
    void freeze() throws Exception;

    /** Lets it go on. Returns once it may. */
    void thaw() throws Exception;

    /** Kills it without warning and starts it again on its data. Returns once it serves. */
    void restart() throws Exception;

    /** Kills it, deletes its data, and starts it again. Returns once it serves. */
    void restartWithoutData() throws Exception;

    /** Kills it and deletes its data. Idempotent. */
    @Override
    void close();

    /**
     * A started {@link ServerProcess} that keeps its data in its folder.
     *
     * @param port the name of the port that clients connect to
     */
    static TrialServer of(ServerProcess server, String port) {
        return new TrialServer() {
            @Override
            public int port() {
                return server.port(port);
            }

            @Override
            public void freeze() {
                server.freeze();
            }

            @Override
            public void thaw() {
                server.thaw();
            }

            @Override
            public void restart() {
                server.restart();
            }

            @Override
            public void restartWithoutData() {
                server.restartWithoutData();
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
