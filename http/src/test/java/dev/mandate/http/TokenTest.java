package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenTest {
    private static final String SECRET = "correct-horse-battery";
    private static final String OTHER = "other-horse-battery-x";

    @TempDir
    private Path folder;

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theTokenIsTakenAsBearerAndAsAnyUsersPassword() {
        Token token = Token.fixed(SECRET);

        for (String value :
                List.of("Bearer " + SECRET, "bearer " + SECRET, basic(":" + SECRET), basic("ada:" + SECRET))) {
            assertThat(token.isIn(List.of(value))).as(value).isTrue();
        }
        for (String value : List.of(
                "",
                SECRET,
                "Bearer",
                "Bearer " + OTHER,
                "Bearer " + SECRET + "x",
                "Bearer " + SECRET.substring(1),
                basic(SECRET + ":"),
                basic("ada:" + OTHER),
                "Basic !!!",
                "Digest " + SECRET)) {
            assertThat(token.isIn(List.of(value))).as(value).isFalse();
        }
        assertThat(token.isIn(List.of())).isFalse();
        assertThat(token.isIn(List.of("Bearer " + OTHER, "Bearer " + SECRET))).isFalse();
    }

    @Test
    void aReplacedFileCountsAtTheNextLookAndTheFormerTokenNoLonger() throws Exception {
        Path file = folder.resolve("token");
        Files.writeString(file, SECRET + "\nsecond line\n");
        Token token = Token.inFile(file);
        assertThat(token.isIn(List.of("Bearer " + SECRET))).isTrue();

        Files.writeString(file, OTHER);
        token.refresh();

        assertThat(token.isIn(List.of("Bearer " + SECRET))).isFalse();
        assertThat(token.isIn(List.of("Bearer " + OTHER))).isTrue();
        Files.writeString(file, "");
        token.refresh();
        assertThat(token.isIn(List.of("Bearer " + OTHER))).isTrue();
        assertThat(token.isIn(List.of("Bearer "))).isFalse();
        Files.delete(file);
        token.refresh();
        assertThat(token.isIn(List.of("Bearer " + OTHER))).isTrue();
    }

    @Test
    void whatWillNotDoIsRefusedWithoutQuotingIt() throws Exception {
        assertThatThrownBy(() -> Token.fixed("short"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5 characters")
                .hasMessageContaining("16")
                .hasMessageNotContaining("short");
        assertThatThrownBy(() -> Token.fixed("blank in the midst of it"))
                .hasMessageContaining("a space")
                .hasMessageNotContaining("midst");
        Path file = folder.resolve("token");
        assertThatThrownBy(() -> Token.inFile(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.toString());
        Files.writeString(file, "short");
        assertThatThrownBy(() -> Token.inFile(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.toString())
                .hasMessageNotContaining("short");
        Files.writeString(file, "x".repeat(20_000));
        assertThatThrownBy(() -> Token.inFile(file)).hasMessageContaining("16384");
    }
}
