package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.testkit.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Beans that are made while the application runs already. */
class LateBeansTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static class Unguarded {
        @LeaderOnly("late")
        public final void send() {}
    }

    /** Work of the leader. */
    interface Sending {
        @LeaderOnly("late")
        void send();
    }

    static class Counting {
        private final AtomicInteger sent;

        Counting(AtomicInteger sent) {
            this.sent = sent;
        }

        @LeaderOnly("late")
        public void send() {
            sent.incrementAndGet();
        }
    }

    static final class CountingFactory implements FactoryBean<Counting> {
        private final AtomicInteger sent = new AtomicInteger();

        @Override
        public Counting getObject() {
            return new Counting(sent);
        }

        @Override
        public Class<?> getObjectType() {
            return Counting.class;
        }
    }

    static final class InterfaceFactory implements FactoryBean<Sending> {
        private final AtomicInteger sent = new AtomicInteger();

        @Override
        public Sending getObject() {
            return (Sending) Proxy.newProxyInstance(
                    Sending.class.getClassLoader(), new Class<?>[] {Sending.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("send")) {
                            sent.incrementAndGet();
                        }
                        return null;
                    });
        }

        @Override
        public Class<?> getObjectType() {
            return Sending.class;
        }
    }

    private static <T> void define(ConfigurableApplicationContext context, Class<T> type, String scope) {
        ((GenericApplicationContext) context).registerBean("late", type, definition -> definition.setScope(scope));
    }

    @Test
    void aClassThatWasRefusedIsRefusedAgain() {
        try (ConfigurableApplicationContext context = Contexts.start(Contexts.Empty.class, Contexts.store())) {
            define(context, Unguarded.class, BeanDefinition.SCOPE_PROTOTYPE);

            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> context.getBean("late"))
                        .hasRootCauseInstanceOf(MandateStartException.class)
                        .hasStackTraceContaining("Unguarded.send() has @LeaderOnly, but is final");
            }
        }
    }

    @Test
    void callsOfWhatAFactoryMadeAreChecked() {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(Contexts.Empty.class, store);
                ConfigurableApplicationContext other = Contexts.start(Contexts.Empty.class, store)) {
            define(one, CountingFactory.class, BeanDefinition.SCOPE_SINGLETON);
            Counting leading = one.getBean(Counting.class);
            AtomicInteger sent = one.getBean(CountingFactory.class).sent;
            Await.until("a call that ran", PATIENCE, () -> {
                leading.send();
                return sent.get() > 0;
            });
            define(other, CountingFactory.class, BeanDefinition.SCOPE_SINGLETON);

            other.getBean(Counting.class).send();

            assertThat(other.getBean(CountingFactory.class).sent).hasValue(0);
        }
    }

    @Test
    void callsOfAnInterfaceWithoutAClassAreChecked() {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(Contexts.Empty.class, store);
                ConfigurableApplicationContext other = Contexts.start(Contexts.Empty.class, store)) {
            define(one, InterfaceFactory.class, BeanDefinition.SCOPE_SINGLETON);
            Sending leading = one.getBean(Sending.class);
            AtomicInteger sent = one.getBean(InterfaceFactory.class).sent;
            Await.until("a call that ran", PATIENCE, () -> {
                leading.send();
                return sent.get() > 0;
            });
            define(other, InterfaceFactory.class, BeanDefinition.SCOPE_SINGLETON);

            other.getBean(Sending.class).send();

            assertThat(other.getBean(InterfaceFactory.class).sent).hasValue(0);
        }
    }
}
