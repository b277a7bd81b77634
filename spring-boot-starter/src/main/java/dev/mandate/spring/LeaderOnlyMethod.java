package dev.mandate.spring;

import dev.mandate.FencingToken;
import dev.mandate.Leadership;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** A method with {@link LeaderOnly}. */
final class LeaderOnlyMethod {
    /** By name: few applications have both. */
    private static final Set<String> PUBLISHERS =
            Set.of("org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher");

    private final Campaign campaign;
    private final Class<?>[] parameters;
    private final boolean hasTermParameters;
    private final @Nullable Object skipped;

    private LeaderOnlyMethod(Campaign campaign, Method method) {
        this.campaign = campaign;
        this.parameters = method.getParameterTypes();
        this.hasTermParameters = Arrays.stream(parameters).anyMatch(LeaderOnlyMethod::isOfTerm);
        this.skipped = method.getReturnType() == Optional.class ? Optional.empty() : null;
    }

    /** The annotation of a method of that class or of what it overrides, if it has one. */
    static @Nullable LeaderOnly annotation(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, LeaderOnly.class);
    }

    /** Whether a call receives a parameter of this type from the term. */
    static boolean isOfTerm(Class<?> parameter) {
        return parameter == FencingToken.class || parameter == Leadership.class;
    }

    /**
     * The method, in the candidacy that it names.
     *
     * @param type the class of the bean
     * @throws MandateStartException if a proxy cannot guard it, or its options contradict those of another
     */
    static LeaderOnlyMethod of(Class<?> type, Method method, LeaderOnly annotation, Texts texts, Campaigns campaigns) {
        String name = name(type, method);
        String election = texts.resolve(annotation.value());
        refuse(election.isBlank(), name, "names no election", "Write @LeaderOnly(\"invoices\"), for example.");
        int flags = method.getModifiers();
        String open = "Make it a method that a subclass can override; the proxy is one.";
        refuse(Modifier.isPrivate(flags), name, "is private: calls of it would not be checked", open);
        refuse(Modifier.isStatic(flags), name, "is static: calls of it would not be checked", open);
        refuse(Modifier.isFinal(flags), name, "is final: calls of it would not be checked", open);
        refuse(
                isHidden(type, method),
                name,
                "is package-private in " + method.getDeclaringClass().getPackageName()
                        + ": calls of it would not be checked",
                "Make it protected or public.");
        refuse(
                Modifier.isFinal(type.getModifiers()) && !Proxy.isProxyClass(type),
                name,
                "belongs to a final class: calls of it would not be checked",
                "Make the class open for a subclass; the proxy is one.");
        refuse(
                isPublisher(method.getReturnType()),
                name,
                "returns a Publisher, whose work would begin after the check",
                "Do the work in the method.");
        refuse(
                method.getReturnType().isPrimitive()
                        && method.getReturnType() != void.class
                        && annotation.otherwise() == LeaderOnly.Otherwise.SKIP,
                name,
                "returns " + method.getReturnType() + ": a call that is skipped has nothing to return",
                "Return void or an object, or set otherwise = THROW.");
        Campaign wanted = new Campaign(election, annotation.otherwise(), texts.resolve(annotation.publish()), name);
        return new LeaderOnlyMethod(campaigns.join(wanted), method);
    }

    /** Whether a subclass beside {@code type} could not override it. */
    private static boolean isHidden(Class<?> type, Method method) {
        Class<?> owner = method.getDeclaringClass();
        int visible = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE;
        return (method.getModifiers() & visible) == 0
                && !(owner.getPackageName().equals(type.getPackageName())
                        && owner.getClassLoader() == type.getClassLoader());
    }

    /** {@code Mono} and {@code Flux} are some levels below. */
    private static boolean isPublisher(@Nullable Class<?> type) {
        return type != null
                && (PUBLISHERS.contains(type.getName())
                        || isPublisher(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(LeaderOnlyMethod::isPublisher));
    }

    private static void refuse(boolean isWrong, String name, String what, String action) {
        if (isWrong) {
            throw new MandateStartException(name + " has @LeaderOnly, but " + what + ".", action);
        }
    }

    private static String name(Class<?> type, Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", type.getName() + "." + method.getName() + "(", ")"));
    }

    Campaign campaign() {
        return campaign;
    }

    boolean hasTermParameters() {
        return hasTermParameters;
    }

    /** The arguments of a call, with those of the term in their places. */
    Object[] arguments(Object[] given, Leadership leadership) {
        Object[] all = given.clone();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] == FencingToken.class) {
                all[i] = leadership.fencingToken();
            } else if (parameters[i] == Leadership.class) {
                all[i] = leadership;
            }
        }
        return all;
    }

    /** What a call that may not run returns. */
    @Nullable
    Object refused() {
        if (campaign.otherwise() == LeaderOnly.Otherwise.THROW) {
            throw new NotLeaderException(campaign.election());
        }
        return skipped;
    }

    /** Resolves placeholders. */
    interface Texts {
        /** The text, with the values of its placeholders. */
        String resolve(String text);
    }
}
