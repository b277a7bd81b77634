/**
 * The bench: measures elections beside what the store itself takes.
 */
module dev.mandate.bench {
    requires transitive dev.mandate.console;
    requires dev.mandate.demo;
    requires dev.mandate.http;
    requires dev.mandate.peers;
    requires java.management;
    requires static org.jspecify;

    exports dev.mandate.bench;

    opens dev.mandate.bench to
            info.picocli;
}
