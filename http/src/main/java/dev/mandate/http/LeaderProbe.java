package dev.mandate.http;

import dev.mandate.CandidacyStatus;
import dev.mandate.Election;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Tells a load balancer whether this process leads: {@code GET /am-i-leader} is 200 while it leads, else 503. For the
 * Jetty server of a program that campaigns in the elections; leaves every other path to other handlers. Anybody may
 * ask, unless the server restricts that, so it answers yes or no, but not why.
 *
 * <pre>{@code
 * server.setHandler(new Handler.Sequence(new LeaderProbe(client.election("invoices")), theRest));
 * }</pre>
 *
 * <p>It answers from {@link Election#status()} at the instant of the request: {@link
 * dev.mandate.Leadership#isValid()}, never a flag. It sends nothing to the store.
 *
 * <p><strong>What is not promised.</strong> A load balancer believes an answer until its next probe. Meanwhile it may
 * send requests to a process that no longer leads. Check the token where that matters.
 */
public final class LeaderProbe extends Handler.Abstract {
    /** The path that it answers. */
    public static final String PATH = "/am-i-leader";

    private final Map<String, Election> elections;

    /** A probe for these elections of one client. {@code ?election=NAME} selects one; optional if there is only one. */
    public LeaderProbe(Election election, Election... others) {
        this(with(election, others));
    }

    LeaderProbe(List<Election> all) {
        Map<String, Election> byName = new LinkedHashMap<>();
        all.forEach(each -> byName.put(each.name(), each));
        elections = byName;
    }

    private static List<Election> with(Election election, Election... others) {
        List<Election> all = new ArrayList<>();
        all.add(Objects.requireNonNull(election, "election"));
        all.addAll(List.of(others));
        return all;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!PATH.equals(PathText.below(request))) {
            return false;
        }
        Headers.secure(response.getHeaders());
        if (!isRead(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            Reply.error(response, callback, 405, "only GET and HEAD are supported here");
            return true;
        }
        answer(request, response, callback, false);
        return true;
    }

    static boolean isRead(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }

    /**
     * Answers a {@code GET} or {@code HEAD} of this path.
     *
     * @param isLetIn whether to give the reason, too, which quotes the leader's record or the store
     */
    void answer(Request request, Response response, Callback callback, boolean isLetIn) {
        try {
            Election election = find(request.getHttpURI().getQuery());
            if (election == null) {
                Reply.error(response, callback, 404, "this probe does not know the election");
                return;
            }
            CandidacyStatus status = election.status();
            Reply.json(response, callback, status.isLeader() ? 200 : 503, json -> {
                json.writeStringField("election", election.name());
                json.writeBooleanField("leading", status.isLeader());
                if (status.fencingToken().isPresent()) {
                    json.writeNumberField("token", status.fencingToken().get().value());
                }
                if (isLetIn) {
                    json.writeStringField("reason", status.reason());
                }
            });
        } catch (BadRequestException e) {
            Reply.error(response, callback, 400, String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Election find(@Nullable String query) throws BadRequestException {
        if (query == null || query.isEmpty()) {
            if (elections.size() > 1) {
                throw new BadRequestException("several elections are probed here; say which by ?election=NAME");
            }
            return elections.values().stream().findFirst().orElse(null);
        }
        return elections.get(PathText.parameter(query, "election"));
    }
}
