package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.example.base.Base;
import java.util.List;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartFactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.PriorityOrdered;
import reactor.core.publisher.Mono;

/** Methods that a proxy could not guard are refused at the start, by name. */
class RefusedTest {
    private static <T> String refusal(List<Class<?>> beans, String... properties) {
        Throwable failure = catchThrowable(() -> new SpringApplicationBuilder(Contexts.Empty.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .initializers(
                        context -> beans.forEach(each -> ((GenericApplicationContext) context).registerBean(each)))
                .run(properties)
                .close());
        assertThat(failure).as("refused").isNotNull();
        FailureAnalysis analysis = new MandateFailureAnalyzer().analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        assertThat(analysis.getDescription().lines()).hasSize(1);
        assertThat(analysis.getAction()).isNotBlank();
        return analysis.getDescription();
    }

    private static String refusal(Class<?>... beans) {
        return refusal(
                List.of(beans),
                "--logging.level.root=off",
                "--spring.main.banner-mode=off",
                "--mandate.url=" + Contexts.store());
    }

    static class Private {
        @LeaderOnly("a")
        private void send() {}
    }

    static class Final {
        @LeaderOnly("a")
        public final void send(String what) {}
    }

    static class Static {
        @LeaderOnly("a")
        static void send() {}
    }

    static final class FinalClass {
        @LeaderOnly("a")
        public void send() {}
    }

    static class Primitive {
        @LeaderOnly("a")
        public long count() {
            return 1;
        }
    }

    static class Nameless {
        @LeaderOnly(" ")
        public void send() {}
    }

    static class Skipping {
        @LeaderOnly("a")
        public void send() {}
    }

    static class Throwing {
        @LeaderOnly(value = "a", otherwise = LeaderOnly.Otherwise.THROW)
        public void receive() {}
    }

    static class Publishing {
        @LeaderOnly(value = "a", publish = "me")
        public void publish() {}
    }

    static class Inherited extends Private {}

    static class Reactive {
        @LeaderOnly("a")
        public Mono<String> load() {
            return Mono.empty();
        }
    }

    static class Flowing {
        @LeaderOnly("a")
        public SubmissionPublisher<String> load() {
            return new SubmissionPublisher<>();
        }
    }

    static class FromElsewhere extends Base {}

    static class EagerFactory implements SmartFactoryBean<Final> {
        @Override
        public Final getObject() {
            return new Final();
        }

        @Override
        public Class<?> getObjectType() {
            return Final.class;
        }

        @Override
        public boolean isEagerInit() {
            return true;
        }
    }

    static class LongNamed {
        @LeaderOnly(NAME)
        public void send() {}

        private static final String NAME = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-";
    }

    /** A processor of beans that needs a bean, which is therefore made before any can be guarded. */
    static class Early implements BeanPostProcessor, PriorityOrdered, BeanFactoryAware {
        @Override
        public void setBeanFactory(BeanFactory factory) {
            assertThat(factory.getBean(Skipping.class)).isNotNull();
        }

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }
    }

    @Test
    void aBeanThatIsMadeTooEarly() {
        assertThat(refusal(Skipping.class, Early.class)).contains("too early to be guarded", "kipping'");
    }

    @Test
    void aPrivateMethod() {
        assertThat(refusal(Private.class)).contains("RefusedTest$Private.send() has @LeaderOnly, but is private");
        assertThat(refusal(Inherited.class)).contains("send() has @LeaderOnly, but is private");
    }

    @Test
    void aFinalMethod() {
        assertThat(refusal(Final.class)).contains("RefusedTest$Final.send(String) has @LeaderOnly, but is final");
    }

    @Test
    void aStaticMethod() {
        assertThat(refusal(Static.class)).contains("RefusedTest$Static.send() has @LeaderOnly, but is static");
    }

    @Test
    void aFinalClass() {
        assertThat(refusal(FinalClass.class)).contains("FinalClass.send()").contains("final class");
    }

    @Test
    void aPrimitiveThatCanBeSkipped() {
        assertThat(refusal(Primitive.class)).contains("Primitive.count()").contains("returns long");
    }

    @Test
    void aPublisherWhichDoesItsWorkLater() {
        assertThat(refusal(Reactive.class)).contains("Reactive.load()").contains("returns a Publisher");
        assertThat(refusal(Flowing.class)).contains("Flowing.load()").contains("returns a Publisher");
    }

    @Test
    void aPackagePrivateMethodOfAnotherPackage() {
        assertThat(refusal(FromElsewhere.class)).contains("send()").contains("is package-private in com.example.base");
    }

    @Test
    void whatAFactoryMade() {
        assertThat(refusal(EagerFactory.class)).contains("Final.send(String) has @LeaderOnly, but is final");
    }

    @Test
    void anElectionWithoutName() {
        assertThat(refusal(Nameless.class)).contains("Nameless.send()").contains("no election");
    }

    @Test
    void oneElectionUnderTwoAnnotationsWithDifferentOptions() {
        assertThat(refusal(Skipping.class, Throwing.class))
                .isEqualTo("@LeaderOnly(\"a\") has otherwise=SKIP on dev.mandate.spring.RefusedTest$Skipping.send(), "
                        + "but otherwise=THROW on dev.mandate.spring.RefusedTest$Throwing.receive().");
        assertThat(refusal(Skipping.class, Publishing.class)).contains("publish='' on", "publish='me' on");
    }

    @Test
    void anElectionThatTheClientRefuses() {
        assertThat(refusal(LongNamed.class)).contains("LongNamed.send() has @LeaderOnly, but can't campaign: ", "512");
    }

    @Test
    void aGraceOutOfBounds() {
        assertThat(refusalOfGrace("-1s")).isEqualTo("mandate.shutdown-grace is PT-1S.");
        assertThat(refusalOfGrace("366d")).isEqualTo("mandate.shutdown-grace is PT8784H.");
    }

    private static String refusalOfGrace(String grace) {
        return refusal(
                List.of(Skipping.class),
                "--logging.level.root=off",
                "--spring.main.banner-mode=off",
                "--mandate.url=" + Contexts.store(),
                "--mandate.shutdown-grace=" + grace);
    }

    @Test
    void methodsWithoutAStore() {
        assertThat(refusal(List.of(Skipping.class), "--logging.level.root=off", "--spring.main.banner-mode=off"))
                .contains("Skipping.send() has @LeaderOnly, but there is no ElectionClient");
    }
}
