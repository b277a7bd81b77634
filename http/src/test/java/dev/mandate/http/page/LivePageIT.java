package dev.mandate.http.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.registry.Registration;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The page in a browser, before a real server and a store in memory. */
@ResourceLock("chromium")
class LivePageIT {
    /**
     * Notes when the page was told that {@code news} leads, when that stood in the document and was painted, and for
     * how long the page was held up meanwhile, by whatever else this machine does.
     */
    private static final String STOPWATCH = """
            window.watched = { news: null, toldAt: 0, shownAt: 0, heldUp: 0, lookedAt: 0 };
            const listen = EventSource.prototype.addEventListener;
            EventSource.prototype.addEventListener = function (name, receive) {
                return listen.call(this, name, event => {
                    const w = window.watched;
                    if (name === "elections" && w.news && !w.toldAt && event.data.includes(w.news)) w.toldAt = performance.now();
                    return receive(event);
                });
            };
            new MutationObserver(() => {
                const w = window.watched;
                if (!w.toldAt || w.shownAt || !document.querySelector("#elections tbody").textContent.includes(w.news)) return;
                w.shownAt = -1;
                requestAnimationFrame(() => setTimeout(() => w.shownAt = performance.now()));
            }).observe(document, { subtree: true, childList: true, characterData: true });
            let last = performance.now();
            setInterval(() => {
                const now = performance.now(), w = window.watched;
                const until = w.shownAt > 0 ? Math.min(now, w.shownAt) : now;
                if (w.toldAt && now - last > 50) w.heldUp += Math.max(0, until - Math.max(last, w.toldAt));
                last = w.lookedAt = now;
            }, 20);
            """;

    private Stage stage;

    @BeforeEach
    void begin() throws Exception {
        stage = new Stage();
    }

    @AfterEach
    void end() {
        stage.close();
    }

    @Test
    void whoLeadsWhatIsShown() throws Exception {
        Leadership invoices = stage.lead("worker-1", "invoices", "10.0.0.7:8080");
        stage.lead("worker-2", "prices", "");
        stage.open();

        stage.awaitRow("elections", "prices", "worker-2");
        assertThat(stage.row("elections", "invoices"))
                .matches("invoices\\|worker-1\\|10\\.0\\.0\\.7:8080\\|" + invoices.fencingToken()
                        + "\\|\\d+ s since \\d\\d:\\d\\d");
        assertThat(stage.row("elections", "prices"))
                .matches("prices\\|worker-2\\|–\\|\\d+\\|\\d+ s since \\d\\d:\\d\\d");
        assertSinceWhen(invoices);
        stage.tab.await("the headline", "headline.textContent === 'All 2 elections have a leader'");
        assertThat(stage.tab.text("document.title")).isEqualTo("2 led · Mandate");
        // An age is not what was received: it goes on by itself.
        stage.tab.await(
                "an age that goes on",
                "[...document.querySelectorAll('#elections tbody .age')].every(age => parseInt(age.textContent) >= 2)");
        assertThat(stage.tab.complaints()).isEmpty();
    }

    /** The instant is in sight beside its age, and exact for programs. */
    private void assertSinceWhen(Leadership leadership) {
        String since = "[...document.querySelectorAll('#elections tbody tr')].find(row =>"
                + " row.querySelector('.name').textContent === " + Stage.quoted(leadership.election())
                + ").querySelector('time')";
        long at = stage.tab.number("Date.parse(" + since + ".dateTime)");
        assertThat(Instant.ofEpochMilli(at)).isBetween(Instant.now().minus(Tab.PLENTY), Instant.now());
        assertThat(stage.tab.text(since + ".textContent"))
                .isEqualTo(stage.tab.text("' since ' + new Date(" + at + ").toTimeString().slice(0, 5)"));
        stage.tab.await("the instant in sight", since + ".getBoundingClientRect().width > 0");
        stage.tab.shoot("since");
        stage.tab.size(400, 900);
        stage.tab.await("no room for it", since + ".getBoundingClientRect().width === 0");
        assertThat(stage.tab.text("getComputedStyle(" + since + ").display")).isEqualTo("none");
        stage.tab.size(1440, 900);
    }

    @Test
    void aTakeOverShowsWithinASecondOfItsEvent() throws Exception {
        Leadership first = stage.lead("worker-1", "invoices", "a");
        stage.lead("worker-1", "prices", "b");
        stage.tab.before(STOPWATCH);
        stage.open();
        stage.awaitRow("elections", "invoices", "worker-1");
        stage.tab.eval("watched.news = 'worker-2'");

        long start = System.nanoTime();
        first.close();
        Leadership second = stage.lead("worker-2", "invoices", "a");
        long led = System.nanoTime();
        stage.awaitRow("elections", "invoices", "worker-2");
        stage.tab.await("the picture", "watched.shownAt > 0 && watched.lookedAt > watched.shownAt");

        long tookMillis = stage.tab.number("watched.shownAt - watched.toldAt");
        long heldUpMillis = stage.tab.number("watched.heldUp");
        System.out.printf(
                "[page] a take-over: led after %d ms, in sight %d ms after its event (held up for %d ms)%n",
                (led - start) / 1_000_000, tookMillis, heldUpMillis);
        assertThat(tookMillis - heldUpMillis).isBetween(0L, 1_000L);
        assertThat(stage.row("elections", "invoices")).contains("|" + second.fencingToken() + "|");
        stage.awaitRow("take-overs", "invoices", "worker-2");
        String takeOver = stage.row("take-overs", "invoices");
        assertThat(takeOver)
                .contains("worker-1")
                .contains("worker-2")
                .matches(".*\\|(released|lease expired|asked to leave|not known)");
        stage.tab.await(
                "a highlight", "document.querySelector('#elections tr[data-fresh] .name')?.textContent === 'invoices'");
        assertThat(stage.tab.number("document.querySelectorAll('#elections tr[data-fresh]').length"))
                .isEqualTo(1);
        stage.tab.await("a lane", "document.querySelector('.lane .name').textContent === 'invoices'");
        // Said once, politely, to those who listen.
        stage.tab.await("a word", "said.textContent.startsWith('invoices went from worker-1 to worker-2')");
        stage.tab.shoot("take-over");
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void anElectionWithoutALeaderStaysInSight() throws Exception {
        Leadership invoices = stage.lead("worker-1", "invoices", "a");
        stage.lead("worker-1", "prices", "b");
        stage.open();
        stage.awaitRow("elections", "invoices", "worker-1");

        invoices.close();

        stage.awaitRow("elections", "invoices", "no leader");
        stage.tab.await("the headline", "headline.textContent === '1 of 2 elections has no leader: invoices'");
        stage.tab.eval("vacant.click()");
        stage.tab.await("the vacant one alone", "found.textContent === '1 of 2 elections'");
        assertThat(stage.row("elections", "prices")).isEmpty();
        stage.tab.press("Escape");
        stage.awaitRow("elections", "prices", "worker-1");
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void queuesAreShownInTheirOrder() throws Exception {
        Leadership poller = stage.lead(stage.queued("first"), "poller", "x");
        stage.queued("second")
                .election("poller")
                .runWhileLeader(
                        "y",
                        leadership -> leadership.ended().toCompletableFuture().join());
        stage.open();
        stage.awaitRow("queues", "poller", "second");
        stage.queued("third")
                .election("poller")
                .runWhileLeader(
                        "z",
                        leadership -> leadership.ended().toCompletableFuture().join());
        stage.awaitRow("queues", "poller", "third");

        assertThat(stage.row("queues", "poller"))
                .matches("poller\\|2 waiting\\|second \\d+ s since \\d\\d:\\d\\dthird \\d+ s since \\d\\d:\\d\\d");
        assertThat(poller.isValid()).isTrue();
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void servicesAreShownWithTheStatusOfTheirInstances() throws Exception {
        var registry = stage.candidate("web").registry();
        Registration first =
                registry.register("web", ServiceInstance.at("10.0.0.7:8080").withId("web-1"));
        registry.register(
                "web", ServiceInstance.at("10.0.0.8:8080").withId("web-2").withStatus(Status.STARTING));
        stage.open();

        stage.tab.await(
                "two instances", "document.querySelector('.service summary')?.textContent.includes('1 of 2 passing')");
        stage.awaitRow("services", "web-2", "starting");
        assertThat(stage.row("services", "web-1"))
                .matches("web-1\\|passing\\|10\\.0\\.0\\.7:8080\\|\\d+ s since \\d\\d:\\d\\d");

        first.status(Status.DOWN);
        stage.awaitRow("services", "web-1", "down");
        assertThat(stage.tab.text("document.querySelector('.service summary .count').textContent"))
                .isEqualTo("0 of 2 passing");
        first.close();
        stage.tab.await(
                "one instance less",
                "document.querySelector('.service summary .count').textContent === '0 of 1 passing'");
        assertThat(stage.row("services", "web-1")).isEmpty();
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void aStoreThatIsAwayMakesThePageStaleUntilItIsBack() throws Exception {
        stage.close();
        stage = new Stage("5s");
        Leadership first = stage.lead("worker-1", "invoices", "a");
        stage.open();
        stage.awaitRow("elections", "invoices", "worker-1");

        stage.faults.only("server").cutOff();

        stage.tab.await("a stale page", "document.body.dataset.trust === 'stale'");
        assertThat(stage.tab.text("headline.textContent")).matches("Stale since \\d\\d:\\d\\d:\\d\\d");
        assertThat(stage.tab.text("trust.textContent")).isEqualTo(stage.tab.text("headline.textContent"));
        assertThat(stage.tab.text("document.title")).startsWith("Stale");
        assertThat(stage.tab.text("document.querySelector('#elections .as-of').textContent"))
                .startsWith("as of ");
        stage.tab.await("how long", "/has not answered for \\d+ s/.test(lede.textContent)");
        // Ages stand still: what is not known any more does not go on. The clock beside them does.
        String before = stage.row("elections", "invoices");
        String words = stage.tab.text("lede.textContent");
        stage.tab.await("time to pass", "lede.textContent !== " + Stage.quoted(words));
        assertThat(stage.row("elections", "invoices")).isEqualTo(before);
        stage.tab.shoot("stale-light");
        stage.tab.looks("dark", false);
        stage.tab.shoot("stale-dark");

        first.close();
        stage.lead("worker-2", "invoices", "a");
        assertThat(stage.row("elections", "invoices")).isEqualTo(before);
        stage.faults.heal();

        stage.tab.await("a current page", "document.body.dataset.trust === 'current'");
        stage.awaitRow("elections", "invoices", "worker-2");
        assertThat(stage.tab.text("trust.textContent")).isEqualTo("Live");
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void aServerThatIsAwayMakesThePageStaleUntilItIsBack() throws Exception {
        Leadership first = stage.lead("worker-1", "invoices", "a");
        stage.open();
        stage.awaitRow("elections", "invoices", "worker-1");

        stage.stopServing();

        stage.tab.await("a stale page", "document.body.dataset.trust === 'stale'");
        assertThat(stage.tab.text("headline.textContent")).startsWith("Stale since ");
        stage.tab.await("the reason", "lede.textContent.startsWith('The server of this page does not answer')");
        stage.tab.await("a button", "!retry.hidden");
        String before = stage.row("elections", "invoices");
        stage.tab.shoot("cut");
        first.close();
        stage.lead("worker-2", "invoices", "a");
        assertThat(stage.row("elections", "invoices")).isEqualTo(before);
        stage.serveAgain();
        stage.tab.eval("retry.click()");

        stage.tab.await("a current page", "document.body.dataset.trust === 'current'");
        stage.awaitRow("elections", "invoices", "worker-2");
        assertThat(stage.tab.complaintsButOfTheNetwork()).isEmpty();
    }

    @Test
    void aThousandElectionsScrollAreFilteredAndAreNotDrawnAnewForOneChange() throws Exception {
        stage.leadMany("worker-1", "tenant-", 999);
        Leadership one = stage.lead("worker-1", "other", "a");
        stage.tab.before(
                "window.longTasks = []; new PerformanceObserver(list => longTasks.push(..."
                        + "list.getEntries().map(each => Math.round(each.duration)))).observe({ type: 'longtask', buffered: true });");
        stage.open();
        stage.tab.await("a thousand rows", "document.querySelectorAll('#elections tbody tr').length === 1000");
        stage.tab.shoot("thousand");
        // In natural order, and no heavier than a page may be.
        assertThat(stage.tab.text("[...document.querySelectorAll('#elections tbody .name')].slice(0, 4)"
                        + ".map(name => name.textContent).join()"))
                .isEqualTo("other,tenant-0,tenant-1,tenant-2");
        assertThat(stage.tab.number("document.querySelectorAll('*').length")).isLessThan(20_000);
        // Rows out of sight are skipped by layout.
        assertThat(stage.tab.text(
                        "getComputedStyle(document.querySelector('#elections tbody tr:last-child')).contentVisibility"))
                .isEqualTo("auto");

        stage.tab.eval("scrollTo(0, document.documentElement.scrollHeight)");
        stage.tab.await(
                "the last row in sight",
                "document.querySelector('#elections tbody tr:last-child').getBoundingClientRect().top < innerHeight");
        stage.tab.eval("scrollTo(0, 0)");

        // One change draws its own row and no other.
        stage.tab.eval("""
                window.touched = new Set();
                new MutationObserver(list => list.forEach(each => {
                    const row = (each.target.nodeType === 1 ? each.target : each.target.parentElement)?.closest("#elections tbody tr");
                    const isAge = each.target.parentElement?.closest(".age") || each.target.classList?.contains("age");
                    if (row && !isAge) touched.add(row.querySelector(".name").textContent);
                })).observe(document.querySelector("#elections tbody"),
                    { subtree: true, childList: true, characterData: true, attributes: true });
                """);
        one.close();
        stage.lead("worker-2", "other", "a");
        stage.awaitRow("elections", "other", "worker-2");
        assertThat(stage.tab.text("[...touched].join()")).isEqualTo("other");

        stage.tab.type("/");
        stage.tab.type("tenant-77");
        stage.tab.await("few rows", "found.textContent === '11 of 1,000 elections'");
        stage.tab.shoot("thousand-filtered");
        stage.tab.press("Escape");
        stage.tab.await("all rows", "document.querySelectorAll('#elections tbody tr:not([hidden])').length === 1000");
        System.out.println(
                "[page] long tasks with a thousand elections, in ms: " + stage.tab.text("longTasks.join(' ')"));
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void anEmptyStoreSaysWhatToDo() {
        stage.open();

        stage.tab.await("a headline", "headline.textContent === 'Nobody leads anything yet'");
        stage.tab.await(
                "four sentences",
                "[...document.querySelectorAll('.nothing')].filter(each => each.offsetParent).length === 4");
        assertThat(stage.tab.text("[...document.querySelectorAll('.nothing')].filter(each => each.offsetParent)"
                        + ".map(each => each.querySelector('code:last-child').textContent).join('\\n')"))
                .isEqualTo(String.join(
                        "\n",
                        List.of(
                                "mandate run --election hello -- sleep 60",
                                "mandate evict hello",
                                "mandate run --election hello --store '…?order=arrival' -- sleep 60",
                                "mandate register web --address 10.0.0.7:8080 -- sleep 60")));
        stage.tab.shoot("empty");
        assertThat(stage.tab.complaints()).isEmpty();
    }

    @Test
    void aStoreThatNeverAnsweredIsNotCalledEmpty() throws Exception {
        stage.faults.cutOff();
        stage.stopServing();
        stage.serveAgain();
        stage.tab.go(stage.uri());

        stage.tab.await("a word", "document.getElementById('lede')?.textContent === 'The store has not answered yet.'");
        assertThat(stage.tab.text(
                        "[...document.querySelectorAll('.nothing')].filter(each => each.offsetParent).length"))
                .isEqualTo("0");
        stage.faults.heal();
        stage.tab.await("a current page", "document.body.dataset.trust === 'current'");
        stage.tab.await("a headline", "headline.textContent === 'Nobody leads anything yet'");
    }
}
