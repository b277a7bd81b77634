package dev.mandate.bench;

import dev.mandate.spi.ElectionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All members of a scratch group, in this process, while something is measured here; nothing if there is a store. */
final class Hosted implements AutoCloseable {
    private static final Duration FORMED_WITHIN = Duration.ofSeconds(60);

    private final List<ElectionStore> members = new ArrayList<>();

    private Hosted() {}

    /**
     * Starts the members and waits until they vote.
     *
     * @throws dev.mandate.console.Failure if they do not vote in time
     */
    static Hosted of(Target target) throws InterruptedException {
        Hosted hosted = new Hosted();
        if (target.group() != null) {
            for (int place = 0; place < target.group().size(); place++) {
                hosted.members.add(target.store(place));
            }
            target.group().awaitVoters(target.explanation(), FORMED_WITHIN);
        }
        return hosted;
    }

    @Override
    public void close() {
        members.forEach(ElectionStore::close);
    }
}
