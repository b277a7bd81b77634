package dev.mandate.spring;

import dev.mandate.CandidacyStatus;
import dev.mandate.ElectionClient;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** A client's candidacies, as health details and the endpoint show them. */
final class Candidacies {
    private Candidacies() {}

    /** By election: state, reason, and the token of a term. */
    static Map<String, Object> of(ElectionClient client) {
        Map<String, Object> all = new TreeMap<>();
        client.elections().forEach((election, status) -> all.put(election, of(status)));
        return all;
    }

    /** One candidacy. */
    static Map<String, Object> of(CandidacyStatus status) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("state", status.state());
        one.put("reason", status.reason());
        status.fencingToken().ifPresent(token -> one.put("token", token.value()));
        return one;
    }
}
