/**
 * What the commands of the command line share: options, exit codes, failures and output.
 */
module dev.mandate.console {
    requires transitive dev.mandate;
    requires transitive info.picocli;
    requires transitive com.fasterxml.jackson.core;
    requires dev.mandate.peers;
    requires static org.jspecify;

    exports dev.mandate.console;

    opens dev.mandate.console to
            info.picocli;

    uses dev.mandate.spi.ElectionStoreProvider;

    provides java.lang.System.LoggerFinder with
            dev.mandate.console.Log;
}
