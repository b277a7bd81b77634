/**
 * Conformance suite, fault proxy and killed processes, for authors of stores.
 *
 * <p>What starts processes passes the class path on: run tests on the class path, as build tools do by default or with
 * one setting.
 */
module dev.mandate.testkit {
    requires transitive dev.mandate;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;
    requires java.compiler;
    requires org.junit.platform.launcher;
    requires static org.jspecify;

    exports dev.mandate.testkit;
    exports dev.mandate.testkit.bugs;
    exports dev.mandate.testkit.history;

    // Tests that a suite inherits need not be public.
    opens dev.mandate.testkit to
            org.junit.platform.commons;
}
