package dev.mandate.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * States why a store's conformance class replaces a case of {@link StoreConformance}. Required on every method that
 * overrides a case; every run prints the reason. Add {@code @Test}, too, if the replacement checks something.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Deviation {
    /** What this store does differently, and why that is right: {@code "etcd grants whole seconds"}. */
    String value();
}
