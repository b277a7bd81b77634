/**
 * Mandate in Spring Boot: properties, the client, and methods that run only on the leader.
 *
 * <p>Open, because Spring creates, configures and subclasses its beans by reflection.
 */
open module dev.mandate.spring {
    requires transitive dev.mandate;
    requires transitive spring.boot;
    requires transitive spring.context;
    requires spring.aop;
    requires spring.beans;
    requires spring.boot.autoconfigure;
    requires spring.core;
    requires static org.jspecify;
    requires static dev.mandate.micrometer;
    requires static spring.boot.actuator;
    requires static spring.boot.actuator.autoconfigure;
    requires static spring.boot.health;
    requires static spring.integration.core;

    exports dev.mandate.spring;
}
