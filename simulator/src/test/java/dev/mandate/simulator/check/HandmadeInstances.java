package dev.mandate.simulator.check;

import dev.mandate.simulator.check.FollowedList.Change;
import dev.mandate.spi.Basis;
import dev.mandate.spi.Id;
import dev.mandate.spi.LeaderRecord;
import dev.mandate.spi.Liveness;
import dev.mandate.spi.Observation;
import dev.mandate.spi.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Histories of who is told of which instances. Records have a lease of 100 ns; listings are asked for at 10, 20 and 30.
 */
final class HandmadeInstances {
    private static final List<HandmadeHistory> ALL = new ArrayList<>();

    private record At(long version) implements Basis, Liveness {}

    private HandmadeInstances() {}

    private static void bad(Invariant broken, String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(broken, words, events));
    }

    private static void good(String words, Consumer<Judge> events) {
        ALL.add(new HandmadeHistory(null, words, events));
    }

    private static InstancesCheck removing(Judge judge) {
        return new InstancesCheck(false, false, judge);
    }

    private static InstancesCheck judging(Judge judge) {
        return new InstancesCheck(true, false, judge);
    }

    private static Observation held(String id, long alive) {
        LeaderRecord record = LeaderRecord.proposal("c", new Id(1, 1), new Id(2, 2), "v", Duration.ofNanos(100), 0);
        return Observation.held(RecordKey.registration("s", id), new At(1), new At(alive), 1, record);
    }

    private static Observation vacant(String id) {
        return Observation.vacant(RecordKey.registration("s", id), new At(0));
    }

    private static Change added(String id) {
        return new Change(id, null, "v");
    }

    private static Change removed(String id) {
        return new Change(id, "v", null);
    }

    private static FollowedList list(InstancesCheck check) {
        return new FollowedList("c", check);
    }

    private static void confirmed(FollowedList list, long at) {
        list.asks(at);
        list.confirmed(at);
    }

    /** Was told of these at first; two listings began at 10 and 20, and one is under way that began at 30. */
    private static FollowedList knowing(InstancesCheck check, String... ids) {
        FollowedList list = list(check);
        list.asks(10);
        list.changed(true, Set.of(ids).stream().map(HandmadeInstances::added).toList(), 11);
        list.confirmed(10);
        confirmed(list, 20);
        list.asks(30);
        return list;
    }

    static {
        bad(
                Invariant.CHANGES,
                "changes before the whole",
                j -> list(removing(j)).changed(false, List.of(added("a")), 1));
        bad(Invariant.CHANGES, "the whole twice", j -> knowing(removing(j), "a").changed(true, List.of(), 31));
        bad(
                Invariant.CHANGES,
                "what is known comes again",
                j -> knowing(removing(j), "a").changed(false, List.of(added("a")), 31));
        bad(
                Invariant.CHANGES,
                "what nobody knew goes",
                j -> knowing(removing(j), "a").changed(false, List.of(removed("b")), 31));
        bad(
                Invariant.CHANGES,
                "nothing changes",
                j -> knowing(removing(j), "a").changed(false, List.of(new Change("a", "v", "v")), 31));
        bad(
                Invariant.CHANGES,
                "more are listed than were told of",
                j -> knowing(removing(j), "a").inAll(2, true));
        bad(Invariant.CHANGES, "a whole without one that is there", j -> {
            InstancesCheck check = removing(j);
            check.stands("a", held("a", 1), 5);
            FollowedList list = list(check);
            list.asks(10);
            list.changed(true, List.of(added("b")), 11);
        });
        bad(Invariant.BLANK, "the only one goes, and is there", j -> {
            InstancesCheck check = removing(j);
            check.stands("a", held("a", 1), 5);
            knowing(check, "a").changed(false, List.of(removed("a")), 31);
        });
        bad(Invariant.BLANK, "all go, and one is there", j -> {
            InstancesCheck check = removing(j);
            check.stands("b", held("b", 1), 5);
            knowing(check, "a", "b").changed(false, List.of(removed("a"), removed("b")), 31);
        });
        bad(Invariant.BLANK, "although it renews", j -> {
            InstancesCheck check = judging(j);
            for (int at = 1; at < 300; at += 40) {
                check.stands("a", held("a", at), at);
            }
            knowing(check, "a").changed(false, List.of(removed("a")), 300);
        });
        bad(Invariant.INSTANCES, "one goes, and is there", j -> {
            InstancesCheck check = removing(j);
            check.stands("a", held("a", 1), 5);
            knowing(check, "a", "b").changed(false, List.of(removed("a")), 31);
        });
        bad(Invariant.INSTANCES, "one goes although it renews", j -> {
            InstancesCheck check = judging(j);
            check.stands("a", held("a", 1), 5);
            check.stands("a", held("a", 2), 50);
            knowing(check, "a", "b").changed(false, List.of(removed("a")), 60);
        });
        bad(Invariant.INSTANCES, "one is not found after the bound", j -> {
            InstancesCheck check = removing(j);
            boolean isRight = check.isRight("c", Map.of(), Map.of("a", "v"));
            check.healed(Map.of("a", "v"), isRight, 100, 50, 100);
            check.healed(Map.of("a", "v"), isRight, 100, 50, 151);
        });
        bad(Invariant.INSTANCES, "one that died is listed after the bound", j -> {
            InstancesCheck check = removing(j);
            boolean isRight = check.isRight("c", Map.of("a", "v"), Map.of());
            check.healed(Map.of(), isRight, 100, 50, 151);
        });
        bad(Invariant.INSTANCES, "one is listed with what it said before", j -> {
            InstancesCheck check = removing(j);
            boolean isRight = check.isRight("c", Map.of("a", "old"), Map.of("a", "v"));
            check.healed(Map.of("a", "v"), isRight, 100, 50, 100);
            check.healed(Map.of("a", "v"), isRight, 100, 50, 151);
        });
        good("they come, change and go, each when it is so", j -> {
            InstancesCheck check = removing(j);
            check.stands("a", held("a", 1), 5);
            check.stands("b", held("b", 1), 15);
            FollowedList list = list(check);
            list.asks(10);
            list.changed(true, List.of(added("a")), 11);
            list.confirmed(10);
            list.inAll(1, true);
            list.changed(false, List.of(added("b"), new Change("a", "v", "w")), 16);
            check.stands("a", vacant("a"), 17);
            list.changed(false, List.of(new Change("a", "w", null)), 18);
            list.inAll(1, true);
        });
        good("a hint that comes late, one that is new, one that is silent, a listing that counts", j -> {
            InstancesCheck check = removing(j);
            check.stands("a", held("a", 1), 5);
            FollowedList list = knowing(check, "a");
            list.hintsAtVacancy("a");
            list.changed(false, List.of(removed("a")), 31);

            InstancesCheck young = removing(j);
            FollowedList other = knowing(young, "a");
            young.stands("a", held("a", 1), 10);
            other.changed(false, List.of(removed("a")), 31);

            InstancesCheck judged = judging(j);
            judged.stands("a", held("a", 1), 5);
            knowing(judged, "a").changed(false, List.of(removed("a")), 60);

            InstancesCheck vague = new InstancesCheck(false, true, j);
            vague.stands("a", held("a", 1), 5);
            knowing(vague, "a").changed(false, List.of(removed("a")), 31);
        });
        good("right within the bound, counted from the last change", j -> {
            InstancesCheck check = removing(j);
            check.healed(Map.of("a", "v"), false, 100, 50, 120);
            check.healed(Map.of("a", "w"), false, 100, 50, 160);
            check.healed(Map.of("a", "w"), false, 100, 50, 210);
            check.healed(Map.of("a", "w"), check.isRight("c", Map.of("a", "w"), Map.of("a", "w")), 100, 50, 900);
        });
    }

    static List<HandmadeHistory> all() {
        return ALL;
    }
}
