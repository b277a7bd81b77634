package dev.mandate.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method of a Spring bean only while this application leads in an election.
 *
 * <p>The application campaigns in that election from its start to its shutdown, once for all methods that name it. A
 * call begins only while the term is valid; once the shutdown has begun, only on the thread of a running call. When the
 * term is lost, the threads of running calls are interrupted; the record is released when all have returned, or as
 * {@code mandate.on-overrun} says. A call that was interrupted for that leaves no interruption on its thread.
 *
 * <p>Parameters of type {@link dev.mandate.FencingToken} and {@link dev.mandate.Leadership} receive those of the term,
 * whatever the caller passes; callers pass null. A {@code @Scheduled} method may have such parameters, and no others.
 *
 * <p>As with every annotation that a proxy implements, calls that an object makes to itself are not checked. Work that
 * a method hands to another thread is neither interrupted nor waited for. A method is refused when its bean is made,
 * for most beans at the start of the application, if it is final, private or static, if it is package-private and
 * inherited from another package, if it returns a {@code Publisher} ({@code Mono} and {@code Flux} are such), or if it
 * returns a primitive value and may be skipped.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface LeaderOnly {
    /** The election's name. May contain placeholders: {@code "${app.name}-invoices"}. */
    String value();

    /** What a call does while this application does not lead. The same for all methods of an election. */
    Otherwise otherwise() default Otherwise.SKIP;

    /**
     * What to publish as the leader, at most the store's limit. May contain placeholders. Default: {@code
     * mandate.value}, or else the candidate's id. The same for all methods of an election.
     */
    String publish() default "";

    /** What a call does while the application does not lead. */
    enum Otherwise {
        /** Returns at once: an empty {@code Optional} or null, if the method returns a value. */
        SKIP,
        /** Throws {@link NotLeaderException}. */
        THROW
    }
}
