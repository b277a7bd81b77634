package dev.mandate.http;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.LeaderView;
import dev.mandate.http.Route.Target;
import dev.mandate.spi.RecordKey;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Serves everything from memory: requests to the store do not depend on who asks. */
final class Endpoints extends Handler.Abstract {
    private static final long TICK_MILLIS = 250;
    private static final long TOKEN_SECONDS = 2;

    private final ElectionClient client;
    private final @Nullable Token token;
    private final Gate gate;
    private final Peers peers = new Peers(System::nanoTime);
    private final PageFiles files = new PageFiles();
    private final Answers answers = new Answers(peers);
    private final @Nullable LeaderProbe probe;

    private volatile @Nullable Running running;

    /** What exists between start and stop. */
    private record Running(Worker dispatcher, Worker secrets, Following following, Streams streams) {}

    Endpoints(ElectionClient client, @Nullable Token token, List<Election> probed) {
        this.client = client;
        this.token = token;
        this.gate = new Gate(token);
        this.probe = probed.isEmpty() ? null : new LeaderProbe(probed);
    }

    Peers peers() {
        return peers;
    }

    /** The number of open event streams. */
    int streams() {
        Running now = running;
        return now == null ? 0 : now.streams.count();
    }

    // ---- start and stop ----

    @Override
    protected void doStart() throws Exception {
        Worker dispatcher = new Worker("mandate-http-events");
        Worker secrets = new Worker("mandate-http-token");
        Board board = new Board(10_000);
        WakeUp wakeUp = new WakeUp();
        Following following = new Following(client, board, wakeUp);
        Streams streams = new Streams(
                dispatcher, board, new Events(board, client.explain().store()), following::health, peers);
        wakeUp.streams = streams;
        running = new Running(dispatcher, secrets, following, streams);
        dispatcher.every(TICK_MILLIS, peers::sweep);
        dispatcher.every(TICK_MILLIS, streams::tick);
        if (token != null) {
            secrets.every(TimeUnit.SECONDS.toMillis(TOKEN_SECONDS), token::refresh);
        }
        super.doStart();
    }

    /** Wakes the streams once they exist. */
    private static final class WakeUp implements Runnable {
        volatile @Nullable Streams streams;

        @Override
        public void run() {
            Streams those = streams;
            if (those != null) {
                those.wake();
            }
        }
    }

    @Override
    protected void doStop() throws Exception {
        Running last = running;
        running = null;
        if (last != null) {
            last.following.close();
            last.dispatcher.execute(last.streams::end);
            last.secrets.stop();
            last.dispatcher.end();
        }
        super.doStop();
    }

    // ---- requests ----

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws IOException {
        Running now = running;
        if (now == null) {
            return false;
        }
        Connection connection = request.getConnectionMetaData().getConnection();
        peers.begins(connection);
        Request.addCompletionListener(request, why -> peers.ends(connection));
        Headers.secure(response.getHeaders());
        if (hasBody(request.getHeaders())) {
            // The body is not read, so no request can follow it.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        Gate.Refusal refusal = gate.refusal(request);
        if (refusal != null) {
            if (refusal.status() == 401) {
                response.getHeaders().add(HttpHeader.WWW_AUTHENTICATE, "Basic realm=\"mandate\", charset=\"UTF-8\"");
                response.getHeaders().add(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"mandate\"");
            }
            Reply.error(response, callback, refusal.status(), refusal.sentence());
            return true;
        }
        try {
            Target target = Route.find(PathText.below(request));
            if (target == null || target.route() == Route.PROBE && probe == null) {
                Reply.error(response, callback, 404, "nothing is served at this path; see /v1/openapi.json");
            } else if (!LeaderProbe.isRead(request.getMethod())) {
                response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
                Reply.error(response, callback, 405, "only GET and HEAD are supported here");
            } else if (hasBody(request.getHeaders())) {
                Reply.error(response, callback, 413, "a request must not have a body");
            } else {
                serve(now, target, request, response, callback);
            }
        } catch (BadRequestException e) {
            Reply.error(response, callback, 400, String.valueOf(e.getMessage()));
        }
        return true;
    }

    private static boolean hasBody(HttpFields headers) {
        String length = headers.get(HttpHeader.CONTENT_LENGTH);
        return headers.contains(HttpHeader.TRANSFER_ENCODING)
                || length != null && !length.strip().equals("0");
    }

    private void serve(Running now, Target target, Request request, Response response, Callback callback)
            throws IOException, BadRequestException {
        switch (target.route()) {
            case HEALTH -> Answers.health(now.following.health(), response, callback);
            case PROBE -> {
                if (probe != null) {
                    probe.answer(request, response, callback, true);
                }
            }
            case ELECTIONS -> answers.elections(now.following.elections(), response, callback);
            case ELECTION -> Answers.election(leader(now, target.name()), target.name(), response, callback);
            case LEADER -> Answers.redirect(leader(now, target.name()), target.name(), response, callback);
            case SERVICES -> answers.services(now.following.services(), response, callback);
            case SERVICE -> {
                requireName("the name of the service", target.name());
                answers.service(now.following.services(), target.name(), response, callback);
            }
            case EVENTS -> events(now.streams, request, response, callback);
            default -> {
                PageFiles.PageFile file = files.file(target.route());
                Reply.bytes(response, callback, 200, file.contentType(), file.bytes());
            }
        }
    }

    private static LeaderView leader(Running now, String name) throws BadRequestException {
        requireName("the name of the election", name);
        return now.following.leader(name);
    }

    private static void requireName(String what, String name) throws BadRequestException {
        try {
            RecordKey.requireName(what, name);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    private static void events(Streams streams, Request request, Response response, Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        // Keeps proxies from buffering the answer.
        response.getHeaders().put("X-Accel-Buffering", "no");
        boolean isHead = request.getMethod().equals("HEAD");
        if (isHead && streams.count() < Streams.MOST) {
            callback.succeeded();
        } else if (!isHead && streams.enter()) {
            Request.addCompletionListener(request, why -> streams.leave());
            // A stream may be silent; Peers limits the time of its writes.
            request.addIdleTimeoutListener(timeout -> false);
            streams.open(request, response, callback);
        } else {
            response.getHeaders().remove("X-Accel-Buffering");
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "5");
            Reply.error(
                    response, callback, 503, Streams.MOST + " streams are open, which is the limit; try again later");
        }
    }
}
