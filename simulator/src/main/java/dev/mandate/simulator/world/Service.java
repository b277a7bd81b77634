package dev.mandate.simulator.world;

import dev.mandate.simulator.check.InstancesCheck;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The service of a world: the records of its instances, who says what, and what must be listed. */
final class Service {
    static final RecordKey PREFIX = RecordKey.registrations("s");

    private final World world;
    private final ServiceKnobs knobs;
    final SplittableRandom random;
    final InstancesCheck check;

    /** The records in the store, by key. */
    private final Map<RecordKey, Observation.Held> standing = new HashMap<>();

    Service(World world, ServiceKnobs knobs, SplittableRandom random) {
        this.world = world;
        this.knobs = knobs;
        this.random = random;
        this.check = new InstancesCheck(world.knobs.kind.isJudged(), world.knobs.listsVaguely(), world.judge);
    }

    static boolean isOf(RecordKey key) {
        return key.space().equals(RecordKey.REGISTRATIONS);
    }

    ServiceKnobs knobs() {
        return knobs;
    }

    // ---- what people do ----

    void plan() {
        for (int i = 0; i < knobs.steps(); i++) {
            long at = (long) (random.nextDouble() * world.knobs.horizonNanos);
            world.queue.put(new PlanStep(w -> act(), "a step of the service"), at);
        }
    }

    private void act() {
        Candidate candidate = world.candidates[random.nextInt(world.candidates.length)];
        int what = random.nextInt(9);
        if (what == 0) {
            deleteOne();
            return;
        }
        Registrant registrant = candidate.registrant;
        if (registrant == null || candidate.isFrozen || !candidate.isUp || candidate.isClosing) {
            return;
        }
        if (what == 8) {
            deny(candidate, registrant);
        } else if (what < 3) {
            registrant.leave();
        } else if (what < 5) {
            registrant.register();
        } else {
            registrant.update();
        }
    }

    /** The candidate loses the right to write its record, and may be told to leave meanwhile; all that ends in time. */
    private void deny(Candidate candidate, Registrant registrant) {
        long lease = world.knobs.leaseMax();
        long spell = lease + random.nextLong(4 * lease);
        if (world.now + spell + 3 * lease < world.knobs.horizonNanos) {
            world.fired(Fault.REFUSING);
            candidate.isDenied = true;
            world.queue.put(
                    new PlanStep(w -> candidate.isDenied = false, "the right to register is given back"),
                    world.now + spell);
            if (random.nextBoolean()) {
                registrant.leave();
            }
        }
    }

    private void deleteOne() {
        List<RecordKey> keys = standing.keySet().stream()
                .sorted((a, b) -> a.path().compareTo(b.path()))
                .toList();
        if (!keys.isEmpty()) {
            world.fired(Fault.DELETED);
            world.server.deleteInstance(keys.get(random.nextInt(keys.size())));
        }
    }

    // ---- the store ----

    /** A record was written, or its lease ended. */
    void changed(Observation now, boolean renewal) {
        RecordKey key = now.key();
        if (now instanceof Observation.Held held) {
            standing.put(key, held);
        } else {
            standing.remove(key);
        }
        check.stands(key.name(), now, world.now);
        lookForSigns();
        if (world.knobs.watch && (!renewal || world.knobs.watchShowsRenewals)) {
            world.network.hint(now);
        }
    }

    /** A session's write may be a sign of life of many instances. */
    void lookForSigns() {
        if (world.knobs.kind.isJudged()) {
            for (RecordKey key : List.copyOf(standing.keySet())) {
                check.stands(key.name(), world.server.standing(key), world.now);
            }
        }
    }

    Page<Observation> list(Cursor from) {
        return world.server.store.list(PREFIX, from, world.knobs.pageSize, world.server.nanos());
    }

    // ---- in the end ----

    /** What must be listed once all is well: all that are up and want to be listed, with what they say. */
    private Map<String, String> expected() {
        Map<String, String> expected = new TreeMap<>();
        for (Candidate candidate : world.candidates) {
            Registrant registrant = candidate.registrant;
            if (candidate.isUp && !candidate.isClosing && registrant != null && registrant.wants()) {
                expected.put(registrant.id(), registrant.value());
            }
        }
        return expected;
    }

    /**
     * All faults are healed: whether all followers know all instances.
     *
     * @param boundNanos how long that may take, in true time, after the last change that is nobody's fault
     */
    boolean look(long healedAt, long boundNanos) {
        Map<String, String> expected = expected();
        boolean isRight = true;
        for (Candidate candidate : world.candidates) {
            Registrant registrant = candidate.registrant;
            if (candidate.isUp && !candidate.isClosing && registrant != null && registrant.follows()) {
                boolean knows = check.isRight("candidate " + candidate.index, registrant.told(), expected);
                if (knows && !expected.isEmpty()) {
                    world.coverage.listed();
                }
                isRight &= knows;
            }
        }
        check.healed(expected, isRight, Math.max(healedAt, 0), boundNanos, world.now);
        return isRight;
    }

    /** How many pages a listing takes at most. */
    int pages() {
        Page<Observation> page;
        int items = 0;
        Cursor from = Cursor.START;
        do {
            page = world.server.store.list(PREFIX, from, 1_000, world.server.nanos());
            items += page.items().size();
            from = page.after();
        } while (from != null);
        return 1 + items / world.knobs.pageSize;
    }
}
