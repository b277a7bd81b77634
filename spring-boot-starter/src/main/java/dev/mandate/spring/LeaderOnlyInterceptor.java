package dev.mandate.spring;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/** Lets a call of a {@link LeaderOnly} method begin only in a valid term. Safe for use from many threads. */
final class LeaderOnlyInterceptor implements MethodInterceptor {
    private final Map<MethodClassKey, LeaderOnlyMethod> methods = new ConcurrentHashMap<>();

    /** Adds a method of that class. */
    void add(Class<?> type, Method method, LeaderOnlyMethod checked) {
        methods.put(new MethodClassKey(method, type), checked);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LeaderOnlyMethod method = method(invocation);
        LeaderCalls term = method.campaign().term();
        LeaderCall call = term == null ? null : term.enter();
        if (term == null || call == null) {
            return method.refused();
        }
        try {
            if (method.hasTermParameters() && invocation instanceof ProxyMethodInvocation proxied) {
                proxied.setArguments(method.arguments(invocation.getArguments(), term.leadership()));
            }
            return invocation.proceed();
        } finally {
            term.leave(call);
        }
    }

    /** A call may name the method of an interface; that is looked up once. */
    private LeaderOnlyMethod method(MethodInvocation invocation) {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        MethodClassKey key = new MethodClassKey(invocation.getMethod(), type);
        LeaderOnlyMethod known = methods.get(key);
        if (known != null) {
            return known;
        }
        Class<?> user = ClassUtils.getUserClass(type);
        Method specific = AopUtils.getMostSpecificMethod(invocation.getMethod(), user);
        LeaderOnlyMethod found = methods.get(new MethodClassKey(specific, user));
        if (found == null) {
            // Never run unchecked what the pointcut selected.
            throw new IllegalStateException(specific + " has @LeaderOnly, but Spring made no bean of " + user
                    + " that could be checked; define what it belongs to as a bean");
        }
        methods.put(key, found);
        return found;
    }
}
