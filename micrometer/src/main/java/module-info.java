/** What a client counts, as meters of Micrometer. Your program brings Micrometer. */
module dev.mandate.micrometer {
    requires transitive dev.mandate;
    requires transitive micrometer.core;
    requires static org.jspecify;

    exports dev.mandate.micrometer;
}
