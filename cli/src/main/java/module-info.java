/**
 * The mandate command. Runs as one jar on the class path.
 */
module dev.mandate.cli {
    requires dev.mandate.bench;
    requires dev.mandate.console;
    requires dev.mandate.demo;
    requires dev.mandate.doctor;
    requires dev.mandate.http;
    requires dev.mandate.peers;
    requires java.management;
    requires jdk.unsupported;
    requires static org.jspecify;

    opens dev.mandate.cli to
            info.picocli;
    opens dev.mandate.cli.run to
            info.picocli;
}
