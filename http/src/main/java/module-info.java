/**
 * Serves who leads: as JSON, as events and as a page.
 */
module dev.mandate.http {
    requires transitive dev.mandate;
    requires transitive org.eclipse.jetty.server;
    requires com.fasterxml.jackson.core;
    requires dev.mandate.support;
    requires static org.jspecify;

    exports dev.mandate.http;
}
