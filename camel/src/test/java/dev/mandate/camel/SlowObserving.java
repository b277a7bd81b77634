package dev.mandate.camel;

import dev.mandate.Election;
import dev.mandate.ElectionClient;
import dev.mandate.LeaderListener;
import dev.mandate.LeaderView;
import dev.mandate.Observing;
import dev.mandate.testkit.Await;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/** A client whose {@code observe} returns only once the listener was told the leader. */
final class SlowObserving {
    private SlowObserving() {}

    static ElectionClient of(ElectionClient client) {
        return proxy(ElectionClient.class, (self, method, arguments) -> {
            Object answer = invoke(client, method, arguments);
            return answer instanceof Election election ? of(election) : answer;
        });
    }

    private static Election of(Election election) {
        return proxy(Election.class, (self, method, arguments) -> {
            boolean observes = method.getName().equals("observe");
            return observes ? observe(election, (LeaderListener) arguments[0]) : invoke(election, method, arguments);
        });
    }

    private static Observing observe(Election election, LeaderListener listener) {
        AtomicBoolean isTold = new AtomicBoolean();
        Observing observing = election.observe(view -> {
            listener.changed(view);
            isTold.compareAndSet(false, view instanceof LeaderView.Led);
        });
        Await.until("a leader", Context.PLENTY, isTold::get);
        return observing;
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
