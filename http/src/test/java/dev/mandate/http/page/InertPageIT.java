package dev.mandate.http.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.registry.ServiceInstance;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Whoever may write to the store may write anything: on the page it is text that one can see, and no more. */
@ResourceLock("chromium")
class InertPageIT {
    private static final List<String> MARKUP = List.of(
            "<img src=x onerror=window.pwned=1>",
            "<script>window.pwned=1</script>",
            "\"><svg onload=window.pwned=1>",
            "' onmouseover='window.pwned=1",
            "javascript:window.pwned=1",
            "</table></main><h1>Stale since",
            "&lt;b&gt;&amp;&#60;i&#62;",
            "${window.pwned=1}{{window.pwned=1}}",
            "__proto__",
            "constructor",
            "hasOwnProperty");

    private Stage stage;

    @BeforeEach
    void begin() throws Exception {
        stage = new Stage();
    }

    @AfterEach
    void end() {
        stage.close();
    }

    private void assertInert() {
        assertThat(stage.tab.text("String(window.pwned)")).isEqualTo("undefined");
        assertThat(
                        stage.tab.number(
                                "document.querySelectorAll('img, iframe, object, embed, base, h1 ~ h1, a[href^=\"j\" i]').length"))
                .isZero();
        assertThat(stage.tab.number("document.scripts.length")).isEqualTo(1);
        assertThat(
                        stage.tab.number(
                                "[...document.querySelectorAll('*')].filter(each =>"
                                        + " [...each.attributes].some(one => one.name.startsWith('on') || one.name === 'style')).length"))
                .isZero();
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void markupInNamesAndValuesIsText() throws Exception {
        for (int i = 0; i < MARKUP.size(); i++) {
            String candidate = MARKUP.get((i + 1) % MARKUP.size());
            stage.lead(candidate, MARKUP.get(i), MARKUP.get((i + 2) % MARKUP.size()));
            stage.candidate(candidate)
                    .registry()
                    .register(
                            MARKUP.get(i),
                            ServiceInstance.at(MARKUP.get((i + 2) % MARKUP.size()))
                                    .withId(MARKUP.get(i)));
        }
        stage.open();
        for (int i = 0; i < MARKUP.size(); i++) {
            String name = MARKUP.get(i);
            stage.awaitRow("elections", name, MARKUP.get((i + 1) % MARKUP.size()));
            assertThat(stage.row("elections", name)).contains("|" + MARKUP.get((i + 2) % MARKUP.size()) + "|");
            stage.awaitRow("services", name, MARKUP.get((i + 2) % MARKUP.size()));
        }
        // Take-overs and their announcement, too.
        stage.lead("<b onclick=window.pwned=1>one", "<i>", "x").close();
        stage.lead("<b onclick=window.pwned=1>two", "<i>", "x");
        stage.awaitRow("take-overs", "<i>", "<b onclick=window.pwned=1>two");
        stage.tab.await("a word", "said.textContent.includes('<b onclick=window.pwned=1>two')");

        assertInert();
        stage.tab.shoot("markup");
        stage.tab.size(320, 900);
        stage.tab.shoot("markup-narrow");
        assertThat(stage.tab.number("document.documentElement.scrollWidth")).isEqualTo(320);
        assertInert();
    }

    @Test
    void whatCannotBeSeenIsWrittenOut() throws Exception {
        stage.lead("a\u202egnp.exe", "invoices\u2066x\u2069", "line\nbreak\u0007 \u001b[31mred \u200b|\u00a0|\u3164| ");
        stage.open();
        stage.awaitRow("elections", "invoices\\u2066x\\u2069", "a\\u202egnp.exe");

        assertThat(stage.row("elections", "invoices\\u2066x\\u2069"))
                .contains("|line\\u000abreak\\u0007 \\u001b[31mred \\u200b|\\u00a0|\\u3164|")
                .contains("|\\u0020|");
        // Not what somebody typed: it is marked as written out.
        assertThat(stage.tab.text("[...document.querySelectorAll('#elections tbody .written')].slice(0, 3)"
                        + ".map(each => each.textContent).join()"))
                .isEqualTo("\\u2066,\\u2069,\\u202e");
        // Nowhere in the document, attributes and title included, is what would reorder or hide text.
        assertThat(stage.tab.text("String(/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u0007\\u001b]/u"
                        + ".test(document.documentElement.outerHTML + document.title))"))
                .isEqualTo("false");
        assertInert();
        stage.tab.shoot("written-out");
    }

    @Test
    void rightToLeftTextReordersNothingAroundIt() throws Exception {
        stage.lead("\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd", "10.0.0.7:8080");
        stage.open();
        stage.awaitRow("elections", "\u05e2\u05d5\u05dc\u05dd", "10.0.0.7:8080");

        assertThat(stage.tab.text("[...document.querySelectorAll('#elections tbody bdi')].every(each =>"
                        + " getComputedStyle(each).unicodeBidi.includes('isolate'))"))
                .isEqualTo("true");
        // The columns stand where they stand for all others.
        stage.tab.await(
                "columns in their order",
                "(() => { const row = document.querySelector('#elections tbody tr');"
                        + " const left = [...row.cells].map(cell => cell.getBoundingClientRect().left);"
                        + " return left.every((each, i) => i === 0 || each > left[i - 1]); })()");
        assertInert();
    }

    @Test
    void aLongValueIsCutAndCanBeReadByKeyboard() throws Exception {
        String value = "v".repeat(3_000) + "end";
        stage.lead("w".repeat(200), "n".repeat(512), value);
        stage.open();
        stage.awaitRow("elections", "n".repeat(80) + "… more", "vvv");

        assertThat(stage.row("elections", "n".repeat(80) + "… more")).doesNotContain("end");
        // What was not painted yet takes no key.
        stage.tab.await(
                "a button in sight",
                "document.querySelector('#elections tbody .value .more').getBoundingClientRect().width > 0");
        stage.tab.eval("document.querySelector('#elections tbody .value .more').focus()");
        stage.tab.press("Enter");
        stage.tab.await(
                "the whole", "document.querySelector('#elections tbody .value bdi').textContent.endsWith('end')");
        stage.tab.press("Enter");
        stage.tab.await(
                "the beginning", "document.querySelector('#elections tbody .value bdi').textContent.length < 100");
        stage.tab.size(320, 900);
        assertThat(stage.tab.number("document.documentElement.scrollWidth")).isEqualTo(320);
        assertInert();
    }
}
