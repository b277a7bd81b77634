package dev.mandate.etcd;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * How soon a leader stops to believe after an operator deleted its key or revoked its lease. No test: it prints
 * figures. Arguments: the port, and the number of rounds.
 */
final class LossByHand {
    /**
     * Longer than a leader lets pass between two looks, so that what is measured is not its pause after the first one.
     */
    private static final int PAUSE_MILLIS = 400;

    private LossByHand() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        String name = "by-hand-" + System.nanoTime();
        try (Operator operator = new Operator(port);
                ElectionClient client = ElectionClient.connect(EtcdServer.url(port) + "?coolDown=0s")) {
            print("key deleted", measure(client, operator, name, rounds, lease -> operator.delete("/leaders/" + name)));
            print("lease revoked", measure(client, operator, name, rounds, operator::revoke));
        }
    }

    private static long[] measure(
            ElectionClient client, Operator operator, String name, int rounds, LongConsumer takeAway) throws Exception {
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            try (Leadership term = client.election(name).campaign("x")) {
                long lease = operator.get("/leaders/" + name).orElseThrow().getLease();
                TimeUnit.MILLISECONDS.sleep(
                        PAUSE_MILLIS + ThreadLocalRandom.current().nextInt(PAUSE_MILLIS));
                long before = System.nanoTime();
                takeAway.accept(lease);
                while (term.isValid()) {
                    Thread.onSpinWait();
                }
                nanos[i] = System.nanoTime() - before;
            }
        }
        return nanos;
    }

    private static void print(String what, long[] nanos) {
        Arrays.sort(nanos);
        System.out.printf(
                Locale.ROOT,
                "%-14s p50 %6.2f ms  p99 %6.2f ms  max %6.2f ms%n",
                what,
                nanos[nanos.length / 2] / 1e6,
                nanos[nanos.length * 99 / 100] / 1e6,
                nanos[nanos.length - 1] / 1e6);
    }
}
