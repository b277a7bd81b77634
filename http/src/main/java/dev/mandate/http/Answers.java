package dev.mandate.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.ElectionsView;
import dev.mandate.Leader;
import dev.mandate.LeaderView;
import dev.mandate.http.Events.Health;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.ServicesView;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers from what is known. A stale answer is never 200. */
final class Answers {
    /** The header with the age of an answer that has no body. */
    private static final String AGE = "Mandate-Age-Millis";

    private final Peers peers;

    Answers(Peers peers) {
        this.peers = peers;
    }

    static Health health(boolean stale, Duration age) {
        return new Health(stale, age.toMillis(), System.currentTimeMillis());
    }

    static void health(Health health, Response response, Callback callback) {
        Reply.json(response, callback, health.stale() ? 503 : 200, json -> age(json, health));
    }

    private static void age(JsonGenerator json, Health health) throws IOException {
        json.writeNumberField("ageMillis", health.ageMillis());
        json.writeBooleanField("stale", health.stale());
    }

    void elections(ElectionsView view, Response response, Callback callback) throws IOException {
        Health health = health(view.stale(), view.age());
        ListReply.write(
                response,
                callback,
                peers,
                health.stale() ? 503 : 200,
                json -> age(json, health),
                "elections",
                view.leaders(),
                Json::election);
    }

    static void election(LeaderView view, String name, Response response, Callback callback) {
        long ageMillis = view.age().toMillis();
        if (view instanceof LeaderView.Led led) {
            Reply.json(response, callback, 200, json -> {
                Json.election(json, led.current());
                json.writeNumberField("ageMillis", ageMillis);
            });
        } else {
            boolean isVacant = view instanceof LeaderView.Vacant;
            Reply.json(response, callback, isVacant ? 404 : 503, json -> {
                json.writeStringField("election", name);
                json.writeStringField("state", isVacant ? "vacant" : "unknown");
                json.writeNumberField("ageMillis", ageMillis);
            });
        }
    }

    static void redirect(LeaderView view, String name, Response response, Callback callback) {
        Optional<Leader> leader = view.leader();
        Optional<String> location = leader.map(Leader::value).flatMap(Redirect::of);
        if (location.isPresent()) {
            response.setStatus(307);
            response.getHeaders().put(HttpHeader.LOCATION, location.get());
            response.getHeaders().put(AGE, view.age().toMillis());
            callback.succeeded();
        } else if (leader.isPresent()) {
            long ageMillis = view.age().toMillis();
            Reply.json(response, callback, 422, json -> {
                Json.election(json, leader.get());
                json.writeNumberField("ageMillis", ageMillis);
                json.writeStringField("error", "the leader's value is not an absolute http or https URL");
            });
        } else {
            election(view, name, response, callback);
        }
    }

    void services(ServicesView view, Response response, Callback callback) throws IOException {
        Health health = health(view.stale(), view.age());
        ListReply.write(
                response,
                callback,
                peers,
                health.stale() ? 503 : 200,
                json -> age(json, health),
                "services",
                view.services(),
                Json::summary);
    }

    void service(ServicesView view, String name, Response response, Callback callback) throws IOException {
        Health health = health(view.stale(), view.age());
        ListReply.write(
                response,
                callback,
                peers,
                health.stale() ? 503 : 200,
                json -> {
                    json.writeStringField("name", name);
                    age(json, health);
                },
                "instances",
                view.find(name).map(ServiceView::instances).orElse(List.of()),
                Json::instance);
    }
}
