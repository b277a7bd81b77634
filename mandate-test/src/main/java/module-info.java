/** Elections in virtual time, for tests of programs that use Mandate. JUnit is only needed for the extension. */
module dev.mandate.test {
    requires java.management;
    requires transitive dev.mandate;
    requires static org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports dev.mandate.test;
}
