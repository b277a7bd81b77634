package dev.mandate.http.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.Await;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What the page makes of events that are seldom met. */
@ResourceLock("chromium")
class ScriptedPageIT {
    private static final String HEAD = "\"store\":\"scripted\",\"stale\":false,\"ageMillis\":5,\"now\":1795000000000";

    private Tab tab;
    private ScriptedEvents events;

    @BeforeEach
    void open() throws Exception {
        tab = Tab.open();
    }

    @AfterEach
    void close() {
        tab.close();
        events.close();
    }

    private void begin(String elections, String takeOvers) throws Exception {
        events = new ScriptedEvents(snapshot(elections, takeOvers));
        tab.go(events.uri());
        tab.await("a current page", "document.body?.dataset.trust === 'current'");
    }

    private static String snapshot(String elections, String takeOvers) {
        return "{" + HEAD + ",\"elections\":[" + elections + "],\"queues\":[],\"services\":[],\"takeOvers\":["
                + takeOvers + "]}";
    }

    private static String election(String name, String token) {
        return "{\"election\":\"" + name + "\",\"state\":\"led\",\"candidate\":\"worker-1\",\"value\":\"\",\"token\":"
                + token + ",\"since\":\"2026-11-18T11:06:40Z\",\"verified\":true}";
    }

    private static String takeOver(int number, long secondsAgo, long gapMillis, String reason) {
        return takeOver("e", number, secondsAgo, gapMillis, reason);
    }

    private static String takeOver(String election, int number, long secondsAgo, long gapMillis, String reason) {
        long at = 1795000000000L - secondsAgo * 1000;
        return "{\"election\":\"" + election + "\",\"at\":" + at + ",\"from\":{\"candidate\":\"from-" + number
                + "\",\"token\":1},\"to\":{\"candidate\":\"to-" + number + "\",\"token\":2},\"vacantFrom\":"
                + (gapMillis == 0 ? "null" : at - gapMillis) + ",\"gapMillis\":" + gapMillis + ",\"reason\":\"" + reason
                + "\"}";
    }

    @Test
    void tokensAreExactUpToTheLargest() throws Exception {
        begin(election("a", "9223372036854775807") + "," + election("b", "9007199254740993"), "");
        tab.await("rows", "document.querySelectorAll('#elections tbody tr').length === 2");

        assertThat(
                        tab.text(
                                "[...document.querySelectorAll('#elections tbody .token')].map(each => each.textContent).join()"))
                .isEqualTo("9223372036854775807,9007199254740993");
        assertThat(tab.complaints()).isEmpty();
    }

    /** A busy browser says only a frame later which rows are in sight. */
    @Test
    void aChangeIsHighlightedBeforeTheBrowserSaysWhatIsInSight() throws Exception {
        tab.before("IntersectionObserver.prototype.observe = () => {};");
        begin(election("a", "1") + "," + election("b", "2"), "");
        tab.await("rows", "document.querySelectorAll('#elections tbody tr').length === 2");

        events.send("elections", "{" + HEAD + ",\"changed\":[" + election("a", "3") + "]}");

        tab.await("a highlight", "document.querySelector('#elections tr[data-fresh] .token')?.textContent === '3'");
        assertThat(tab.number("document.querySelectorAll('#elections tr[data-fresh]').length"))
                .isEqualTo(1);
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void theFirstRowIsInSightInItsFirstFrame() throws Exception {
        tab.before("""
                new MutationObserver(() => {
                    const row = document.querySelector("#elections tbody tr");
                    if (row) window.wasHidden ??= row.closest("table").hidden;
                }).observe(document, { subtree: true, childList: true });
                """);
        begin(election("a", "1"), "");

        tab.await("a row", "window.wasHidden !== undefined");
        assertThat(tab.eval("wasHidden")).isEqualTo(false);
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void gapsAreDrawnToOneScaleWithTheirReasons() throws Exception {
        begin(
                "",
                takeOver(1, 50, 4_000, "expired") + "," + takeOver(2, 30, 1_000, "asked") + ","
                        + takeOver(3, 20, 2_000, "released") + "," + takeOver(4, 10, 0, "toString"));
        tab.await("rows", "document.querySelectorAll('#take-overs tbody tr').length === 4");

        assertThat(tab.text("[...document.querySelectorAll('#take-overs tbody tr')].map(row =>"
                        + " row.querySelector('.gap rect').getAttribute('width') + ' ' + row.querySelector('.without').textContent"
                        + " + ' ' + row.querySelector('.reason').textContent).join('\\n')"))
                .isEqualTo(String.join(
                        "\n",
                        "0% none seen not known",
                        "50% 2.00 s released",
                        "25% 1.00 s asked to leave",
                        "100% 4.00 s lease expired"));
        // On the time line, too: 4 s are four times as long as 1 s.
        tab.await("a lane", "document.querySelectorAll('.lanes .hole').length >= 3");
        assertThat(tab.text("[...document.querySelectorAll('.lanes .hole')].map(each =>"
                        + " parseFloat(each.parentNode.getAttribute('width'))).slice(0, 3).map((each, i, all) =>"
                        + " Math.round(each / all[1])).join()"))
                .isEqualTo("4,1,2");
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void theLastHundredTakeOversAreKept() throws Exception {
        begin(
                "",
                IntStream.range(0, 100)
                        .mapToObj(i -> takeOver(i, 200 - i, 10, "released"))
                        .collect(Collectors.joining(",")));
        for (int i = 100; i < 130; i++) {
            events.send("takeOver", takeOver(i, 10, 10, "released"));
        }
        tab.await("the newest", "document.querySelector('#take-overs tbody tr').textContent.includes('to-129')");

        assertThat(tab.number("document.querySelectorAll('#take-overs tbody tr').length"))
                .isEqualTo(100);
        assertThat(tab.text("document.querySelector('#take-overs tbody tr:last-child .leader').textContent"))
                .contains("to-30");
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void theTimeLineDrawsAllHundredWhereAllAreShown() throws Exception {
        // Of 20 elections, one each 10 h: the first was 41 days ago.
        begin(
                "",
                IntStream.range(0, 100)
                        .mapToObj(i -> takeOver("e-" + i % 20, i, (100 - i) * 36_000L, 10, "expired"))
                        .collect(Collectors.joining(",")));
        tab.await("few", "document.querySelectorAll('.lanes .hole').length === 6");
        tab.eval("document.getElementById('all-take-overs').click()");

        tab.await("all", "document.querySelectorAll('.lanes .hole').length === 100");
        assertThat(tab.number("document.querySelectorAll('.lane:not(.axis)').length"))
                .isEqualTo(20);
        assertThat(tab.number("Math.min(...[...document.querySelectorAll('.lanes .hole')].map(each =>"
                        + " each.getBoundingClientRect().width))"))
                .isPositive();
        assertThat(tab.text("document.querySelector('.axis text').textContent")).isEqualTo("45 d ago");
        tab.shoot("hundred-take-overs");
        tab.eval("document.getElementById('all-take-overs').click()");
        tab.await("few again", "document.querySelectorAll('.lanes .hole').length === 6");
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void manyTakeOversAreSaidInOneSentence() throws Exception {
        begin("", "");
        tab.eval("window.words = []; new MutationObserver(() => words.push(said.textContent))"
                + ".observe(said, { childList: true, characterData: true, subtree: true })");
        for (int i = 0; i < 40; i++) {
            events.send("takeOver", takeOver(i, 1, 10, "expired"));
        }
        tab.await(
                "a word",
                "words.some(each => /^\\d+ take-overs\\. The last: e went from from-39 to to-39/.test(each))");

        assertThat(tab.number("words.length")).isLessThanOrEqualTo(2);
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void anEventThatIsNoJsonMakesThePageBeginAgain() throws Exception {
        begin(election("a", "1"), "");
        tab.await("a row", "document.querySelectorAll('#elections tbody tr').length === 1");
        events.snapshot(snapshot(election("a", "1") + "," + election("b", "2"), ""));

        events.send("elections", "{\"changed\":[");

        Await.until("another stream", Tab.PLENTY, () -> events.opened() >= 2);
        tab.await("what is new", "document.querySelectorAll('#elections tbody tr').length === 2");
        assertThat(tab.text("document.body.dataset.trust")).isEqualTo("current");
    }

    @Test
    void aServerThatSaysNothingMoreIsNoticed() throws Exception {
        begin(election("a", "1"), "");

        // It says something every five seconds, or it is away; nothing else tells.
        tab.await("a stale page", "document.body.dataset.trust === 'stale'");
        Await.until("another stream", Tab.PLENTY, () -> events.opened() >= 2);
        tab.await("a current page", "document.body.dataset.trust === 'current'");
    }

    @Test
    void halfACharacterIsWrittenOut() throws Exception {
        begin(election("a\\ud800b", "1"), "");

        tab.await("a row", "document.querySelector('#elections tbody .name')?.textContent === 'a\\\\ud800b'");
        assertThat(tab.complaints()).isEmpty();
    }
}
