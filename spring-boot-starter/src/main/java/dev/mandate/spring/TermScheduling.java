package dev.mandate.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.util.ReflectionUtils;

/**
 * Schedules as Spring does, and also {@link LeaderOnly} methods whose only parameters are those of the term. Spring
 * refuses all parameters, because it would have nothing to pass.
 */
final class TermScheduling extends ScheduledAnnotationBeanPostProcessor {
    @Override
    protected Runnable createRunnable(Object target, Method method, @Nullable String qualifier) {
        boolean hasTerm = method.getParameterCount() > 0
                && Arrays.stream(method.getParameterTypes()).allMatch(LeaderOnlyMethod::isOfTerm)
                && LeaderOnlyMethod.annotation(method) != null;
        return hasTerm
                ? new Call(target, AopUtils.selectInvocableMethod(method, target.getClass()), qualifier)
                : super.createRunnable(target, method, qualifier);
    }

    /** Calls with nulls; the proxy fills in what the term has. */
    private record Call(
            Object target, Method method, @Nullable String qualifier) implements SchedulingAwareRunnable {
        @Override
        public void run() {
            ReflectionUtils.makeAccessible(method);
            ReflectionUtils.invokeMethod(method, target, new Object[method.getParameterCount()]);
        }

        @Override
        public @Nullable String getQualifier() {
            return qualifier;
        }

        @Override
        public String toString() {
            return method.getDeclaringClass().getName() + "." + method.getName();
        }
    }
}
