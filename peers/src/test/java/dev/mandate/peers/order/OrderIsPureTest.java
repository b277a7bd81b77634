package dev.mandate.peers.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Orders read no clock, draw no number, start no thread and touch no network: time and randomness are passed in. */
class OrderIsPureTest {
    private static final List<String> IMPURE = List.of(
            "java/lang/System",
            "java/lang/Thread",
            "java/lang/Math.random",
            "java/util/Random",
            "java/util/SplittableRandom",
            "java/security",
            "java/util/concurrent",
            "java/time/Clock",
            "java/time/Instant",
            "java/net",
            "java/nio/channels",
            "java/nio/file",
            "java/util/logging");

    @Test
    void noClassOfThePackageNamesAnythingImpure() throws IOException, URISyntaxException {
        Path root = Path.of(
                Order.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<Path> classes;
        try (Stream<Path> files = Files.list(root.resolve("dev/mandate/peers/order"))) {
            classes = files.filter(file -> file.toString().endsWith(".class")).toList();
        }
        assertThat(classes).hasSizeGreaterThan(20);
        for (Path file : classes) {
            // The names of all classes that a class uses stand in its file as they are.
            String constants = Files.readString(file, StandardCharsets.ISO_8859_1);
            assertThat(IMPURE).as(file.getFileName().toString()).noneMatch(constants::contains);
        }
    }
}
