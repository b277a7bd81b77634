package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seeds and creds files: what they give, and what is wrong with them. */
class NKeyTest {
    @TempDir
    Path folder;

    @Test
    void aSeedGivesTheNameThatItsHolderHasAndSignsForIt() {
        Jwt user = new Jwt(NKey.USER);
        NKey key = NKey.ofUser(user.seed());

        assertThat(user.seed()).startsWith("SU").hasSize(58);
        assertThat(key.name()).isEqualTo(user.name()).startsWith("U").hasSize(56);
        assertThat(new Jwt(Jwt.ACCOUNT).name()).startsWith("A");
        byte[] text = "nonce".getBytes(StandardCharsets.UTF_8);
        assertThat(key.sign(text)).isEqualTo(user.key.sign(text)).hasSize(64);
    }

    /** By a vector of RFC 8032, section 7.1: a seed, and what its key signs nothing with. */
    @Test
    void theCurveIsTheOneThatServersKnow() {
        HexFormat hex = HexFormat.of();
        NKey key = NKey.of(NKey.USER, hex.parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));

        byte[] signature = key.sign(new byte[0]);

        assertThat(hex.formatHex(signature))
                .isEqualTo("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
                        + "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
    }

    @Test
    void whatIsNoSeedOfAUserIsRefusedWithoutQuotingIt() {
        String seed = new Jwt(NKey.USER).seed();
        char other = seed.charAt(20) == 'A' ? 'B' : 'A';
        for (String wrong : List.of(
                "",
                "SU",
                seed.substring(1),
                seed.substring(0, 57),
                seed + "A",
                seed.substring(0, 57) + (char) (seed.charAt(57) + 1),
                seed.substring(0, 20) + other + seed.substring(21),
                seed.toLowerCase(Locale.ROOT),
                new Jwt(Jwt.ACCOUNT).seed())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> NKey.ofUser(wrong))
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain(seed.substring(4, 40)));
        }
    }

    @Test
    void aCredsFileThatIsNoneIsNamed() throws Exception {
        Jwt user = new Jwt(NKey.USER);
        String whole = user.creds("a.b.c");
        Path file = folder.resolve("app.creds");
        for (String wrong : List.of(
                "",
                "canary-7f3a",
                whole.replace("NATS USER JWT", "SOMETHING"),
                whole.replace("USER NKEY SEED", "OTHER"),
                whole.replace(user.seed(), user.seed().substring(1)))) {
            Files.writeString(file, wrong);
            assertThatExceptionOfType(StoreSetupException.class)
                    .isThrownBy(() -> Credentials.creds("credsFile", file.toString()))
                    .withMessageContainingAll("app.creds", "credsFile")
                    .withMessageNotContaining("canary")
                    .withMessageNotContaining(user.seed().substring(4));
        }
        Files.writeString(file, whole);
        assertThat(Credentials.creds("credsFile", file.toString()).getJWT()).containsExactly("a.b.c".toCharArray());
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() ->
                        Credentials.seed("nkeyFile", folder.resolve("none").toString()))
                .withMessageContainingAll("none", "nkeyFile");
    }
}
