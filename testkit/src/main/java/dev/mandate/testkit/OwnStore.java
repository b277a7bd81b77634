package dev.mandate.testkit;

/** A store of one trial, which disturbs it. Used by one thread. */
public interface OwnStore extends AutoCloseable {
    /** The URL of its clients. */
    String url();

    /** It is killed without a goodbye, and goes on with its data. Returns once it serves, or will soon. */
    void restart() throws Exception;

    /** It answers nobody. */
    void freeze() throws Exception;

    /** It goes on. Returns once it may. */
    void thaw() throws Exception;

    /** It is killed, and goes on without its data. Returns once it serves, or will soon. */
    void empty() throws Exception;

    /** It ends, disturbed or not. */
    @Override
    void close() throws Exception;

    /** One server, which is closed with it. */
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
