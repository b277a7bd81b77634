package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RedirectTest {
    @Test
    void absoluteHttpUrlsAreLocations() {
        assertThat(Redirect.of("http://10.0.0.7:8080")).hasValue("http://10.0.0.7:8080");
        assertThat(Redirect.of("HTTPS://example.org/a?b=c#d")).hasValue("HTTPS://example.org/a?b=c#d");
        assertThat(Redirect.of("http://[::1]/")).hasValue("http://[::1]/");
        assertThat(Redirect.of("http://example.org/ä")).hasValue("http://example.org/%C3%A4");
    }

    @Test
    void nothingElseIs() {
        for (String value : List.of(
                "",
                "10.0.0.7:8080",
                "/path",
                "//example.org/",
                "ftp://example.org/",
                "javascript:alert(1)",
                "http:",
                "http:///x",
                "http://a b/",
                "http://example.org/\r\nSet-Cookie: x=y",
                "data:text/html,x",
                " http://example.org/")) {
            assertThat(Redirect.of(value)).as(value).isEmpty();
        }
    }
}
