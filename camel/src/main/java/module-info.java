/** A cluster service for Apache Camel. The program brings Camel. */
module dev.mandate.camel {
    requires transitive camel.api;
    requires transitive camel.support;
    requires transitive dev.mandate;
    requires static org.jspecify;

    exports dev.mandate.camel;
}
