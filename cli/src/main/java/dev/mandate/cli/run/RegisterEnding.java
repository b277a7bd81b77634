package dev.mandate.cli.run;

import dev.mandate.console.ExitCode;
import dev.mandate.registry.Registration;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What ends {@code register}: its command, or a signal. Safe for use from many threads. */
final class RegisterEnding {
    /** How long an ending signal is held back from the command while its registration is removed. */
    private static final long REMOVAL_MILLIS = 1_000;

    private final @Nullable CommandTask task;
    private final Terminal terminal = new Terminal();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile @Nullable Registration registration;
    private volatile int signal;

    /** @param task the command; null if there is none */
    RegisterEnding(@Nullable CommandTask task) {
        this.task = task;
    }

    /** From now on handles signals. */
    void takeSignals() {
        Signals.handle(this::signalled);
    }

    /** From now on an ending signal first removes this registration. */
    void removes(Registration registered) {
        registration = registered;
    }

    void signalled(String name) {
        CommandTask running = task;
        if (running == null) {
            if (Signals.ends(name) || name.equals("HUP")) {
                signal = Signals.number(name);
                over.countDown();
            }
            return;
        }
        boolean ends = Signals.ends(name) || name.equals("HUP") && terminal.isGone();
        if (ends) {
            remove();
        }
        running.signalled(name, ends);
    }

    /** Removes the registration, so that no caller is sent to a command about to stop. Waits at most a second. */
    private void remove() {
        Registration registered = registration;
        if (registered == null) {
            return;
        }
        CountDownLatch removed = new CountDownLatch(1);
        Thread closing = new Thread(
                () -> {
                    registered.close();
                    removed.countDown();
                },
                "mandate-removal");
        closing.setDaemon(true);
        closing.start();
        try {
            removed.await(REMOVAL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until it is over or {@code atMost} has passed; returns whether it is over. */
    boolean await(Duration atMost) throws InterruptedException {
        return task == null ? over.await(atMost.toNanos(), TimeUnit.NANOSECONDS) : task.awaitEnd(atMost);
    }

    int exitCode() {
        return task == null ? ExitCode.SIGNAL + signal : task.exitCode();
    }
}
