/**
 * The doctor: checks that a store keeps what elections need.
 */
module dev.mandate.doctor {
    requires transitive dev.mandate.console;
    requires static org.jspecify;

    exports dev.mandate.doctor;

    opens dev.mandate.doctor to
            info.picocli;
}
