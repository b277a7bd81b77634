package dev.mandate.engine;

import dev.mandate.EndReason;
import dev.mandate.spi.StoreSession;

/**
 * One open session as the machines share it: the store's handle, the cell that bounds every term under it, and the
 * timing that fits the granted lease. Compared by identity: a session is never re-created.
 */
public final class SessionLease {
    private final StoreSession handle;
    private final LeaseCell cell;
    private final LeaseTiming timing;
    private int covered;
    private boolean over;

    SessionLease(StoreSession handle, LeaseWindow first, LeaseTiming timing) {
        this.handle = handle;
        this.cell = new LeaseCell(first);
        this.timing = timing;
    }

    /** The handle for requests to the store. */
    public StoreSession handle() {
        return handle;
    }

    /** The cell that bounds every term under this session. */
    public LeaseCell cell() {
        return cell;
    }

    /** The timing that fits the granted lease. */
    public LeaseTiming timing() {
        return timing;
    }

    /** Whether it may still be believed at {@code now}. Latches it if not. */
    boolean isOpen(Now now) {
        return cell.isOpenAt(now);
    }

    /** The store reported its end, or it is certainly over. */
    void over() {
        over = true;
        cell.latch(EndReason.SESSION_ENDED);
    }

    boolean isOver() {
        return over;
    }

    /** One more election needs this session although it may no longer be believed: work drains or overruns under it. */
    void cover() {
        covered++;
    }

    /** One election fewer needs it. */
    void uncover() {
        covered--;
    }

    /** Whether any work still drains or overruns under it. */
    boolean isCovering() {
        return covered > 0;
    }

    @Override
    public String toString() {
        return "session " + handle.id();
    }
}
