package dev.mandate.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.engine.LeaseTiming;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of settings agrees with the builder, the arithmetic and the documentation. */
class SettingTest {
    /** Builder methods that set no setting of the table. */
    private static final Set<String> OTHERS = Set.of("create", "executor", "connect");

    private static final Path PAGE = Path.of("..", "docs", "settings.md");

    @Test
    void everySettingHasASetter() {
        assertThat(Arrays.stream(ElectionClient.Builder.class.getMethods())
                        .map(Method::getName)
                        .filter(name -> !OTHERS.contains(name)))
                .containsExactlyInAnyOrderElementsOf(Setting.words());
    }

    @Test
    void thePageShowsTheTable() throws Exception {
        List<String> rows = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            rows.add("| `" + setting.word() + "` | " + setting.standardWords() + " | " + setting.bound() + " | "
                    + setting.meaning() + " |");
        }
        assertThat(Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| `")))
                .as("rows of docs/settings.md")
                .containsExactlyElementsOf(rows);
    }

    /** The table says what the arithmetic does. */
    @ParameterizedTest
    @EnumSource
    void aDefaultIsTheShareOfTheLeaseThatTheTableNames(Setting setting) {
        Duration lease = Duration.ofSeconds(600);
        Long derived = LeaseTiming.of(lease).all().get(setting.word());
        String words = setting.standardWords();
        if (derived != null && words.startsWith("L/")) {
            assertThat(derived).isEqualTo(lease.toNanos() / Integer.parseInt(words.substring(2)));
        } else if (derived != null && setting != Setting.LEASE) {
            assertThat(Duration.ofNanos(derived).toSeconds() + " s").isEqualTo(words);
        } else if (setting != Setting.CANDIDATE && setting != Setting.REGISTRATION_LEASE) {
            assertThat(setting.required(Map.of())).isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aValueOutOfBoundsIsRefused(Setting setting) {
        String wrong = switch (setting.bound()) {
            case "more than 0" -> "0s";
            case "0 or more" -> "-1s";
            default -> "\n";
        };
        assertThatThrownBy(() -> setting.parse(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(setting.word() + " ");
    }

    @Test
    void fourAreEnoughForMost() {
        assertThat(Arrays.stream(Setting.values()).filter(setting -> !setting.isAdvanced()))
                .containsExactly(Setting.LEASE, Setting.DRAIN_TIMEOUT, Setting.REQUEST_TIMEOUT, Setting.CANDIDATE);
    }
}
