package dev.mandate.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.peers.order.Order;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Voters, proposals, orders and nodes read no clock, draw no number, start no thread and touch no network: time and
 * randomness are passed in.
 */
class PureRoomsTest {
    private static final List<String> IMPURE = List.of(
            "java/lang/System",
            "java/lang/Thread",
            "java/lang/Math.random",
            "java/util/SplittableRandom",
            "java/security",
            "java/util/concurrent",
            "java/time/Clock",
            "java/time/Instant",
            "java/net",
            "java/nio/channels",
            "java/nio/file",
            "java/util/logging");

    @ParameterizedTest
    @ValueSource(strings = {"order", "register", "node"})
    void noClassNamesAnythingImpure(String room) throws IOException, URISyntaxException {
        Path root = Path.of(
                Order.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<Path> classes;
        try (Stream<Path> files = Files.list(root.resolve("dev/mandate/peers/" + room))) {
            classes = files.filter(file -> file.toString().endsWith(".class")).toList();
        }
        assertThat(classes).hasSizeGreaterThan(20);
        for (Path file : classes) {
            // The names of all classes that a class uses stand in its file as they are.
            String constants = Files.readString(file, StandardCharsets.ISO_8859_1);
            assertThat(IMPURE).as(file.getFileName().toString()).noneMatch(constants::contains);
            // A pause after a collision is drawn from a seed that is passed in.
            assertThat(constants.contains("java/util/Random"))
                    .as(file.getFileName().toString())
                    .isEqualTo(file.endsWith("Proposal.class"));
        }
    }
}
