/**
 * What most stores need beside the contract. Depends on nothing but {@code dev.mandate} and the JDK.
 */
module dev.mandate.support {
    requires transitive dev.mandate;
    requires java.net.http;
    requires static org.jspecify;

    exports dev.mandate.support;
}
