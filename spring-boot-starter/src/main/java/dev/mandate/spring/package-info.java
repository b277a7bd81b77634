/**
 * Mandate in Spring Boot: properties under {@code mandate}, one {@link dev.mandate.ElectionClient}, methods that run
 * only on the leader ({@link dev.mandate.spring.LeaderOnly}), health, an endpoint, and an initiator for the candidates
 * of Spring Integration.
 */
@NullMarked
package dev.mandate.spring;

import org.jspecify.annotations.NullMarked;
