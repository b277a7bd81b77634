/**
 * The mandate command. Runs as one jar on the class path.
 */
module dev.mandate.cli {
    requires com.fasterxml.jackson.core;
    requires dev.mandate;
    requires dev.mandate.http;
    requires dev.mandate.peers;
    requires info.picocli;
    requires java.management;
    requires jdk.unsupported;

    opens dev.mandate.cli to
            info.picocli;
    opens dev.mandate.cli.bench to
            info.picocli;
    opens dev.mandate.cli.demo to
            info.picocli;
    opens dev.mandate.cli.doctor to
            info.picocli;
    opens dev.mandate.cli.run to
            info.picocli;

    uses dev.mandate.spi.ElectionStoreProvider;

    provides java.lang.System.LoggerFinder with
            dev.mandate.cli.Log;
}
