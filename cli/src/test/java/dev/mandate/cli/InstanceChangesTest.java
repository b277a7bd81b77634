package dev.mandate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.console.Console;
import dev.mandate.registry.RegisteredInstance;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.ServiceView;
import dev.mandate.registry.Status;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class InstanceChangesTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private InstanceChanges changes(boolean passing, boolean json) {
        return new InstanceChanges(Console.to(out, out), "web", passing, json);
    }

    private static RegisteredInstance instance(String id, Status status) {
        return new RegisteredInstance(
                "web", ServiceInstance.at(id + ":80").withId(id).withStatus(status), "h:1", Instant.EPOCH, true);
    }

    private static ServiceView view(boolean stale, RegisteredInstance... instances) {
        return new ServiceView("web", List.of(instances), Duration.ofSeconds(12), stale);
    }

    /** The lines since the last call, without the time. */
    private List<String> lines() {
        List<String> lines = out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.substring(line.indexOf('\t') + 1))
                .toList();
        out.reset();
        return lines;
    }

    @Test
    void theWholeFirstThenEachChange() {
        InstanceChanges changes = changes(false, false);

        changes.changed(view(false, instance("a", Status.UP), instance("b", Status.DOWN)));
        assertThat(lines()).containsExactly("added\ta\ta:80\tUP\tlive\t-", "added\tb\tb:80\tDOWN\tlive\t-");

        changes.changed(view(false, instance("b", Status.UP)));
        assertThat(lines()).containsExactly("removed\ta\ta:80\tUP\tlive\t-", "changed\tb\tb:80\tUP\tlive\t-");
    }

    @Test
    void whoMayBeCalledNoMoreIsRemovedFromThePassing() {
        InstanceChanges changes = changes(true, false);

        changes.changed(view(false, instance("a", Status.UP), instance("b", Status.STARTING)));
        assertThat(lines()).containsExactly("added\ta\ta:80\tUP\tlive\t-");

        changes.changed(view(false, instance("a", Status.OUT_OF_SERVICE), instance("b", Status.UP)));
        assertThat(lines()).containsExactly("removed\ta\ta:80\tUP\tlive\t-", "added\tb\tb:80\tUP\tlive\t-");
    }

    @Test
    void aStoreThatIsAwayIsSaidAndEmptiesNothing() {
        InstanceChanges changes = changes(false, false);
        changes.changed(view(true));
        assertThat(lines()).isEmpty();
        changes.changed(view(false, instance("a", Status.UP)));
        lines();

        changes.changed(view(true, instance("a", Status.UP)));
        assertThat(lines()).containsExactly("stale\tno answer from the store for 12 s");
        changes.changed(view(false, instance("a", Status.UP)));
        assertThat(lines()).containsExactly("fresh\tweb is known again");
    }

    @Test
    void jsonIsALineForEachEvent() {
        InstanceChanges changes = changes(false, true);

        changes.changed(view(false, instance("a", Status.UP)));

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .endsWith("\"service\":\"web\",\"event\":\"added\",\"ageSeconds\":12.0,\"instance\":{\"id\":\"a\","
                        + "\"address\":\"a:80\",\"status\":\"UP\",\"passing\":true,\"verified\":true,"
                        + "\"candidate\":\"h:1\",\"metadata\":{}}}");
    }

    /** Whatever somebody registers, the fields can be cut. */
    @Test
    void noFieldHoldsATabOrALineBreak() {
        RegisteredInstance hostile = new RegisteredInstance(
                "web",
                ServiceInstance.withoutAddress().withId("a").withMetadata("x\ty", "1\n2"),
                "h:1",
                Instant.EPOCH,
                false);

        assertThat(InstanceChanges.line(hostile)).isEqualTo("a\t-\tUP\tunverified\tx\\u0009y=1\\u000a2");
    }
}
