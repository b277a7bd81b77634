package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of recipes, for elections of ours. */
class KeyTemplateTest {
    private static final List<String> ODD = List.of(
            "a",
            "A",
            ".",
            "..",
            "...",
            "/",
            "//",
            "a/b",
            "/a",
            "a/",
            "leader",
            "a/leader",
            "/leader",
            "{election}",
            "{",
            "%",
            "%2F",
            "%2f",
            "a%2Fb",
            "=2F",
            "=",
            "#",
            "a#mandate",
            " ",
            "a ",
            "ä",
            "a\u0308",
            "日本語",
            "😀",
            "*",
            ">",
            "a.b",
            "x".repeat(512));

    @ParameterizedTest
    @CsvSource({
        "/leaders/{election}, invoices, /leaders/invoices",
        "service/{election}/leader, invoices, service/invoices/leader",
        "{election}, invoices, invoices",
        "a{election}b, invoices, ainvoicesb",
        "/leaders/{election}, a/b c, /leaders/a%2Fb%20c",
        "/leaders/{election}, .., /leaders/%2E%2E",
        "MyApp/leader, invoices, MyApp/leader",
        "/leaders/ä b, invoices, /leaders/ä b",
    })
    void theKeyIsWhatTheTemplateSays(String template, String name, String path) {
        KeyTemplate keys = KeyTemplate.of(template);
        RecordKey key = RecordKey.election(name);

        assertThat(keys.path(key)).isEqualTo(path);
        assertThat(keys.key(path)).contains(key);
        assertThat(keys).hasToString(template);
    }

    @Test
    void withoutAPlaceForItsNameThereIsOneElectionPerClient() {
        KeyTemplate keys = KeyTemplate.of("MyApp/leader");
        RecordKey invoices = RecordKey.election("invoices");
        assertThat(keys.admitsMany()).isFalse();
        assertThat(keys.key("MyApp/leader")).contains(RecordKey.election("MyApp/leader"));

        assertThat(keys.path(invoices)).isEqualTo("MyApp/leader");

        assertThat(keys.path(invoices)).isEqualTo("MyApp/leader");
        assertThat(keys.key("MyApp/leader")).contains(invoices);
        assertThat(keys.key("MyApp/leader2")).isEmpty();
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> keys.path(RecordKey.election("orders")))
                .withMessageContainingAll("'MyApp/leader'", "'invoices'", "'orders'", "{election}");
        // Another client is free to call it otherwise.
        assertThat(KeyTemplate.of("MyApp/leader").path(RecordKey.election("orders")))
                .isEqualTo("MyApp/leader");
    }

    @ParameterizedTest
    @CsvSource({
        "/leaders/{election}, /leaders/web/, /leaders/web",
        "service/{election}/leader, service/web/, ''",
        "{election}-lock, web/, web-lock",
        "{election}/lock, web/, ''",
        "MyApp/leader, MyApp/leader, ''",
        "MyApp/, MyApp/, ''",
    })
    void aListingAsksForNothingThatMerelyBeginsAlike(String template, String below, String apart) {
        KeyTemplate keys = KeyTemplate.of(template).withOthersBelow("%mandate/");
        RecordKey web = RecordKey.election("web");

        assertThat(keys.below(web)).isEqualTo(below);
        assertThat(keys.apart(web)).isEqualTo(Optional.of(apart).filter(path -> !path.isEmpty()));
        if (keys.admitsMany()) {
            assertThat(keys.path(RecordKey.election("webapp"))).doesNotStartWith(below);
        }
        RecordKey service = new RecordKey(RecordKey.REGISTRATIONS, List.of("web"));
        assertThat(keys.below(service)).isEqualTo("%mandate/registration/web/");
        assertThat(keys.apart(service)).contains("%mandate/registration/web");
        // All of a kind are below its prefix, as ever.
        assertThat(keys.below(RecordKey.elections())).isEqualTo(keys.start(RecordKey.elections()));
        assertThat(keys.apart(RecordKey.elections())).isEmpty();
    }

    /** Neither by a listing nor by the look whether the store answers. */
    @Test
    void whoOnlyLooksBindsNothing() {
        KeyTemplate keys = KeyTemplate.of("MyApp/leader");

        assertThat(keys.below(RecordKey.election("c"))).isEqualTo("MyApp/leader");
        assertThat(keys.apart(RecordKey.election("c"))).isEmpty();
        assertThat(keys.start(RecordKey.elections())).isEqualTo("MyApp/leader");
        assertThat(keys.start(RecordKey.election("a"))).isEqualTo("MyApp/leader");
        assertThat(keys.path(RecordKey.PROBE)).isEqualTo("MyApp/leader");

        assertThat(keys.path(RecordKey.election("b"))).isEqualTo("MyApp/leader");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/leaders/{election}", "service/{election}/leader", "{election}", "a{election}a", "%{election}2F"
            })
    void oddNamesComeBackAndNeverCollide(String template) {
        comeBack(KeyTemplate.of(template).withEscape('%', "-._~@:+"));
        comeBack(KeyTemplate.of(template).withEscape('=', "-_"));
        comeBack(KeyTemplate.of(template).withEscape('=', "-_").withDotsBetween());
        comeBack(
                KeyTemplate.of(template).withEscape('=', "-_").withDotsBetween().withBeside("=mandate"));
    }

    private static void comeBack(KeyTemplate keys) {
        Map<String, RecordKey> paths = new HashMap<>();
        Random random = new Random(11);
        List<RecordKey> all = new ArrayList<>();
        ODD.forEach(name -> all.add(RecordKey.election(name)));
        for (int i = 0; i < 5_000; i++) {
            List<String> segments = new ArrayList<>();
            for (int depth = 1 + random.nextInt(3); depth > 0; depth--) {
                segments.add(ODD.get(random.nextInt(ODD.size())));
            }
            all.add(new RecordKey(RecordKey.ELECTIONS, segments));
        }
        for (RecordKey key : all) {
            String path = keys.path(key);

            assertThat(keys.key(path)).contains(key);
            RecordKey other = paths.put(path, key);
            assertThat(other == null || other.equals(key)).as(path).isTrue();
            assertThat(path).startsWith(keys.start(RecordKey.elections()));
            for (int depth = 1; depth <= key.segments().size(); depth++) {
                RecordKey prefix =
                        new RecordKey(RecordKey.ELECTIONS, key.segments().subList(0, depth));
                assertThat(path).startsWith(keys.start(prefix));
                assertThat(path.startsWith(keys.below(prefix)))
                        .as("%s is listed below %s", path, prefix)
                        .isEqualTo(!keys.apart(prefix).equals(Optional.of(path)));
            }
        }
        // What stands beside a key is nobody's key.
        all.forEach(key -> assertThat(keys.key(keys.beside(key))).isEmpty());
    }

    @Test
    void aStoreWithFewerCharactersGetsOnlyThose() {
        KeyTemplate keys = KeyTemplate.of("{election}").withEscape('=', "-_");

        for (String name : ODD) {
            assertThat(keys.path(RecordKey.election(name))).matches("[A-Za-z0-9=_-]+");
        }
        assertThat(keys.path(RecordKey.election("a.b"))).isEqualTo("a=2Eb");
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withBeside("=AB"));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withBeside("mandate"));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> KeyTemplate.of("a=mandate").withEscape('=', "-_").withBeside("=mandate"))
                .withMessageContaining("'a=mandate', has '=mandate'");
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withEscape('=', "=_"));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withEscape('a', "_"));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withEscape('=', "/"));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withEscape('#', "_"));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.withEscape('=', "ä"));
    }

    @Test
    void dotsArePlainBetweenWordsOnly() {
        KeyTemplate keys = KeyTemplate.of("{election}")
                .withEscape('=', "-_")
                .withDotsBetween()
                .withOthersBelow("=mandate/");

        assertThat(keys.path(RecordKey.election("com.acme.jobs"))).isEqualTo("com.acme.jobs");
        assertThat(keys.path(RecordKey.election("a..b"))).isEqualTo("a=2E=2Eb");
        assertThat(keys.path(RecordKey.election(".a."))).isEqualTo("=2Ea=2E");
        assertThat(keys.path(RecordKey.election("."))).isEqualTo("=2E");
        for (String name : ODD) {
            assertThat(keys.path(RecordKey.election(name))).doesNotContain("..").doesNotMatch("[.].*|.*[.]");
        }
        assertThat(keys.key("a..b")).isEmpty();
        assertThat(keys.key("a=2Eb")).isEmpty();
    }

    /** What no name can begin with is free for keys of other spaces, even where a name is all there is of a key. */
    @Test
    void aBrokenEscapeKeepsOtherSpacesApart() {
        KeyTemplate names = KeyTemplate.of("{election}").withEscape('=', "-_");
        KeyTemplate keys = names.withOthersBelow("=mandate/");
        RecordKey other = new RecordKey(RecordKey.REGISTRATIONS, List.of("web", "1"));

        assertThat(keys.path(other)).isEqualTo("=mandate/registration/web/1");
        assertThat(keys.key("=mandate/registration/web/1")).contains(other);
        assertThat(keys.path(RecordKey.election("=mandate/registration/web/1"))).startsWith("=3Dmandate");
        assertThatIllegalArgumentException().isThrownBy(() -> names.withOthersBelow("=Ab/"));
        assertThatIllegalArgumentException().isThrownBy(() -> names.withOthersBelow("mandate/"));
    }

    /** An election has one key; another spelling of it is somebody else's. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/leaders",
                "/leaders/",
                "/leaders/a b",
                "/leaders/%61",
                "/leaders/%2f",
                "/leaders/%",
                "/leaders/%2",
                "/leaders/%zz",
                "/leaders/%-1",
                "/leaders/%FF",
                "/leaders/%00",
                "/leaders/a//b",
                "/leaders/a/",
                "/leaders/.",
                "/leaders/ä",
                "/leaders/a#mandate",
                "/leader/a",
                "/mandate/a",
                "/mandate/Registration/a",
                "/mandate/registration/",
                "leaders/a"
            })
    void whatIsNobodysKeyIsToldApart(String path) {
        assertThat(KeyTemplate.of("/leaders/{election}")
                        .withOthersBelow("/mandate/")
                        .key(path))
                .isEmpty();
    }

    @Test
    void otherSpacesStandBesideTheElections() {
        KeyTemplate keys = KeyTemplate.of("/leaders/{election}").withOthersBelow("/mandate/");
        RecordKey registration = new RecordKey(RecordKey.REGISTRATIONS, List.of("web", "10.0.0.1:80"));

        assertThat(keys.path(registration)).isEqualTo("/mandate/registration/web/10.0.0.1:80");
        assertThat(keys.key("/mandate/registration/web/10.0.0.1:80")).contains(registration);
        assertThat(keys.start(new RecordKey(RecordKey.REGISTRATIONS, List.of())))
                .isEqualTo("/mandate/registration/");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyTemplate.of("/leaders/{election}").path(registration))
                .withMessageContainingAll("registration/web", "/leaders/{election}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.path(RecordKey.elections()))
                .withMessageContaining("prefix");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{election}",
                "/{election}",
                "/man{election}",
                "/m{election}x",
                "/mandate/{election}",
                "/mandate/x",
                "/mandate/"
            })
    void aTemplateThatCouldCollideIsRefused(String template) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyTemplate.of(template).withOthersBelow("/mandate/"))
                .withMessageContainingAll("'" + template + "'", "collide", "/mandate/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mandates/{election}", "/", "/man", "mandate/{election}", "/mandate"})
    void aTemplateThatCannotCollideIsTaken(String template) {
        assertThat(KeyTemplate.of(template).withOthersBelow("/mandate/")).hasToString(template);
    }

    @Test
    void aBadTemplateIsRefusedByName() {
        refused("", "'key'", "empty", "/leaders/{election}");
        refused("/a/{election}/{election}", "twice", "'/a/{election}/{election}'");
        refused("/a/{name}", "brace", "{election}");
        refused("/a/{election", "brace");
        refused("/a/}", "brace");
        refused("/a#b", "'#'");
        refused("a\u0000", "'key'", "U+0000");
        refused("a\uD83D", "'key'", "U+D83D");
        refused("x".repeat(513), "513", "512");
        refused("ü".repeat(257), "257", "512");
    }

    private static void refused(String template, String... words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyTemplate.of(template))
                .withMessageContainingAll(words);
    }
}
