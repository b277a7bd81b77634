package dev.mandate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.FencingToken;
import dev.mandate.Leadership;
import dev.mandate.memory.MemoryFaults;
import dev.mandate.testkit.Await;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class LeaderOnlyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What calls did. A field of a proxied bean would be the proxy's. */
    static final class Seen {
        private final AtomicInteger sent = new AtomicInteger();
        private final CountDownLatch working = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    }

    /** Work of all kinds in one election. */
    static class Billing {
        private final Seen seen = new Seen();

        Seen seen() {
            return seen;
        }

        @LeaderOnly("invoices")
        void send() {
            seen.sent.incrementAndGet();
        }

        @LeaderOnly("invoices")
        public Optional<FencingToken> token(FencingToken token, String other, Leadership leadership) {
            assertThat(leadership.fencingToken()).isEqualTo(token);
            assertThat(other).isEqualTo("mine");
            return Optional.of(token);
        }

        @LeaderOnly("invoices")
        protected void work() throws InterruptedException {
            seen.working.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                seen.interrupted.complete(true);
            }
        }

        @LeaderOnly("invoices")
        public void stubborn() {
            seen.working.countDown();
            while (seen.mayEnd.getCount() > 0) {
                try {
                    seen.mayEnd.await();
                } catch (InterruptedException e) {
                    seen.interrupted.complete(true);
                }
            }
        }

        @LeaderOnly("invoices")
        public void fails() {
            throw new IllegalStateException("as planned");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Contexts.Empty.class)
    static class OneBean {
        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    private static void awaitLeading(ConfigurableApplicationContext context, String election) {
        Campaign campaign =
                context.getBean(LeaderOnlyPostProcessor.class).campaigns().find(election);
        Await.until("calls may begin", PATIENCE, () -> {
            LeaderCalls term = campaign.term();
            return term != null && term.leadership().isValid();
        });
    }

    private static Thread call(ThrowingCall call, CompletableFuture<Boolean> flagAfter) {
        Thread thread = new Thread(() -> {
            try {
                call.run();
            } catch (InterruptedException e) {
                // As the method was told to.
            } finally {
                flagAfter.complete(Thread.currentThread().isInterrupted());
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A call that may be interrupted. */
    interface ThrowingCall {
        void run() throws InterruptedException;
    }

    private static void awaitValue(ConfigurableApplicationContext context, String election, String value) {
        ElectionClient client = context.getBean(ElectionClient.class);
        Await.until(
                "the value to be published",
                PATIENCE,
                () -> client.election(election)
                        .view()
                        .leader()
                        .filter(leader -> leader.value().equals(value))
                        .isPresent());
    }

    @Test
    void runsWhileLeadingAndSkipsWhileNot() {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(OneBean.class, store)) {
            awaitLeading(one, "invoices");
            try (ConfigurableApplicationContext other = Contexts.start(OneBean.class, store)) {
                Billing leading = one.getBean(Billing.class);
                Billing following = other.getBean(Billing.class);

                leading.send();
                following.send();

                assertThat(leading.seen().sent).hasValue(1);
                assertThat(following.seen().sent).hasValue(0);
                assertThat(following.token(null, "mine", null)).isEmpty();
                FencingToken token = leading.token(null, "mine", null).orElseThrow();
                one.close();
                awaitLeading(other, "invoices");
                assertThat(following.token(null, "mine", null).orElseThrow().value())
                        .isGreaterThan(token.value());
            }
        }
    }

    @Test
    void aMethodThatFailsKeepsTheTerm() {
        try (ConfigurableApplicationContext context = Contexts.start(OneBean.class, Contexts.store())) {
            awaitLeading(context, "invoices");
            Billing billing = context.getBean(Billing.class);
            FencingToken token = billing.token(null, "mine", null).orElseThrow();

            assertThatThrownBy(billing::fails).hasMessage("as planned");

            assertThat(billing.token(null, "mine", null)).contains(token);
        }
    }

    @Test
    void aLossInterruptsRunningCallsAndLeavesTheirThreadsClean() throws Exception {
        String store = Contexts.store();
        try (ConfigurableApplicationContext context = Contexts.start(OneBean.class, store + "?lease=2s");
                MemoryFaults faults = MemoryFaults.of(store.substring("memory:".length()))) {
            awaitLeading(context, "invoices");
            Billing billing = context.getBean(Billing.class);
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            call(billing::work, flag);
            billing.seen().working.await();

            faults.cutOff();

            assertThat(billing.seen().interrupted.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(flag.get(60, TimeUnit.SECONDS)).isFalse();
            billing.send();
            assertThat(billing.seen().sent).hasValue(0);
            faults.heal();
            awaitLeading(context, "invoices");
            billing.send();
            assertThat(billing.seen().sent).hasValue(1);
        }
    }

    @Test
    void atShutdownRunningCallsMayFinishAndOnlyThenTheNextLeads() throws Exception {
        String store = Contexts.store();
        ConfigurableApplicationContext one = Contexts.start(OneBean.class, store, "mandate.shutdown-grace=5m");
        awaitLeading(one, "invoices");
        Billing billing = one.getBean(Billing.class);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        call(billing::stubborn, flag);
        billing.seen().working.await();
        try (ConfigurableApplicationContext other = Contexts.start(OneBean.class, store)) {
            Thread closing = new Thread(one::close);
            closing.start();
            Await.until("no call begins", PATIENCE, () -> {
                int before = billing.seen().sent.get();
                billing.send();
                return billing.seen().sent.get() == before;
            });

            assertThat(billing.seen().interrupted).isNotDone();
            assertThat(other.getBean(ElectionClient.class)
                            .election("invoices")
                            .status()
                            .isLeader())
                    .isFalse();
            billing.seen().mayEnd.countDown();
            awaitLeading(other, "invoices");
            closing.join();
        }
        assertThat(flag.get(60, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void atTheEndOfTheGraceRunningCallsAreInterrupted() throws Exception {
        ConfigurableApplicationContext context =
                Contexts.start(OneBean.class, Contexts.store(), "mandate.shutdown-grace=0s");
        awaitLeading(context, "invoices");
        Billing billing = context.getBean(Billing.class);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        call(billing::work, flag);
        billing.seen().working.await();

        context.close();

        assertThat(billing.seen().interrupted.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(flag.get(60, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aContextThatIsStartedAgainCampaignsAgain() {
        try (ConfigurableApplicationContext context = Contexts.start(OneBean.class, Contexts.store())) {
            awaitLeading(context, "invoices");
            context.stop();
            Billing billing = context.getBean(Billing.class);
            billing.send();
            assertThat(billing.seen().sent).hasValue(0);

            context.start();

            awaitLeading(context, "invoices");
            billing.send();
            assertThat(billing.seen().sent).hasValue(1);
        }
    }

    @Test
    void theLeaderPublishesWhatThePropertySays() {
        try (ConfigurableApplicationContext context =
                Contexts.start(OneBean.class, Contexts.store(), "mandate.value=10.0.0.7:8080")) {
            awaitLeading(context, "invoices");
            awaitValue(context, "invoices", "10.0.0.7:8080");
        }
    }

    /** Scheduled methods, with and without the parameters of the term, one of them on another thread. */
    static class Scheduling {
        private final AtomicInteger plain = new AtomicInteger();
        private final AtomicReference<FencingToken> token = new AtomicReference<>();
        private final AtomicReference<String> thread = new AtomicReference<>();

        AtomicInteger plain() {
            return plain;
        }

        AtomicReference<FencingToken> token() {
            return token;
        }

        AtomicReference<String> thread() {
            return thread;
        }

        @Scheduled(fixedDelay = 20)
        @LeaderOnly("${schedule.name}-reports")
        void plainly() {
            plain.incrementAndGet();
        }

        @Scheduled(fixedDelay = 20)
        @LeaderOnly("${schedule.name}-reports")
        public void withToken(FencingToken given) {
            token.set(given);
        }

        @Async
        @LeaderOnly("${schedule.name}-reports")
        public CompletableFuture<Boolean> elsewhere(Leadership leadership) {
            thread.set(Thread.currentThread().getName());
            return CompletableFuture.completedFuture(leadership.isValid());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @EnableAsync
    @Import(Contexts.Empty.class)
    static class ScheduledBean {
        @Bean
        Scheduling scheduling() {
            return new Scheduling();
        }
    }

    @Test
    void scheduledMethodsRunOnTheLeaderOnly() throws Exception {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(ScheduledBean.class, store, "schedule.name=a")) {
            awaitLeading(one, "a-reports");
            try (ConfigurableApplicationContext other = Contexts.start(ScheduledBean.class, store, "schedule.name=a")) {
                Scheduling leading = one.getBean(Scheduling.class);
                Scheduling following = other.getBean(Scheduling.class);
                Await.until(
                        "scheduled runs",
                        PATIENCE,
                        () -> leading.plain().get() > 5 && leading.token().get() != null);

                assertThat(leading.elsewhere(null).get(60, TimeUnit.SECONDS)).isTrue();
                assertThat(leading.thread().get())
                        .isNotEqualTo(Thread.currentThread().getName());
                assertThat(following.plain()).hasValue(0);
                assertThat(following.token().get()).isNull();
                FencingToken first = leading.token().get();
                one.close();
                Await.until(
                        "a run with a higher token",
                        PATIENCE,
                        () -> following.token().get() != null);
                assertThat(following.token().get().value()).isGreaterThan(first.value());
            }
        }
    }

    /** Work in a transaction. */
    static class Booking {
        @Transactional
        @LeaderOnly("booking")
        public void book() {}
    }

    /** Counts transactions. */
    static final class Transactions extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1;

        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger committed = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            committed.incrementAndGet();
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import(Contexts.Empty.class)
    static class BookingBean {
        @Bean
        Booking booking() {
            return new Booking();
        }

        @Bean
        Transactions transactions() {
            return new Transactions();
        }
    }

    @Test
    void aSkippedCallBeginsNoTransaction() {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(BookingBean.class, store)) {
            awaitLeading(one, "booking");
            try (ConfigurableApplicationContext other = Contexts.start(BookingBean.class, store)) {
                one.getBean(Booking.class).book();
                other.getBean(Booking.class).book();

                assertThat(one.getBean(Transactions.class).committed).hasValue(1);
                assertThat(other.getBean(Transactions.class).begun).hasValue(0);
            }
        }
    }

    /** Throws instead of skipping. */
    static class Strict {
        @LeaderOnly(value = "strict", otherwise = LeaderOnly.Otherwise.THROW, publish = "by annotation")
        public int count() {
            return 7;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Contexts.Empty.class)
    static class StrictBean {
        @Bean
        Strict strict() {
            return new Strict();
        }
    }

    @Test
    void throwsInsteadIfTheAnnotationSaysSo() {
        String store = Contexts.store();
        try (ConfigurableApplicationContext one = Contexts.start(StrictBean.class, store)) {
            awaitLeading(one, "strict");
            assertThat(one.getBean(Strict.class).count()).isEqualTo(7);
            awaitValue(one, "strict", "by annotation");
            try (ConfigurableApplicationContext other = Contexts.start(StrictBean.class, store)) {
                Strict following = other.getBean(Strict.class);
                assertThatThrownBy(following::count)
                        .isInstanceOfSatisfying(
                                NotLeaderException.class,
                                e -> assertThat(e.election()).isEqualTo("strict"));
            }
        }
    }
}
