package dev.mandate.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mandate.spi.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where records stand in a bucket, and which subjects match them. */
class KeysTest {
    private static final List<String> ODD = List.of(
            "web",
            "webapp",
            "we",
            "web.app",
            ".",
            "..",
            "a.",
            ".a",
            "=",
            "=2E",
            "/",
            "web/",
            "a/b",
            "*",
            ">",
            "-",
            "_",
            "ä",
            "日本語",
            " ",
            "10.0.0.1:80",
            "registration",
            "=mandate");

    private static RecordKey registration(String... segments) {
        return new RecordKey(RecordKey.REGISTRATIONS, List.of(segments));
    }

    @Test
    void segmentsOfOtherSpacesAreWords() {
        Keys keys = new Keys("{election}");

        assertThat(keys.path(registration("web", "10.0.0.1:80")))
                .isEqualTo("=mandate.registration.web.10=2E0=2E0=2E1=3A80.=");
        assertThat(keys.path(registration("web"))).isEqualTo("=mandate.registration.web.=");
        assertThat(keys.all(registration())).isEqualTo("=mandate.registration.>");
        assertThat(keys.all(registration("web"))).isEqualTo("=mandate.registration.web.>");
        assertThatIllegalArgumentException().isThrownBy(() -> keys.path(registration()));
    }

    @ParameterizedTest
    @CsvSource({
        "{election}, jobs, jobs, >, *",
        "{election}, com.acme.jobs, com.acme.jobs, >, *",
        "x-{election}.leader, jobs, x-jobs.leader, >, *.leader",
        "a.b-{election}, c.d, a.b-c.d, a.>, a.>",
        "team.{election}.leader, jobs, team.jobs.leader, team.>, team.>",
        "demo, jobs, demo, demo, demo",
        "a.demo, jobs, a.demo, a.demo, a.demo",
    })
    void electionsStandWhereTheTemplateSays(String template, String name, String path, String all, String watched) {
        Keys keys = new Keys(template);

        assertThat(keys.path(RecordKey.election(name))).isEqualTo(path);
        assertThat(keys.key(path)).contains(RecordKey.election(name));
        assertThat(keys.all(RecordKey.elections())).isEqualTo(all);
        assertThat(keys.watched(RecordKey.elections())).isEqualTo(watched);
        assertThat(keys).hasToString(template);
    }

    /** Below one name there may be dots, too. */
    @Test
    void aPrefixOfElectionsIsLookedAtWhole() {
        Keys keys = new Keys("{election}");

        assertThat(keys.watched(RecordKey.election("jobs"))).isEqualTo(">");
        assertThat(keys.watched(RecordKey.election("com.acme.jobs"))).isEqualTo("com.acme.>");
    }

    @Test
    void theFirstNameWithDotsWidensAWatchOfElections() {
        Keys keys = new Keys("{election}.leader");

        assertThat(keys.widens(keys.path(RecordKey.election("jobs")))).isFalse();
        assertThat(keys.widens(keys.path(registration("web", "1")))).isFalse();
        assertThat(keys.watched(RecordKey.elections())).isEqualTo("*.leader");
        assertThat(keys.widens(keys.path(RecordKey.election("acme.jobs")))).isTrue();
        assertThat(keys.watched(RecordKey.elections())).isEqualTo(">");
        assertThat(keys.widens(keys.path(RecordKey.election("acme.mail")))).isFalse();

        Keys apart = new Keys("leaders.{election}");
        assertThat(apart.widens(apart.path(RecordKey.election("acme.jobs")))).isFalse();
    }

    /** Every record has one key, every key one record, and a prefix's subject matches exactly what is below it. */
    @Test
    void oddNamesComeBackAndAreMatchedByTheirPrefixesAlone() {
        Keys keys = new Keys("{election}");
        Random random = new Random(12);
        List<RecordKey> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            List<String> segments = new ArrayList<>();
            for (int depth = 1 + random.nextInt(3); depth > 0; depth--) {
                segments.add(ODD.get(random.nextInt(ODD.size())));
            }
            all.add(new RecordKey(random.nextBoolean() ? RecordKey.REGISTRATIONS : "place", segments));
        }
        Map<String, RecordKey> paths = new HashMap<>();
        for (RecordKey key : all) {
            String path = keys.path(key);
            assertThat(path).matches("[A-Za-z0-9=_-]+([.][A-Za-z0-9=_-]+)*");
            assertThat(keys.key(path)).contains(key);
            assertThat(paths.merge(path, key, (former, same) -> former)).isEqualTo(key);
        }
        for (RecordKey prefix : all) {
            for (RecordKey key : all) {
                assertThat(matches(keys.all(prefix), keys.path(key)))
                        .as("%s below %s", key, prefix)
                        .isEqualTo(key.isBelow(prefix));
            }
        }
        ODD.forEach(name -> assertThat(keys.path(RecordKey.election(name))).doesNotStartWith("=mandate."));
    }

    /** As servers do. */
    private static boolean matches(String filter, String subject) {
        String pattern = Pattern.quote(filter).replace("*", "\\E[^.]+\\Q").replace(">", "\\E.+\\Q");
        return Pattern.matches(pattern, subject);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=mandate.registration.web",
                "=mandate.registration.=",
                "=mandate.registration.web/1.=",
                "=mandate.registration.web..=",
                "=mandate.Registration.web.=",
                "=mandate.registration.we=62.=",
                "=mandate.=",
                "=mandate/registration/web/1",
            })
    void whatIsNobodysKeyIsToldApart(String path) {
        assertThat(new Keys("{election}").key(path)).isEmpty();
    }

    @Test
    void aTemplateAmongTheOthersIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Keys("=mandate.x.{election}"))
                .withMessageContainingAll("'=mandate.x.{election}'", "collide", "=mandate.");
    }
}
