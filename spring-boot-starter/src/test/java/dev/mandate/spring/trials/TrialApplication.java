package dev.mandate.spring.trials;

import dev.mandate.FencingToken;
import dev.mandate.jdbc.SqlFence;
import dev.mandate.spring.LeaderOnly;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.sqlite.SQLiteDataSource;

/**
 * An application in a process of its own. Its only method is nearly always inside, if it may be, and writes to a
 * resource with its token. Says on standard output what it does, with the time of the machine's monotonic clock.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableScheduling
public class TrialApplication {
    static final String UP = "up";
    static final String IN = "in ";
    static final String OUT = "out ";
    static final String WROTE = "wrote ";
    static final String REFUSED = "refused ";
    static final String LEAVE = "leave";

    /** The path of the resource, how many milliseconds a call takes, then properties. */
    public static void main(String[] arguments) throws Exception {
        System.setProperty("trial.resource", arguments[0]);
        System.setProperty("trial.millis", arguments[1]);
        SpringApplication application = new SpringApplication(TrialApplication.class);
        ConfigurableApplicationContext context = application.run(Arrays.copyOfRange(arguments, 2, arguments.length));
        say(UP);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals(LEAVE)) {
                context.close();
                say("left");
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    @Bean
    SqlFence fence() throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + System.getProperty("trial.resource"));
        return SqlFence.of(source, "invoices").createTable();
    }

    @Bean
    Work work(SqlFence fence) {
        return new Work(fence);
    }

    /** The work of the leader. */
    public static class Work {
        private final SqlFence fence;

        Work(SqlFence fence) {
            this.fence = fence;
        }

        @Scheduled(fixedDelay = 5)
        @LeaderOnly("invoices")
        void send(FencingToken token) {
            say(IN + System.nanoTime() + " " + token.value());
            write(token);
            try {
                // Interrupted here by a loss.
                new CountDownLatch(1).await(Long.getLong("trial.millis"), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                // As told.
            }
            write(token);
            say(OUT + System.nanoTime() + " " + token.value());
        }

        /** Comes late if the process was frozen meanwhile. */
        private void write(FencingToken token) {
            try {
                fence.advance(token);
                say(WROTE + token.value());
            } catch (SQLException e) {
                say("failed " + e);
            } catch (RuntimeException e) {
                say(REFUSED + token.value() + " " + e.getMessage());
            }
        }
    }
}
