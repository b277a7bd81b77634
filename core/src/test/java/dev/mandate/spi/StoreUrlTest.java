package dev.mandate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Store URLs: their parts, and that no secret ever shows. */
class StoreUrlTest {
    private static final String CANARY = "Canary7yrucse";

    @Test
    void theParts() {
        StoreUrl url = StoreUrl.parse("PostgreSQL://host:5432/db?lease=10s&candidate=a%20b+c&empty=");

        assertThat(url.scheme()).isEqualTo("postgresql");
        assertThat(url.rest()).isEqualTo("//host:5432/db");
        assertThat(url.parameter("lease")).contains("10s");
        assertThat(url.parameter("candidate")).contains("a b+c");
        assertThat(url.parameter("empty")).contains("");
        assertThat(url.parameter("other")).isEmpty();
        assertThat(url.holdsSecret()).isFalse();
        assertThat(url).hasToString("postgresql://host:5432/db?lease=10s&candidate=a b+c&empty=");
    }

    @Test
    void aLeaseIsKnownWhereAClientOpensTheStore() {
        StoreUrl url = StoreUrl.parse("memory:?a=b");

        assertThat(url.lease()).isEmpty();
        assertThat(url.withLease(Duration.ofSeconds(3)).without(Set.of("a")).lease())
                .contains(Duration.ofSeconds(3));
    }

    @Test
    void theShortForms() {
        assertThat(StoreUrl.parse("sqlite:/var/lib/mandate.db").rest()).isEqualTo("/var/lib/mandate.db");
        assertThat(StoreUrl.parse("memory:").rest()).isEmpty();
        assertThat(StoreUrl.parse("memory:?").parameters()).isEmpty();
        assertThat(StoreUrl.parse("a+b-c.d:x").scheme()).isEqualTo("a+b-c.d");
        assertThat(StoreUrl.parse("sqlite:C:\\x.db").rest()).isEqualTo("C:\\x.db");
        assertThat(StoreUrl.parse("a:b?c=d?e").parameter("c")).contains("d?e");
        assertThat(StoreUrl.parse("a:b?c=d=e").parameter("c")).contains("d=e");
    }

    @Test
    void parametersKeepTheirOrder() {
        List<String> names = new ArrayList<>();
        StringBuilder text = new StringBuilder("memory:?");
        for (int i = 0; i < 40; i++) {
            String name = "p" + (i * 7919 % 1000);
            names.add(name);
            text.append(i == 0 ? "" : "&").append(name).append("=x");
        }

        assertThat(StoreUrl.parse(text.toString()).parameters().keySet()).containsExactlyElementsOf(names);
    }

    @Test
    void parametersCannotBeChangedFromOutside() {
        StoreUrl url = StoreUrl.parse("memory:?a=b");

        org.assertj.core.api.Assertions.assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> url.parameters().put("c", "d"));
    }

    @Test
    void someParametersCanBeTakenOut() {
        StoreUrl url = StoreUrl.parse("memory:name?a=1&b=2&c=3");

        assertThat(url.without(Set.of("a", "c", "x"))).hasToString("memory:name?b=2");
        assertThat(url.without(Set.of("a", "b", "c"))).hasToString("memory:name");
        assertThat(url).hasToString("memory:name?a=1&b=2&c=3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", ":x", "/var/lib/x.db", "//host", "1a:x", "a b:x", "ä:x", "sqlite", "-a:x"})
    void withoutASchemeItIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUrl.parse(text))
                .withMessageContaining("no scheme")
                .withMessageContaining("sqlite:/var/lib/mandate.db");
    }

    @Test
    void whatIsWrongWithAParameterIsSaid() {
        refused("memory:?lease", "without name or value", "name=value");
        refused("memory:?=x", "without name or value");
        refused("memory:?a=b&", "without name or value");
        refused("memory:?&a=b", "without name or value");
        refused("memory:?a=b&a=c", "'a' twice");
        refused("memory:?a=%", "percent-encoded", "%25");
        refused("memory:?a=%zz", "percent-encoded");
        refused("memory:?%=a", "percent-encoded");
    }

    private static void refused(String url, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreUrl.parse(url))
                .withMessageContainingAll(words);
    }

    /** Wherever a secret may stand, it does not show, and the URL says that it holds one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://user:%s@host/db",
                "postgresql://user:p@ss%s@host/db",
                "postgresql://user:a/b%s@host/db",
                "postgresql://user:a:%s@host:5432/db",
                "postgresql://:%s@host",
                "x:user:%s@host",
                "etcd://host?password=%s",
                "etcd://host?PASSWORD=%s&a=b",
                "etcd://host?a=b&db.passwd=%s",
                "etcd://host?clientSecret=%s",
                "etcd://host?token=%s",
                "etcd://host?accessToken=%s",
                "etcd://host?api-key=%s",
                "azure://host?sig=%s",
                "azure://host?sas=%s",
                "etcd://host?p%%61ssword=%s",
                "etcd://user:%s@host?token=%s"
            })
    void aSecretDoesNotShow(String template) {
        StoreUrl url = StoreUrl.parse(String.format(template, CANARY, CANARY));

        assertThat(url.toString()).doesNotContain(CANARY).contains("***");
        assertThat(url.holdsSecret()).isTrue();
        // It can be read by whoever asks for it.
        assertThat(url.rest() + url.parameters()).contains(CANARY);
    }

    /** Where a secret is to be found is none, and neither is a user. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://user@host/db",
                "postgresql://user:@host/db",
                "postgresql://host:5432/db",
                "etcd://host?passwordFile=/run/secret",
                "etcd://host?tokenEnv=ETCD_TOKEN",
                "etcd://host?keyfile=/etc/x.pem",
                "etcd://host?key=/leaders/{election}"
            })
    void whatIsNoSecretShows(String text) {
        StoreUrl url = StoreUrl.parse(text);

        assertThat(url).hasToString(text);
        assertThat(url.holdsSecret()).isFalse();
    }

    /** A URL that is refused does not quote what may be a secret either, not even in a cause. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "%s",
                "//user:%s@host",
                "etcd://host?%s",
                "etcd://host?password=a&%s",
                "etcd://host?=%s",
                "etcd://host?password=%s%%",
                "etcd://host?password=%%zz%s",
                "etcd://user:%s@host?a"
            })
    void aRefusalQuotesNoSecret(String template) {
        try {
            StoreUrl.parse(String.format(template, CANARY));
            throw new AssertionError("not refused: " + template);
        } catch (IllegalArgumentException e) {
            for (Throwable t = e; t != null; t = t.getCause()) {
                assertThat(t.toString()).doesNotContain(CANARY);
            }
        }
    }

    @Test
    void durationsAndFlagsAreReadWithinTheirBounds() {
        StoreUrl url = StoreUrl.parse("x://h?watch=2s&create=false&bad=2&flag=yes");
        Duration second = Duration.ofSeconds(1);
        Duration minute = Duration.ofMinutes(1);

        assertThat(url.duration("watch", second, second, minute)).isEqualTo(Duration.ofSeconds(2));
        assertThat(url.duration("other", second, second, minute)).isEqualTo(second);
        assertThat(url.flag("create", true)).isFalse();
        assertThat(url.flag("other", true)).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> url.duration("watch", second, Duration.ofSeconds(3), minute))
                .withMessageContainingAll("'watch'", "'2s'", "3s", "1m");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> url.duration("bad", second, second, minute))
                .withMessageContainingAll("bad", "'2'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> url.flag("flag", true))
                .withMessageContainingAll("'flag'", "'yes'", "true or false");
    }
}
