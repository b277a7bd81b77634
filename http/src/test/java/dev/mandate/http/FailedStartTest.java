package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionsWatch;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class FailedStartTest {
    /** In a field: a thread does not keep it from being collected. */
    private final Refusing refusing = new Refusing();

    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** Asked for each thread that its thread makes. Refuses those of our workers. */
    private static final class Refusing extends InheritableThreadLocal<String> {
        @Override
        protected String childValue(String mine) {
            boolean isWorker = StackWalker.getInstance()
                    .walk(frames -> frames.anyMatch(f -> f.getClassName().equals(Worker.class.getName())));
            if (isWorker) {
                // The JVM throws an OutOfMemoryError, which would end JUnit.
                throw new InternalError("wanted by the test");
            }
            return mine;
        }
    }

    @Test
    void anErrorLeavesNothingOpen() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        HttpOptions options = HttpOptions.DEFAULTS.withPort(0).withToken("0123456789abcdef");
        try (ElectionClient client = ElectionClient.connect("memory:failed-start")) {
            ElectionClient watched = watched(client);
            Thread serving = new Thread(() -> {
                refusing.set("");
                try {
                    MandateHttp.serve(watched, options);
                } catch (Throwable e) {
                    thrown.set(e);
                }
            });

            serving.start();
            serving.join();

            assertThat(thrown.get()).isInstanceOf(InternalError.class).hasMessage("wanted by the test");
            assertThat(isClosed).as("whether it follows the store no longer").isTrue();
        }
    }

    /** The client, which shows when its elections are followed no longer. */
    private ElectionClient watched(ElectionClient client) {
        return proxy(ElectionClient.class, (method, arguments) -> {
            Object answer = method.invoke(client, arguments);
            return answer instanceof ElectionsWatch watch
                    ? proxy(ElectionsWatch.class, (called, given) -> {
                        isClosed.compareAndSet(false, called.getName().equals("close"));
                        return called.invoke(watch, given);
                    })
                    : answer;
        });
    }

    private interface Call {
        Object call(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> call.call(method, arguments)));
    }
}
