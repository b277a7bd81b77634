package dev.mandate.internal;

import dev.mandate.engine.Now;
import dev.mandate.engine.SweepAction;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;

/** One listing of all elections, page by page. On the loop alone. */
final class Sweep {
    /** A store that lists more than this many pages is listed in part; the rest is looked at key by key. */
    private static final int PAGES_MAX = 10_000;

    private final Loop loop;
    private final ElectionStore store;
    private final SweepAction action;
    private int pages;

    Sweep(Loop loop, ElectionStore store, SweepAction action) {
        this.loop = loop;
        this.store = store;
        this.action = action;
    }

    long request() {
        return action.request();
    }

    void start(Now now) {
        ask(Cursor.START, now);
    }

    private void ask(Cursor from, Now asked) {
        int page = ++pages;
        long askedNanos = asked.monotonicNanos();
        loop.at(askedNanos + action.timeoutNanos(), now -> {
            if (pages == page) {
                loop.sweepDone(this, false, now);
            }
        });
        loop.calls()
                .send(
                        asked,
                        action.timeoutNanos(),
                        call -> store.list(RecordKey.elections(), from, call),
                        new StoreCalls.Outcome<Page<Observation>>() {
                            @Override
                            public void answered(Page<Observation> answer, Now now) {
                                loop.swept(Sweep.this, answer.items(), askedNanos, now);
                                goOn(from, answer, now);
                            }

                            @Override
                            public void failed(Throwable why, Now now) {
                                loop.sweepDone(Sweep.this, false, now);
                            }
                        });
    }

    private void goOn(Cursor from, Page<Observation> answer, Now now) {
        if (!loop.isWanted(this)) {
            return;
        }
        Cursor after = answer.after();
        if (after == null) {
            loop.sweepDone(this, true, now);
        } else if (after.equals(from) || pages >= PAGES_MAX) {
            loop.sweepDone(this, false, now);
        } else {
            ask(after, now);
        }
    }
}
