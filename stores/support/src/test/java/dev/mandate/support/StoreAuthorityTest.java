package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.StoreAuthority.Host;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a store is and who we are, and where its secrets come from. */
class StoreAuthorityTest {
    private static final String CANARY = "Canary7yrucse";

    @TempDir
    Path directory;

    private static StoreAuthority parse(String rest) {
        return StoreAuthority.parse(rest, "etcd://host:2379");
    }

    @Test
    void theParts() {
        StoreAuthority all = parse("//us%40er:p%3Ass@a.b-c_d:1,10.0.0.1,[::1]:65535/path/to%2Fx");

        assertThat(all.user()).isEqualTo("us@er");
        assertThat(all.password()).contains("p:ss");
        assertThat(all.hosts())
                .containsExactly(new Host("a.b-c_d", 1), new Host("10.0.0.1", 0), new Host("[::1]", 65535));
        assertThat(all.hosts().get(1).orPort(7)).hasToString("10.0.0.1:7");
        assertThat(all.hosts().get(0).orPort(7)).hasToString("a.b-c_d:1");
        assertThat(all.path()).isEqualTo("path/to%2Fx");
        assertThat(all).hasToString("a.b-c_d:1,10.0.0.1,[::1]:65535");
        StoreAuthority few = parse("//host");
        assertThat(few.user()).isEmpty();
        assertThat(few.password()).isEmpty();
        assertThat(few.path()).isEmpty();
        assertThat(parse("//u@h/").path()).isEmpty();
        assertThat(parse("//[fe80::1%25eth0]").hostsText()).isEqualTo("[fe80::1%25eth0]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "/host",
                "//",
                "///path",
                "//a,",
                "//,a",
                "//a b",
                "//a:",
                "//a:0",
                "//a:65536",
                "//a:x",
                "//a:123456",
                "//::1",
                "//[::1",
                "//u@",
                "//a:1:2"
            })
    void whatIsNoHostIsRefused(String rest) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse(rest)).withMessageContaining("host");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//u:%zzCanary7yrucse@h",
                "//%zzCanary7yrucse@h",
                "//u:Canary7yrucse@a b",
                "//u:Canary7yrucse/x@h",
                "//u:p@Canary7yrucse/x@h"
            })
    void aRefusalQuotesNoSecret(String rest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(rest))
                .withMessageNotContaining(CANARY)
                .withNoCause();
    }

    @Test
    void aSecretHasOnePlace() throws Exception {
        Path file = directory.resolve("secret");
        Files.writeString(file, CANARY + "\nmore\n");
        StoreUrl inFile = StoreUrl.parse("x://h?passwordFile=" + file);
        StoreUrl inVariable = StoreUrl.parse("x://h?passwordEnv=PATH");

        assertThat(secret(inFile, "password", null)).contains(CANARY);
        assertThat(secret(inVariable, "password", null)).contains(System.getenv("PATH"));
        assertThat(secret(inVariable, "token", CANARY)).contains(CANARY);
        assertThat(StoreSecret.of(inVariable, "token", null)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreSecret.of(inFile, "password", CANARY))
                .withMessageContainingAll("more than one password", "passwordFile", "passwordEnv")
                .withMessageNotContaining(CANARY);
        refused("x://h?tokenFile=" + file + "x", "the token file", file + "x", "can't be read");
        refused("x://h?tokenEnv=MANDATE_NO_SUCH", "MANDATE_NO_SUCH", "tokenEnv", "is not set");
        Files.writeString(file, "\n" + CANARY);
        refused("x://h?tokenFile=" + file, "the token file", "is empty");
        Files.writeString(file, CANARY.repeat(2_000));
        refused("x://h?tokenFile=" + file, "more than 16384 bytes");
    }

    private static Optional<String> secret(StoreUrl url, String name, @Nullable String inPlace) {
        return StoreSecret.of(url, name, inPlace).map(RotatingSecret::current);
    }

    private static void refused(String url, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> StoreSecret.of(StoreUrl.parse(url), "token", null))
                .withMessageContainingAll(words)
                .withMessageNotContaining(CANARY);
    }
}
