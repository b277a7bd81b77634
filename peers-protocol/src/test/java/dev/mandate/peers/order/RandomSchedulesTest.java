package dev.mandate.peers.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.RecordKey;
import dev.mandate.spi.Stance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Groups of 1 to 7 in a world that loses, delays, repeats and reorders messages, splits, suspends, kills and restarts
 * members: each that seeks a place has a word within eight steps, nothing throws, and what is remembered is bounded.
 * Then calm: places are what the order promises.
 */
@Tag("long")
class RandomSchedulesTest {
    private static final int SEEDS = 1_000;
    private static final long STEP = 1_000_000;
    private static final OrderTiming TIMING = new OrderTiming(STEP);
    private static final int EVENTS = 120;
    private static final List<RecordKey> KEYS =
            List.of(Group.KEY, RecordKey.election("reports"), RecordKey.election("mail"));

    /** An order, and how the groups of one schedule make it. */
    enum Kind {
        BULLY,
        PREEMPTING_BULLY,
        RING;

        Order make(int self, int members, long seed) {
            Seed entropy = new Seed(seed);
            return this == RING
                    ? new Ring(self, members, TIMING, entropy)
                    : new Bully(self, members, TIMING, entropy, this == PREEMPTING_BULLY);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void anOrderAlwaysEnds(Kind kind) {
        int unknown = 0;
        int placed = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Schedule schedule = new Schedule(kind, seed);
            schedule.storm();
            schedule.calm();
            unknown += schedule.unknown;
            placed += schedule.placed;
        }
        // A storm in which every order fails, or none does, would prove nothing.
        assertThat(placed).isGreaterThan(10 * SEEDS);
        assertThat(unknown).isGreaterThan(100);
    }

    /** One schedule of one seed. */
    private static final class Schedule {
        private final Seed seed;
        private final Group group;
        private final int members;
        private final String name;
        private final Map<RecordKey, Map<Integer, Long>> owedUntil = new HashMap<>();
        private double loss;
        private double repetition;
        private long delayMost;
        /** Who is on which side; those on different sides hear nothing of each other. */
        private final int[] side;

        private int heard;
        private int unknown;
        private int placed;

        Schedule(Kind kind, long number) {
            this.seed = new Seed(number);
            this.members = 1 + seed.upTo(7);
            this.name = kind + " seed " + number;
            this.side = new int[members];
            this.group = new Group(members, self -> kind.make(self, members, seed.nextLong()));
            this.loss = seed.chance(0.2) ? 0 : seed.upTo(60) / 100.0;
            this.repetition = seed.upTo(30) / 100.0;
            this.delayMost = 1 + (seed.chance(0.5) ? STEP / 5 : 6 * STEP);
            KEYS.forEach(key -> owedUntil.put(key, new HashMap<>()));
            group.network = (from, to, message) -> {
                List<Long> delays = new ArrayList<>();
                if (side[from] != side[to]) {
                    return delays;
                }
                for (int copies = seed.chance(repetition) ? 3 : 1; copies > 0; copies--) {
                    if (!seed.chance(loss)) {
                        delays.add(1 + Math.floorMod(seed.nextLong(), delayMost));
                    }
                }
                return delays;
            };
        }

        void storm() {
            for (int i = 0; i < EVENTS; i++) {
                something();
                group.runUntil(group.nowNanos + Math.floorMod(seed.nextLong(), 2 * STEP));
                check();
            }
        }

        private void something() {
            int member = seed.upTo(members);
            RecordKey key = KEYS.get(seed.upTo(KEYS.size()));
            switch (seed.upTo(13)) {
                case 0 -> {
                    crash(member);
                    if (seed.chance(0.7)) {
                        links(member, false);
                    }
                }
                case 1 -> {
                    group.restart(member);
                    owedUntil.values().forEach(owed -> owed.remove(member));
                    links(member, true);
                }
                case 2 -> {
                    for (int each = 0; each < members; each++) {
                        side[each] = seed.upTo(3) / 2;
                    }
                }
                case 3 -> Arrays.fill(side, 0);
                case 4 -> group.on(member, new OrderEvent.Link(seed.upTo(members), seed.chance(0.7)));
                case 5 -> stands(member, key, Stance.Absent.INSTANCE);
                case 6 -> stands(member, key, new Stance.Following(seed.upTo(5)));
                case 7 -> stands(member, key, new Stance.Leading(1 + seed.upTo(5)));
                case 8 -> stands(member, key, new Stance.Settling(1 + seed.upTo(5)));
                case 9 -> {
                    for (int each = 0; each < members; each++) {
                        stands(each, key, Stance.Seeking.INSTANCE);
                    }
                }
                case 10 -> {
                    long nanos = Math.floorMod(seed.nextLong(), 12 * STEP);
                    if (!group.isSuspended(member)) {
                        group.suspend(member, nanos);
                        owedUntil
                                .values()
                                .forEach(owed -> owed.computeIfPresent(
                                        member, (who, until) -> Math.max(until, group.nowNanos + nanos)));
                    }
                }
                default -> stands(member, key, Stance.Seeking.INSTANCE);
            }
        }

        private void crash(int member) {
            group.crash(member);
            owedUntil.values().forEach(owed -> owed.remove(member));
        }

        private void links(int member, boolean up) {
            for (int each = 0; each < members; each++) {
                group.later(seed.upTo(1_000), each, new OrderEvent.Link(member, up));
            }
        }

        private void stands(int member, RecordKey key, Stance stance) {
            if (!group.lives(member) || group.isSuspended(member)) {
                return;
            }
            Map<Integer, Long> owed = owedUntil.get(key);
            if (stance == Stance.Seeking.INSTANCE) {
                owed.putIfAbsent(member, group.nowNanos + TIMING.placeNanos());
            } else {
                owed.remove(member);
            }
            group.on(member, new OrderEvent.StanceChanged(key, stance));
        }

        private void check() {
            for (; heard < group.said.size(); heard++) {
                Group.Said said = group.said.get(heard);
                if (said.action() instanceof OrderAction.Placed told) {
                    Map<Integer, Long> owed = owedUntil.get(told.key());
                    assertThat(told.place())
                            .as(name)
                            .satisfiesAnyOf(
                                    place -> assertThat(place).isBetween(0, members - 1),
                                    place -> assertThat(place).isEqualTo(OrderAction.Placed.UNKNOWN));
                    // Told: nothing more is owed.
                    owed.computeIfPresent(said.member(), (member, until) -> Long.MAX_VALUE);
                    placed += told.place() == OrderAction.Placed.UNKNOWN ? 0 : 1;
                    unknown += told.place() == OrderAction.Placed.UNKNOWN ? 1 : 0;
                }
            }
            owedUntil.forEach((key, owed) -> owed.forEach((member, until) -> assertThat(group.nowNanos)
                    .as("%s: member %d has no word of %s", name, member, key)
                    .isLessThanOrEqualTo(until)));
            for (int member = 0; member < members; member++) {
                if (group.order(member) instanceof DecidingOrder<?> order) {
                    assertThat(order.remembered()).as(name).isLessThanOrEqualTo(KEYS.size());
                }
            }
        }

        /**
         * Nothing is lost any more; a minority is dead, with or without a word of it; whoever lives and stands sees the
         * vacancy soon.
         */
        void calm() {
            group.runUntil(group.nowNanos + 12 * STEP);
            loss = 0;
            repetition = 0;
            delayMost = STEP / 100;
            Arrays.fill(side, 0);
            List<Integer> living = new ArrayList<>();
            int dead = 0;
            for (int member = 0; member < members; member++) {
                if (dead < (members - 1) / 2 && seed.chance(0.3)) {
                    crash(member);
                    dead++;
                    links(member, seed.chance(0.5));
                } else {
                    if (!group.lives(member)) {
                        group.restart(member);
                    }
                    living.add(member);
                    links(member, true);
                }
            }
            List<Integer> campaigning = new ArrayList<>();
            for (int member : living) {
                boolean stands = seed.chance(0.8);
                stands(member, Group.KEY, stands ? new Stance.Following(0) : Stance.Absent.INSTANCE);
                if (stands) {
                    campaigning.add(member);
                }
            }
            group.runUntil(group.nowNanos + 30 * STEP);
            check();
            int before = group.said.size();
            boolean atOnce = seed.chance(0.5);
            for (int member : campaigning) {
                group.runUntil(group.nowNanos + (atOnce ? 0 : Math.floorMod(seed.nextLong(), STEP)));
                stands(member, Group.KEY, Stance.Seeking.INSTANCE);
            }
            group.runUntil(group.nowNanos + 20 * STEP);
            check();

            Map<Integer, Integer> expected = new HashMap<>();
            for (int i = 0; i < campaigning.size(); i++) {
                expected.put(campaigning.get(i), campaigning.size() - 1 - i);
            }
            Map<Integer, Integer> places = new HashMap<>();
            for (Group.Said said : group.said.subList(before, group.said.size())) {
                if (said.action() instanceof OrderAction.Placed told
                        && told.key().equals(Group.KEY)) {
                    places.put(said.member(), told.place());
                }
            }
            assertThat(places).as(name).isEqualTo(expected);
            for (int member : living) {
                assertThat(group.order(member))
                        .isNotNull()
                        .satisfies(order -> assertThat(order.wakeAtNanos())
                                .as("%s: nothing is waited for any more", name)
                                .isEqualTo(Long.MAX_VALUE));
            }
        }
    }
}
