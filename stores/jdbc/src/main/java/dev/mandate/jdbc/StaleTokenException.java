package dev.mandate.jdbc;

import dev.mandate.FencingToken;

/**
 * A fence refused a token because it has seen a newer one: another leader has taken over. The transaction wrote
 * nothing, and nothing under this token will be written any more; stop working.
 */
public final class StaleTokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String resource;
    private final String election;
    private final long refused;
    private final long newest;

    StaleTokenException(String resource, FencingToken refused, long newest) {
        super("token " + refused + " of election " + refused.election() + " is stale for resource '" + resource
                + "', which has seen " + newest + "; stop working, another leader has taken over");
        this.resource = resource;
        this.election = refused.election();
        this.refused = refused.value();
        this.newest = newest;
    }

    /** The guarded resource. */
    public String resource() {
        return resource;
    }

    /** The token that was refused. */
    public FencingToken refused() {
        return new FencingToken(election, refused);
    }

    /** The newest token that the resource has seen. */
    public FencingToken newest() {
        return new FencingToken(election, newest);
    }
}
