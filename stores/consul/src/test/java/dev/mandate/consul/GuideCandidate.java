package dev.mandate.consul;

import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The contending node of Consul's guide: a session, {@code ?acquire} with a body that describes the node, a blocking
 * query on the key, another try after a timed wait when the session of the key is blank, {@code ?release} to step down.
 */
final class GuideCandidate implements AutoCloseable {
    private static final Pattern SESSION = Pattern.compile("\"Session\": *\"([^\"]+)\"");
    private static final Pattern INDEX = Pattern.compile("\"ModifyIndex\": *([0-9]+)");
    private static final long RETRY_MILLIS = 200;

    private final ServerProcess consul;
    private final String key;
    private final String body;
    private final String session;

    GuideCandidate(ServerProcess consul, String key, String body) throws IOException, InterruptedException {
        this.consul = consul;
        this.key = key;
        this.body = body;
        this.session = ConsulServer.session(consul, "30s", "0s");
    }

    boolean acquire() throws IOException, InterruptedException {
        return ConsulServer.put(consul, "/v1/kv/" + key + "?acquire=" + session, body)
                .contains("true");
    }

    void release() throws IOException, InterruptedException {
        ConsulServer.put(consul, "/v1/kv/" + key + "?release=" + session, "");
    }

    /** Whether the key's session is this one's. */
    boolean leads() throws IOException, InterruptedException {
        Matcher holder = SESSION.matcher(ConsulServer.get(consul, "/v1/kv/" + key));
        return holder.find() && holder.group(1).equals(session);
    }

    /** Returns once it leads. */
    void campaign() {
        try {
            while (!acquire()) {
                awaitBlank();
                // Consul may be enforcing a lock-delay.
                Thread.sleep(RETRY_MILLIS);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitBlank() throws IOException, InterruptedException {
        String seen = ConsulServer.get(consul, "/v1/kv/" + key);
        while (SESSION.matcher(seen).find()) {
            Matcher index = INDEX.matcher(seen);
            String from = index.find() ? "?index=" + index.group(1) + "&wait=5s" : "";
            seen = ConsulServer.get(consul, "/v1/kv/" + key + from);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        ConsulServer.put(consul, "/v1/session/destroy/" + session, "");
    }
}
