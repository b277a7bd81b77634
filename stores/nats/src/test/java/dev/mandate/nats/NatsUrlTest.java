package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** URLs of NATS and contexts of its command: what they mean, and what is wrong with them. */
class NatsUrlTest {
    private static final String CANARY = "Canary7yrucse";

    @TempDir
    Path folder;

    private NatsSettings settings(String url) {
        return NatsUrl.settings(StoreUrl.parse(url), Map.of("XDG_CONFIG_HOME", folder.toString()));
    }

    private void context(String name, String content) throws IOException {
        Path contexts = Files.createDirectories(folder.resolve("nats/context"));
        Files.writeString(contexts.resolve(name + ".json"), content);
    }

    @Test
    void theParts() {
        NatsSettings all = settings("nats://app:" + CANARY + "@a:1,10.0.0.1,[::1]/JOBS?replicas=3&ttl=1h&expiring=key"
                + "&clockStep=2s&create=false&inboxPrefix=_X.y&key=team.{election}");

        assertThat(all.hosts()).extracting(Object::toString).containsExactly("a:1", "10.0.0.1:4222", "[::1]:4222");
        assertThat(all.bucket()).isEqualTo("JOBS");
        assertThat(all.wanted()).isEqualTo(new WantedBucket(false, 3, Duration.ofHours(1), Expiring.KEY, false));
        assertThat(all.clockStep()).isEqualTo(Duration.ofSeconds(2));
        assertThat(all.inboxPrefix()).isEqualTo("_X.y");
        assertThat(all.keys().path(RecordKey.election("a b"))).isEqualTo("team.a=20b");
        assertThat(all).asString().doesNotContain(CANARY).contains("a:1");
        assertThat(all.login().current()).hasToString("app");
        NatsSettings few = settings("nats://h");
        assertThat(few.bucket()).isEqualTo("ELECTIONS");
        assertThat(few.tls()).isNull();
        assertThat(few.keys().path(RecordKey.election("demo"))).isEqualTo("demo");
        assertThat(settings("tls://h").tls()).isNotNull();
        assertThat(settings("nats://h?key=demo").keys().admitsMany()).isFalse();
    }

    @Test
    void whatIsWrongIsNamed() {
        refused("nats://h/a/b", "'a/b'", "bucket");
        refused("nats://h?key=a.", "'a.'");
        refused("nats://h?key=a..b", "'a..b'");
        refused("nats://h?key=a>b", "'a>b'");
        refused("nats://h?ttl=10", "ttl");
        refused("nats://h?ttl=100ms", "'ttl'", "1s");
        refused("nats://h?clockStep=2h", "'clockStep'");
        refused("nats://h?replicas=0", "'replicas'", "'0'");
        refused("nats://h?storage=tape", "'tape'", "file or memory");
        refused("nats://h?create=perhaps", "'create'", "true or false");
        refused("nats://h?inboxPrefix=a..b", "'inboxPrefix'");
        refused("nats://h?tlsFirst=true", "'tlsFirst'", "tls:");
        refused("tls://h?certFile=x", "certFile", "keyFile");
        refused("nats://app@h", "tokenFile");
        refused("nats://:" + CANARY + "@h", "no user");
        refused("nats://app:" + CANARY + "@h?tokenEnv=PATH", "conflicting credentials");
        refused("nats://h?credsFile=a&nkeyFile=b", "credsFile", "nkeyFile");
    }

    private void refused(String url, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(url))
                .withMessageContainingAll(words)
                .withMessageNotContaining(CANARY);
    }

    @Test
    void aContextNamesServersAndUser() throws Exception {
        context(
                "test",
                "{\"url\":\"tls://a:1, b\",\"user\":\"app\",\"password\":\"" + CANARY
                        + "\",\"inbox_prefix\":\"_Y\",\"description\":\"x\",\"color_scheme\":\"\"}");
        NatsSettings settings = settings("nats:///JOBS?context=test");

        assertThat(settings.hosts()).extracting(Object::toString).containsExactly("a:1", "b:4222");
        assertThat(settings.bucket()).isEqualTo("JOBS");
        assertThat(settings.tls()).isNotNull();
        assertThat(settings.login().current().user()).isEqualTo("app");
        assertThat(settings.login().current().password()).isEqualTo(CANARY);
        assertThat(settings.inboxPrefix()).isEqualTo("_Y");
        assertThat(settings).asString().doesNotContain(CANARY);
        context("token", "{\"url\":\"nats://" + CANARY + "@h\"}");
        assertThat(settings("nats:?context=token").login().current().token()).isEqualTo(CANARY);
        context("inside", "{\"url\":\"nats://app:" + CANARY + "@h/\"}");
        assertThat(settings("nats:?context=inside").login().current().password())
                .isEqualTo(CANARY);
        context("three", "{\"url\":\"nats://app:" + CANARY + "@a:1,nats://b, nats://app:" + CANARY + "@c\"}");
        NatsSettings three = settings("nats:?context=three");
        assertThat(three.hosts()).extracting(Object::toString).containsExactly("a:1", "b:4222", "c:4222");
        assertThat(three.login().current().user()).isEqualTo("app");
        assertThat(three.login().current().password()).isEqualTo(CANARY);
        Files.writeString(folder.resolve("nats/context.txt"), "test\n");
        assertThat(settings("nats://?context=").hosts()).hasSize(2);
    }

    @Test
    void aContextThatCantBeUsedIsNamed() throws Exception {
        unusable("nats:?context=none", "none.json", "nats context ls");
        unusable("nats:?context=", "context.txt", "context=NAME");
        context("broken", "{\"token\":\"" + CANARY + "\"");
        unusable("nats:?context=broken", "broken.json", "no context");
        for (String field : List.of("nsc", "jetstream_domain", "user_jwt", "socks_proxy")) {
            context("more", "{\"url\":\"nats://h\",\"" + field + "\":\"" + CANARY + "\"}");
            unusable("nats:?context=more", "'" + field + "'", "can't be used here");
        }
        context("creds", "{\"url\":\"nats://h\",\"creds\":\"" + folder.resolve("none.creds") + "\"}");
        unusable("nats:?context=creds", "none.creds");
        context("ws", "{\"url\":\"ws://" + CANARY + "\"}");
        unusable("nats:?context=ws", "ws.json", "scheme");
        context("two", "{\"url\":\"nats://app:" + CANARY + "@a,nats://other:" + CANARY + "@b\"}");
        unusable("nats:?context=two", "two.json", "several users");
        context("ok", "{\"url\":\"nats://h\"}");
        refused("nats:?context=../ok", "'../ok'");
        refused("nats://h/B?context=ok", "names hosts", "context=ok");
        refused("nats:?context=ok&tokenEnv=PATH", "'tokenEnv'", "context");
        refused("nats:?context=ok&caFile=/x", "'caFile'", "context");
    }

    private void unusable(String url, String... words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> settings(url))
                .withMessageContainingAll(words)
                .withMessageNotContaining(CANARY);
    }
}
