package dev.mandate.testkit;

/** A server of its own for one trial, which disturbs it. It listens on the loopback address. Used by one thread. */
public interface TrialServer extends AutoCloseable {
    /** Where it listens; the same over all its restarts. */
    int port();

    /** It stands still: connections stay open and are not answered. Returns once it does. */
    void freeze() throws Exception;

    /** It goes on. Returns once it may. */
    void thaw() throws Exception;

    /** It is killed without a goodbye and started again on its data. Returns once it serves. */
    void restart() throws Exception;

    /** It is killed, loses all its data, and is started again. Returns once it serves. */
    void restartWithoutData() throws Exception;

    /** It is killed, and its data deleted. Idempotent. */
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
