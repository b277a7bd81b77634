package dev.mandate.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.registry.ServiceChange.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A view of a service: who passes, who is picked, what has changed. */
class ServiceViewTest {
    private static RegisteredInstance instance(String id, Status status) {
        ServiceInstance says = ServiceInstance.at("at " + id).withId(id).withStatus(status);
        return new RegisteredInstance("web", says, "host:1", Instant.EPOCH, true);
    }

    private static ServiceView view(RegisteredInstance... instances) {
        return new ServiceView("web", List.of(instances), Duration.ZERO, false);
    }

    private static ServiceView up(String... ids) {
        return view(Stream.of(ids).map(id -> instance(id, Status.UP)).toArray(RegisteredInstance[]::new));
    }

    private static String id(Optional<RegisteredInstance> picked) {
        return picked.map(RegisteredInstance::id).orElse("none");
    }

    @Test
    void instancesAreInTheOrderOfTheirIdsAndFoundByThem() {
        ServiceView view = up("c", "a", "b");

        assertThat(view.instances()).extracting(RegisteredInstance::id).containsExactly("a", "b", "c");
        assertThat(Stream.of("a", "b", "c", "d", "").map(view::find).map(ServiceViewTest::id))
                .containsExactly("a", "b", "c", "none", "none");
    }

    @Test
    void onlyThoseThatAreUpPass() {
        ServiceView view = view(
                instance("a", Status.STARTING),
                instance("b", Status.UP),
                instance("c", Status.DOWN),
                instance("d", Status.OUT_OF_SERVICE));

        assertThat(view.passing()).extracting(RegisteredInstance::id).containsExactly("b");
        for (int i = 0; i < 100; i++) {
            assertThat(id(view.forKey("key" + i))).isEqualTo("b");
        }
        assertThat(Stream.of("", "a", "b", "c", "z").map(view::after).map(ServiceViewTest::id))
                .containsOnly("b");
    }

    @Test
    void nobodyIsPickedWhereNobodyPasses() {
        assertThat(up().forKey("k")).isEmpty();
        assertThat(up().after("")).isEmpty();
        assertThat(view(instance("a", Status.DOWN)).forKey("k")).isEmpty();
        assertThat(view(instance("a", Status.DOWN)).after("a")).isEmpty();
    }

    @Test
    void roundRobinGoesRoundWhoeverComesAndGoes() {
        List<String> picked = new ArrayList<>();
        String last = "";
        ServiceView[] views = {
            up("a", "b", "c"), up("a", "b", "c"), up("a", "c"), up("a", "c"), up("a", "c"), up("a", "aa", "c"), up("b")
        };
        for (ServiceView view : views) {
            last = id(view.after(last));
            picked.add(last);
        }

        assertThat(picked).containsExactly("a", "b", "c", "a", "c", "a", "b");
        assertThat(id(up("a", "aa", "c").after("a"))).isEqualTo("aa");
    }

    @Test
    void whenAnInstanceGoesOnlyItsOwnKeysMove() {
        String[] ids = IntStream.range(0, 10).mapToObj(i -> "i" + i).toArray(String[]::new);
        ServiceView all = up(ids);
        ServiceView less = up(Stream.of(ids).filter(id -> !id.equals("i3")).toArray(String[]::new));
        Map<String, Integer> load = new TreeMap<>();
        int moved = 0;
        for (int i = 0; i < 10_000; i++) {
            String key = "customer-" + i;
            String before = id(all.forKey(key));
            String after = id(less.forKey(key));
            load.merge(before, 1, Integer::sum);
            if (before.equals("i3")) {
                assertThat(after).isNotEqualTo("i3");
                moved++;
            } else {
                assertThat(after).isEqualTo(before);
            }
        }
        assertThat(moved).isEqualTo(load.get("i3"));
        assertThat(load.values())
                .hasSize(10)
                .allSatisfy(keys -> assertThat(keys).isBetween(850, 1_150));
    }

    /** What one process picks, every other picks, of any version: these never change. */
    @Test
    void theWeightIsTheSameEverywhere() {
        assertThat(Long.toHexString(Rendezvous.weight("", ""))).isEqualTo(WEIGHT_OF_NOTHING);
        assertThat(Long.toHexString(Rendezvous.weight("customer-7", "i3"))).isEqualTo(WEIGHT_OF_SOMETHING);
        assertThat(Rendezvous.weight("ab", "c")).isNotEqualTo(Rendezvous.weight("a", "bc"));
        assertThat(id(up("i0", "i1", "i2").forKey("customer-7"))).isEqualTo(PICKED);
    }

    private static final String WEIGHT_OF_NOTHING = "4d33a93727192487";
    private static final String WEIGHT_OF_SOMETHING = "15d6a34002c0ce40";
    private static final String PICKED = "i0";

    @Test
    void changesAppliedToTheEarlierViewGiveTheLater() {
        ServiceView before = view(instance("a", Status.UP), instance("b", Status.UP), instance("d", Status.UP));
        ServiceView after = view(instance("b", Status.DOWN), instance("c", Status.UP), instance("d", Status.UP));

        List<ServiceChange> changes = after.since(before);

        assertThat(changes)
                .containsExactly(
                        new ServiceChange(Kind.REMOVED, instance("a", Status.UP)),
                        new ServiceChange(Kind.CHANGED, instance("b", Status.DOWN)),
                        new ServiceChange(Kind.ADDED, instance("c", Status.UP)));
        Map<String, RegisteredInstance> applied = new HashMap<>();
        before.instances().forEach(each -> applied.put(each.id(), each));
        for (ServiceChange change : changes) {
            if (change.kind() == Kind.REMOVED) {
                applied.remove(change.instance().id());
            } else {
                applied.put(change.instance().id(), change.instance());
            }
        }
        assertThat(applied.values()).containsExactlyInAnyOrderElementsOf(after.instances());
        assertThat(after.since(after)).isEmpty();
        assertThat(after.since(up())).extracting(ServiceChange::kind).containsOnly(Kind.ADDED);
    }
}
