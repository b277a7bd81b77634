package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.http.Route.Target;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathTextTest {
    @Test
    void aSegmentIsDecodedOnceAndByItself() throws Exception {
        assertThat(PathText.segments("/v1/elections/a%2Fb")).containsExactly("v1", "elections", "a/b");
        assertThat(PathText.segments("/%252F/%C3%A4/a+b;c=d")).containsExactly("%2F", "ä", "a+b;c=d");
        assertThat(PathText.segments("/%2e%2e/..//")).containsExactly("..", "..", "", "");
        assertThat(PathText.segments("/")).containsExactly("");
    }

    @Test
    void malformedEscapesAreRefused() {
        for (String path : List.of(
                "/%",
                "/%4",
                "/%zz",
                "/a%2",
                "/%u0041",
                "/%-1",
                "/%ff",
                "/%C0%AF",
                "/%ED%A0%80",
                "/%C3",
                "/ä",
                "/a b",
                "/\t",
                "x",
                "")) {
            assertThatThrownBy(() -> PathText.segments(path)).as(path).isInstanceOf(BadRequestException.class);
        }
    }

    @Test
    void onlyTheOneParameterIsTaken() throws Exception {
        assertThat(PathText.parameter("election=a%2Fb+c", "election")).isEqualTo("a/b c");
        assertThat(PathText.parameter("", "election")).isEmpty();
        for (String query : List.of("election=a&election=b", "x=1", "election", "election=%", "election=a&")) {
            assertThatThrownBy(() -> PathText.parameter(query, "election"))
                    .as(query)
                    .isInstanceOf(BadRequestException.class);
        }
    }

    @Test
    void everyTemplateIsFoundAndNothingElse() throws Exception {
        for (Route each : Route.values()) {
            Target found = Route.find(each.template().replace("{name}", "a%2Fb"));

            assertThat(found).isNotNull();
            assertThat(found.route()).isEqualTo(each);
            assertThat(found.name()).isEqualTo(each.template().contains("{name}") ? "a/b" : "");
        }
        for (String path : List.of(
                "//",
                "/v1",
                "/v1/",
                "/v1/elections/",
                "/v1/elections//leader",
                "/v1/elections/a/b",
                "/v1/elections/a/leader/",
                "/V1/elections",
                "/v1%2Felections",
                "/index.html",
                "/../page.css",
                "/page.css/")) {
            assertThat(Route.find(path)).as(path).isNull();
        }
    }
}
