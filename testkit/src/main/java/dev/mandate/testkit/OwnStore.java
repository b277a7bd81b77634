package dev.mandate.testkit;

/** The private store of one trial, which disturbs it. Used by one thread. */
public interface OwnStore extends AutoCloseable {
    /** The URL of its clients. */
    String url();

    /** Kills it without warning and starts it again on its data. Returns once it serves, or will soon. */
    void restart() throws Exception;

    /** Makes it answer nobody. */
    void freeze() throws Exception;

    /** Lets it go on. Returns once it may. */
    void thaw() throws Exception;

    /** Kills it and starts it again without its data. Returns once it serves, or will soon. */
    void empty() throws Exception;

    /** Ends it, disturbed or not. */
    @Override
    void close() throws Exception;

    /** One server, which is closed with the store. */
    static OwnStore of(TrialServer server, String url) {
        return new OwnStore() {
            @Override
            public String url() {
                return url;
            }

            @Override
            public void restart() throws Exception {
                server.restart();
            }

            @Override
            public void freeze() throws Exception {
                server.freeze();
            }

            @Override
            public void thaw() throws Exception {
                server.thaw();
            }

            @Override
            public void empty() throws Exception {
                server.restartWithoutData();
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
