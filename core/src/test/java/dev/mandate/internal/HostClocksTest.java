package dev.mandate.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.engine.LeaseTiming;
import dev.mandate.engine.LeaseWindow;
import dev.mandate.engine.Now;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks read together, of a machine that a test suspends, holds up and lies about. */
class HostClocksTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Duration LEASE = Duration.ofSeconds(10);

    private long ranNanos = 100 * SECOND;
    private long asleepNanos = 50 * SECOND;
    private long wallSetNanos = 1_700_000_000L * SECOND;
    private long kernelWrongNanos;
    private boolean isKernelGone;
    private final AtomicInteger failures = new AtomicInteger();
    private Clocks linux;
    private Clocks elsewhere;

    @BeforeEach
    void read() {
        linux = new Clocks(() -> ranNanos, this::wallMillis, this::kernel, failures::incrementAndGet);
        elsewhere = new Clocks(() -> ranNanos, this::wallMillis, null, failures::incrementAndGet);
        linux.now();
        elsewhere.now();
    }

    private long wallMillis() {
        return (wallSetNanos + ranNanos + asleepNanos) / 1_000_000;
    }

    private long kernel() throws IOException {
        if (isKernelGone) {
            throw new IOException("gone");
        }
        return (ranNanos + asleepNanos + kernelWrongNanos)
                / LeaseWindow.BOOT_COARSE_NANOS
                * LeaseWindow.BOOT_COARSE_NANOS;
    }

    private void suspend(Duration duration) {
        asleepNanos += duration.toNanos();
    }

    /** While something is held, somebody looks each quarter of a second. */
    private void run(Duration duration) {
        for (long left = duration.toNanos(); left > 0; left -= Watchdog.LOOK_NANOS) {
            ranNanos += Math.min(left, Watchdog.LOOK_NANOS);
            linux.now();
            elsewhere.now();
        }
    }

    private static LeaseWindow sent(Clocks clocks) {
        return LeaseTiming.of(LEASE).window(clocks.now(), LEASE.toNanos());
    }

    @Test
    void aWallClockSetBackWhileTheMachineRunsHidesNoSuspension() {
        LeaseWindow onLinux = sent(linux);
        LeaseWindow onOthers = sent(elsewhere);
        run(Duration.ofSeconds(1));
        wallSetNanos -= 60 * SECOND;
        run(Duration.ofSeconds(1));
        assertThat(onLinux.isStopPassed(linux.now())).isFalse();
        assertThat(onOthers.isStopPassed(elsewhere.now())).isFalse();

        suspend(Duration.ofSeconds(15));

        assertThat(onLinux.isEndPassed(linux.now())).isTrue();
        assertThat(onOthers.isEndPassed(elsewhere.now())).isTrue();
    }

    /** What is left elsewhere, and said: the step and the suspension lie between the same two looks. */
    @Test
    void aWallClockSetBackDuringASuspensionHidesItEverywhereButOnLinux() {
        LeaseWindow onLinux = sent(linux);
        LeaseWindow onOthers = sent(elsewhere);

        suspend(Duration.ofSeconds(15));
        wallSetNanos -= 60 * SECOND;

        assertThat(onLinux.isEndPassed(linux.now())).isTrue();
        assertThat(onOthers.isStopPassed(elsewhere.now())).isFalse();
        assertThat(linux.isEstimated()).isFalse();
        assertThat(elsewhere.isEstimated()).isTrue();
    }

    /** Within a turn the time since boot is reckoned on; the next turn reads it. */
    @Test
    void aSuspensionInTheMidstOfATurnShowsInTheNextOne() {
        LeaseWindow window = sent(linux);
        Now turn = linux.now();
        suspend(Duration.ofSeconds(15));
        wallSetNanos -= 60 * SECOND;
        ranNanos += SECOND;

        Now within = linux.since(turn);

        assertThat(within.monotonicNanos()).isEqualTo(ranNanos);
        assertThat(within.bootNanos()).isEqualTo(turn.bootNanos() + SECOND);
        assertThat(window.isEndPassed(linux.now())).isTrue();
        // What was sent within that turn counts from too early: it is over too soon, never too late.
        assertThat(LeaseTiming.of(LEASE).window(within, LEASE.toNanos()).isEndPassed(linux.now()))
                .isTrue();
    }

    /**
     * However the wall clock drifts, jitters and is corrected, a machine that is not suspended is not taken for one
     * that was.
     */
    @Test
    void aMachineThatRunsIsNotTakenForASuspendedOne() {
        LeaseWindow window = LeaseTiming.of(Duration.ofHours(1))
                .window(elsewhere.now(), Duration.ofHours(1).toNanos());
        long began = elsewhere.now().bootNanos();
        for (int i = 0; i < 20_000; i++) {
            ranNanos += 13_370_123;
            wallSetNanos += i % 2 == 0 ? 900_000 : -901_000;
            elsewhere.now();
        }

        assertThat(elsewhere.now().bootNanos() - began).isEqualTo(20_000 * 13_370_123L);
        assertThat(window.isStopPassed(elsewhere.now())).isFalse();
    }

    /** Held up between two readings for as long as a lease: no clock falls back, none runs ahead for ever. */
    @Test
    void whoeverIsHeldUpBetweenTwoReadingsSeesMoreTimeNotLess() {
        AtomicInteger reads = new AtomicInteger();
        Clocks slow = new Clocks(
                () -> {
                    if (reads.incrementAndGet() == 5) {
                        ranNanos += 20 * SECOND;
                    }
                    return ranNanos;
                },
                this::wallMillis,
                null,
                failures::incrementAndGet);
        slow.now();
        long before = ranNanos;

        Now held = slow.now();

        assertThat(ranNanos - before).isEqualTo(20 * SECOND);
        assertThat(held.monotonicNanos()).isEqualTo(ranNanos);
        assertThat(held.bootNanos()).isEqualTo(ranNanos);
        assertThat(slow.now().bootNanos()).isEqualTo(ranNanos);
    }

    /** A thread that looked before the wall clock was set is held up; another one has looked since. */
    @Test
    void anOldLookIsNotTakenForASuspension() {
        AtomicInteger reads = new AtomicInteger();
        Clocks[] clocks = new Clocks[1];
        clocks[0] = new Clocks(
                () -> {
                    if (reads.incrementAndGet() == 5) {
                        ranNanos += SECOND;
                        wallSetNanos -= 60 * SECOND;
                        clocks[0].now();
                    }
                    return ranNanos;
                },
                this::wallMillis,
                null,
                failures::incrementAndGet);
        clocks[0].now();
        ranNanos += SECOND;

        Now old = clocks[0].now();
        ranNanos += SECOND;

        assertThat(old.bootNanos()).isEqualTo(ranNanos - SECOND);
        assertThat(clocks[0].now().bootNanos()).isEqualTo(ranNanos);
    }

    @Test
    void aKernelThatCanNoLongerBeReadEndsWhatIsHeldAndIsReportedOnce() {
        LeaseWindow window = sent(linux);
        run(Duration.ofSeconds(1));

        isKernelGone = true;

        assertThat(window.isEndPassed(linux.now())).isTrue();
        assertThat(linux.isEstimated()).isTrue();
        LeaseWindow next = sent(linux);
        isKernelGone = false;
        run(Duration.ofSeconds(5));
        assertThat(next.isStopPassed(linux.now())).isFalse();
        suspend(Duration.ofSeconds(5));
        assertThat(next.isStopPassed(linux.now())).isTrue();
        assertThat(failures).hasValue(1);
    }

    /** As where the file follows the wall clock, or begins anew. */
    @Test
    void aKernelClockThatFallsBackIsNotBelieved() {
        LeaseWindow window = sent(linux);
        run(Duration.ofSeconds(1));

        kernelWrongNanos = -60 * SECOND;

        assertThat(window.isEndPassed(linux.now())).isTrue();
        assertThat(linux.isEstimated()).isTrue();
        assertThat(failures).hasValue(1);
    }

    @Test
    void aReportThatFailsHoldsNobodyUp() {
        Clocks mute = new Clocks(() -> ranNanos, this::wallMillis, this::kernel, () -> {
            throw new OutOfMemoryError("planted");
        });
        isKernelGone = true;

        assertThat(mute.now().monotonicNanos()).isEqualTo(ranNanos);
    }

    // ---- the file ----

    @Test
    void theFileIsReadAnewEachTime(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("uptime");
        Files.writeString(file, "1073.14 831.10\n");
        Uptime uptime = new Uptime(file);
        assertThat(uptime.nanos()).isEqualTo(1_073_140_000_000L);

        Files.writeString(file, "1074.00 831.10\n");

        assertThat(uptime.nanos()).isEqualTo(1_074_000_000_000L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "12",
                "12.",
                "12.3 4",
                "12.345 6",
                "-1.00 2",
                ".50 1",
                "1.2.3 4",
                "99999999999999999.00 1"
            })
    void whatDoesNotBeginWithSecondsAndTwoDecimalsIsRefused(String text) {
        byte[] bytes = text.getBytes(US_ASCII);

        assertThatThrownBy(() -> Uptime.parse(bytes, bytes.length)).isInstanceOf(IOException.class);
    }

    @Test
    void anEmptyFileIsRefused() {
        assertThatThrownBy(() -> Uptime.parse(new byte[8], -1)).isInstanceOf(IOException.class);
    }

    /** A thread that is being interrupted asks, too: it is when work drains that it matters. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void interruptedThreadsCanReadIt() throws IOException {
        Uptime uptime = Uptime.ofKernel();
        org.junit.jupiter.api.Assumptions.assumeTrue(uptime != null, "/proc/uptime is not the kernel's");
        try {
            Thread.currentThread().interrupt();
            long first = uptime.nanos();
            assertThat(uptime.nanos()).isBetween(first, first + 60 * SECOND);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void thisMachineReadsItsOwn() {
        SystemHost host = new SystemHost();
        Now first = host.now();
        Now second = host.now();

        assertThat(second.bootNanos()).isGreaterThanOrEqualTo(first.bootNanos());
        assertThat(Uptime.ofKernel() == null).isEqualTo(!host.assumptions().isEmpty());
    }
}
