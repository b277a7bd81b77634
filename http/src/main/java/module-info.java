/**
 * Serves who leads: as JSON, as events and as a page.
 */
module dev.mandate.http {
    requires transitive dev.mandate;
    requires com.fasterxml.jackson.core;
    requires dev.mandate.support;
    requires org.eclipse.jetty.server;

    exports dev.mandate.http;
}
