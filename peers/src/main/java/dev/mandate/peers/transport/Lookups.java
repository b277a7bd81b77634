package dev.mandate.peers.transport;

import dev.mandate.support.RotatingSecret;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What may block, and therefore runs outside the loop: resolving names, and reading the secret's file. It uses a few
 * threads, which end when idle; names that hang delay others only once there are as many of them as threads.
 */
final class Lookups {
    private static final int THREADS_MAX = 4;
    private static final int WAITING_MAX = 2 * TransportSettings.MEMBERS_MAX;
    private static final long IDLE_SECONDS = 2;

    /** Resolves names. */
    @FunctionalInterface
    interface Resolver {
        /** All addresses of a host, at least one. May block. */
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /**
     * The results for one dial.
     *
     * @param addresses empty if there was trouble
     * @param secrets to try in turn
     * @param trouble null if there was none
     */
    record Found(
            List<InetSocketAddress> addresses,
            List<byte[]> secrets,
            @Nullable String trouble) {}

    private final Resolver resolver;
    private final @Nullable RotatingSecret<GroupSecret> secret;
    private final Consumer<Runnable> loop;
    private final ThreadPoolExecutor threads;
    private final AtomicBoolean isReading = new AtomicBoolean();

    /**
     * Lookups that hand their results to a loop.
     *
     * @param loop runs tasks on the loop's thread
     */
    Lookups(
            Resolver resolver,
            @Nullable RotatingSecret<GroupSecret> secret,
            Consumer<Runnable> loop,
            ThreadFactory threads) {
        this.resolver = resolver;
        this.secret = secret;
        this.loop = loop;
        this.threads = new ThreadPoolExecutor(
                THREADS_MAX,
                THREADS_MAX,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING_MAX),
                threads);
        this.threads.allowCoreThreadTimeOut(true);
    }

    /** Finds where {@code member} is now and which secrets to use; {@code then} runs on the loop. Never blocks. */
    void lookUp(PeerAddress member, Consumer<Found> then) {
        try {
            threads.execute(() -> {
                Found found = look(member);
                loop.accept(() -> then.accept(found));
            });
        } catch (RejectedExecutionException e) {
            loop.accept(() -> then.accept(trouble("too many names are being looked up")));
        } catch (RuntimeException | Error e) {
            // No thread could be started; the dialler waits for an answer all the same.
            loop.accept(() -> then.accept(trouble("the name " + member.host() + " can't be looked up: " + e)));
        }
    }

    private Found look(PeerAddress member) {
        try {
            List<InetSocketAddress> addresses = Arrays.stream(resolver.resolve(member.host()))
                    .map(address -> new InetSocketAddress(address, member.port()))
                    .toList();
            return addresses.isEmpty()
                    ? trouble("the name " + member.host() + " has no address")
                    : new Found(addresses, newest().keys(), null);
        } catch (UnknownHostException e) {
            return trouble("the name " + member.host() + " can't be resolved: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            return trouble("the name " + member.host() + " can't be resolved: " + e);
        }
    }

    /** What the file holds now; or, while another thread waits for the file, which may hang, what it held last. */
    private GroupSecret newest() {
        RotatingSecret<GroupSecret> rotating = secret;
        if (rotating == null) {
            return GroupSecret.NONE;
        }
        if (!isReading.compareAndSet(false, true)) {
            return rotating.current();
        }
        try {
            return rotating.forLogin();
        } finally {
            isReading.set(false);
        }
    }

    private static Found trouble(String sentence) {
        return new Found(List.of(), List.of(), sentence);
    }

    /** The secrets that others may use, as last read. */
    List<byte[]> accepted() {
        return (secret == null ? GroupSecret.NONE : secret.current()).keys();
    }

    /**
     * Another process used another secret: perhaps ours has changed. Reads the file unless a read is under way. Never
     * blocks.
     */
    void readAgain() {
        RotatingSecret<GroupSecret> rotating = secret;
        if (rotating == null || !isReading.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.execute(() -> {
                try {
                    rotating.forLogin();
                } finally {
                    isReading.set(false);
                }
            });
        } catch (RuntimeException | Error e) {
            // Too many wait, or no thread could be started: the next rejection reads it.
            isReading.set(false);
        }
    }

    void close() {
        threads.shutdownNow();
    }
}
