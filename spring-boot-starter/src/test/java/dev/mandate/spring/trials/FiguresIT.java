package dev.mandate.spring.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.ElectionClient;
import dev.mandate.spring.LeaderOnly;
import dev.mandate.testkit.Await;
import dev.mandate.testkit.CandidateProcess;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Prints what the starter costs, for its page. Asserts no speed. */
@Tag("long")
class FiguresIT {
    private static final int STARTS = Integer.getInteger("mandate.spring.starts", 3);
    private static final String STARTED = "started ";

    @TempDir
    private Path folder;

    /** How long a start took, and the processor time of its thread. */
    private record Start(long millis, long busyMillis) {}

    /** Never leads. */
    static class Work {
        @LeaderOnly("figures")
        public void send() {
            throw new AssertionError("another leads");
        }
    }

    /** An application with a web server and one bean. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    public static class Application {
        /** Starts, says how long that took, and ends. */
        public static void main(String[] arguments) {
            long begun = System.nanoTime();
            ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments);
            long millis = (System.nanoTime() - begun) / 1_000_000;
            // On a busy machine the time says little; the processor time of the thread that starts it says more.
            long busy = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000;
            System.out.println(STARTED + millis + " " + busy);
            context.close();
        }

        @Bean
        Work work() {
            return new Work();
        }
    }

    private static long median(List<Start> starts, ToLongFunction<Start> figure) {
        return starts.stream()
                .mapToLong(figure)
                .sorted()
                .skip(starts.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    private static Start start(String... arguments) {
        try (CandidateProcess process =
                CandidateProcess.java(Application.class, arguments).start()) {
            String line = process.await("it to start", Duration.ofMinutes(2), l -> l.startsWith(STARTED));
            String[] words = line.substring(STARTED.length()).split(" ", -1);
            return new Start(Long.parseLong(words[0]), Long.parseLong(words[1]));
        }
    }

    @Test
    void addsLittleToAStart() {
        List<Start> with = new ArrayList<>();
        List<Start> without = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            with.add(start("--server.port=0", "--mandate.url=sqlite:" + folder.resolve("mandate.db")));
            without.add(start(
                    "--server.port=0",
                    "--spring.autoconfigure.exclude=dev.mandate.spring.MandateAutoConfiguration,"
                            + "dev.mandate.spring.MandateHealthAutoConfiguration,"
                            + "dev.mandate.spring.MandateEndpointAutoConfiguration,"
                            + "dev.mandate.spring.MandateMetricsAutoConfiguration"));
        }
        System.out.printf(
                "start: it adds %d ms, %d ms of processor time, at p50; with it %s, without it %s%n",
                median(with, Start::millis) - median(without, Start::millis),
                median(with, Start::busyMillis) - median(without, Start::busyMillis),
                with,
                without);
        assertThat(with).hasSize(STARTS);
    }

    @Test
    void aSkippedCallCostsLittle() {
        String url = "--mandate.url=sqlite:" + folder.resolve("skipped.db");
        try (ConfigurableApplicationContext leader = context(url)) {
            ElectionClient client = leader.getBean(ElectionClient.class);
            Await.until(
                    "leading",
                    Duration.ofMinutes(1),
                    () -> client.election("figures").status().isLeader());
            ConfigurableApplicationContext follower = context(url);
            Work work = follower.getBean(Work.class);
            List<Long> nanos = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                long begun = System.nanoTime();
                for (int j = 0; j < 1_000; j++) {
                    work.send();
                }
                nanos.add((System.nanoTime() - begun) / 1_000);
            }
            Collections.sort(nanos);
            System.out.printf(
                    "skipped call: p50 %d ns, p99 %d ns%n",
                    nanos.get(nanos.size() / 2), nanos.get(nanos.size() * 99 / 100));
            follower.close();
            assertThat(nanos).isNotEmpty();
        }
    }

    private static ConfigurableApplicationContext context(String url) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(url, "--logging.level.root=error", "--spring.main.banner-mode=off");
    }
}
