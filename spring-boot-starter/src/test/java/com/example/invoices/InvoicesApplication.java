package com.example.invoices;

import dev.mandate.FencingToken;
import dev.mandate.spring.LeaderOnly;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** A complete program: start it as often as you like, and one instance sends. */
@SpringBootApplication
@EnableScheduling
public class InvoicesApplication {
    /** Starts it. */
    public static void main(String[] arguments) {
        SpringApplication.run(InvoicesApplication.class, arguments);
    }

    /** What only the leader does. */
    @Component
    static class Sender {
        @Scheduled(fixedDelay = 1_000)
        @LeaderOnly("invoices")
        void send(FencingToken token) {
            System.out.println("sending invoices with token " + token.value());
        }
    }
}
