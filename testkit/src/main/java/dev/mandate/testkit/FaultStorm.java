package dev.mandate.testkit;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Real candidates on a real server, each behind its own {@link FaultProxy} that fails at random, while a thread checks
 * all the time whether two believe they lead. Afterwards the networks heal, and a leader must be found.
 *
 * <p>A printed seed decides what happens when. The result also depends on the machine, so a seed does not repeat a run.
 */
public final class FaultStorm {
    private static final int CANDIDATES = 4;
    private static final long SPACING_MAX_MILLIS = 400;
    private static final long LOOK_NANOS = 200_000;
    private static final long WORK_NANOS = 5_000_000;

    private final String host;
    private final int port;
    private final IntFunction<ElectionClient> connect;
    private final Believers believers = new Believers();
    private volatile Duration termMost = Duration.ofDays(365);
    private final ConcurrentLinkedQueue<AssertionError> complaints = new ConcurrentLinkedQueue<>();

    private FaultStorm(String host, int port, IntFunction<ElectionClient> connect) {
        this.host = host;
        this.port = port;
        this.connect = connect;
    }

    /**
     * The result.
     *
     * @param terms how many terms there were
     * @param looks how often all of them were checked
     */
    public record Outcome(int terms, long looks) {}

    /**
     * Prepares a storm.
     *
     * @param host where the server is
     * @param port where it listens
     * @param connect opens a client through the proxy that listens on the given port of the loopback address
     */
    public static FaultStorm around(String host, int port, IntFunction<ElectionClient> connect) {
        return new FaultStorm(host, port, connect);
    }

    /**
     * Leaders resign within that time, at random: for many terms although leases outlast most failures.
     *
     * @return this
     */
    public FaultStorm resigningWithin(Duration most) {
        termMost = most;
        return this;
    }

    /**
     * Runs the storm over one election. Blocks; use a storm once.
     *
     * @param election its name, not used by anybody else
     * @param storm how long networks fail
     * @param patience how long a leader may take to be found afterwards
     * @throws AssertionError if two terms were valid at the same time or had one token, or nobody leads afterwards
     */
    public Outcome rage(String election, Duration storm, Duration patience) throws IOException {
        long seed = Long.getLong("mandate.seed", System.nanoTime());
        System.out.println("fault storm over election " + election + ": seed " + seed);
        List<FaultProxy> networks = new ArrayList<>();
        List<ElectionClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CANDIDATES; i++) {
                networks.add(FaultProxy.to(host, port));
                clients.add(connect.apply(networks.get(i).port()));
                clients.get(i).election(election).runWhileLeader("v" + i, this::lead);
            }
            long looks = rage(networks, new Random(seed), storm);
            for (FaultProxy network : networks) {
                network.pass();
            }
            Await.until("a leader after the storm of seed " + seed, patience, () -> {
                look();
                return believers.isAnybodyValid();
            });
            return new Outcome(believers.terms(), looks);
        } finally {
            clients.forEach(ElectionClient::close);
            for (FaultProxy network : networks) {
                network.close();
            }
        }
    }

    private long rage(List<FaultProxy> networks, Random random, Duration storm) throws IOException {
        long begin = System.nanoTime();
        long nextNanos = 0;
        long looks = 0;
        for (long passed = 0; passed < storm.toNanos(); passed = System.nanoTime() - begin) {
            if (passed >= nextNanos) {
                fail(networks.get(random.nextInt(CANDIDATES)), random);
                nextNanos = passed
                        + Duration.ofMillis(random.nextLong(SPACING_MAX_MILLIS)).toNanos();
            }
            look();
            looks++;
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return looks;
    }

    private void look() {
        AssertionError complaint = complaints.poll();
        if (complaint != null) {
            throw complaint;
        }
        believers.requireOne();
    }

    private void lead(Leadership term) {
        try {
            believers.add(term);
        } catch (AssertionError e) {
            complaints.add(e);
        }
        long begun = System.nanoTime();
        long most = ThreadLocalRandom.current().nextLong(termMost.toNanos());
        while (term.isValid()) {
            LockSupport.parkNanos(WORK_NANOS);
            if (System.nanoTime() - begun > most) {
                term.resign();
            }
        }
    }

    private static void fail(FaultProxy network, Random random) throws IOException {
        switch (random.nextInt(8)) {
            case 0 -> network.blackHole();
            case 1 -> network.blackHole(Direction.TO_CLIENT);
            case 2 -> network.stall();
            case 3 -> network.cutAfter(Direction.TO_CLIENT, random.nextInt(400));
            case 4 -> network.cutAfter(Direction.TO_SERVER, random.nextInt(400));
            case 5 -> network.reset();
            default -> network.pass();
        }
    }
}
