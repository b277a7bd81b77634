/**
 * The demo: workers that are killed, frozen and asked to resign.
 */
module dev.mandate.demo {
    requires transitive dev.mandate.console;
    requires dev.mandate.http;
    requires dev.mandate.peers;
    requires static org.jspecify;

    exports dev.mandate.demo;

    opens dev.mandate.demo to
            info.picocli;
}
