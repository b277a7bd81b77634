package dev.mandate.http.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.Leadership;
import dev.mandate.http.JsonTree;
import dev.mandate.registry.ServiceInstance;
import dev.mandate.registry.Status;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** For all eyes, hands and screens. */
@ResourceLock("chromium")
class ReachablePageIT {
    private static Stage stage;

    @BeforeAll
    static void aFullStore() throws Exception {
        stage = new Stage("10s");
        for (String name : List.of("invoices", "mail/outbox", "prices", "stock")) {
            stage.lead("worker-1", name, "10.0.0.7:8080");
        }
        Leadership first = stage.lead(stage.queued("queued-1"), "poller", "x");
        assertThat(first.isValid()).isTrue();
        stage.queued("queued-2")
                .election("poller")
                .runWhileLeader(
                        "y",
                        leadership -> leadership.ended().toCompletableFuture().join());
        var registry = stage.candidate("worker-1").registry();
        registry.register("web", ServiceInstance.at("10.0.0.7:8080").withId("web-1"));
        registry.register(
                "web", ServiceInstance.at("10.0.0.8:8080").withId("web-2").withStatus(Status.DOWN));
        registry.register(
                "web", ServiceInstance.at("10.0.0.9:8080").withId("web-3").withStatus(Status.OUT_OF_SERVICE));
        for (int i = 2; i < 16; i++) {
            stage.lead("worker-" + i % 5, "shipping", "10.0.0.9:8080").close();
        }
        stage.lead("worker-3", "shipping", "10.0.0.9:8080");
    }

    @AfterAll
    static void end() {
        stage.close();
    }

    @BeforeEach
    void aFullPage() throws Exception {
        stage.newTab();
        stage.open();
        stage.awaitRow("queues", "poller", "queued-2");
        stage.awaitRow("services", "web-3", "out of service");
        stage.awaitRow("elections", "shipping", "worker-3");
        stage.tab.await("take-overs", "!document.getElementById('all-take-overs').hidden");
    }

    @AfterEach
    void nothingIsComplainedOf() {
        assertThat(stage.tab.complaints()).isEmpty();
    }

    // ---- what a checker says ----

    /** What axe finds and calls serious or critical. */
    private List<String> findings() throws Exception {
        if (stage.tab.eval("typeof axe").equals("undefined")) {
            try (InputStream in = ReachablePageIT.class.getResourceAsStream("/axe.min.js")) {
                stage.tab.eval(new String(in.readAllBytes(), StandardCharsets.UTF_8) + ";0");
            }
        }
        List<String> found = new ArrayList<>();
        String answer = stage.tab.text(
                "axe.run(document, { resultTypes: ['violations'] }).then(all => JSON.stringify({"
                        + " rules: all.passes.length, violations: all.violations.map(each => ({ id: each.id, impact: each.impact,"
                        + " help: each.help, nodes: each.nodes.slice(0, 5).map(node => node.html + ' ' + node.failureSummary) })) }))");
        Map<String, Object> all = JsonTree.object(answer);
        assertThat((Long) all.get("rules")).as("rules that hold").isGreaterThan(20);
        for (Map<String, Object> each : JsonTree.maps(all.get("violations"))) {
            if (List.of("serious", "critical").contains(each.get("impact"))) {
                found.add(each.toString());
            } else {
                System.out.println("[page] axe, " + each.get("impact") + ": " + each);
            }
        }
        return found;
    }

    /** Without what is fading: a colour on its way is nobody's choice. */
    private void awaitRest() {
        stage.tab.await("rest", "document.getAnimations().length === 0");
    }

    @Test
    void axeFindsNothingSeriousInTheLight() throws Exception {
        awaitRest();
        stage.tab.shoot("light");
        assertThat(findings()).isEmpty();
    }

    @Test
    void axeFindsNothingSeriousInTheDark() throws Exception {
        stage.tab.looks("dark", true);
        awaitRest();
        stage.tab.shoot("dark");
        assertThat(findings()).isEmpty();
    }

    @Test
    void axeFindsNothingSeriousOnAStalePage() throws Exception {
        try {
            stage.faults.only("server").cutOff();
            stage.tab.await("a stale page", "document.body.dataset.trust === 'stale'");
            awaitRest();
            assertThat(findings()).isEmpty();
            stage.tab.looks("dark", false);
            assertThat(findings()).isEmpty();
        } finally {
            stage.faults.heal();
        }
        stage.tab.await("a current page", "document.body.dataset.trust === 'current'");
    }

    @Test
    void axeFindsNothingSeriousOnANarrowPageWithAVacantElection() throws Exception {
        Leadership nightly = stage.lead("worker-1", "nightly", "x");
        stage.awaitRow("elections", "nightly", "worker-1");
        nightly.close();
        stage.awaitRow("elections", "nightly", "no leader");
        stage.tab.size(320, 900);
        awaitRest();
        assertThat(findings()).isEmpty();
    }

    // ---- hands ----

    private String focused() {
        return stage.tab.text("(() => { const at = document.activeElement;"
                + " return at.id || at.getAttribute('href') || at.tagName.toLowerCase(); })()");
    }

    @Test
    void everythingIsReachedByKeyboardAndShowsWhereItIs() {
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            stage.tab.press("Tab");
            order.add(focused());
            assertThat(
                            stage.tab.text(
                                    "(() => { const at = document.activeElement, style = getComputedStyle(at);"
                                            + " const box = at.getBoundingClientRect();"
                                            + " return style.outlineStyle !== 'none' && box.width > 0 && box.top >= 0 && box.bottom <= innerHeight; })()"))
                    .as("the focus on " + focused() + " can be seen")
                    .isEqualTo("true");
            if (focused().equals("summary")) {
                break;
            }
        }
        assertThat(order)
                .startsWith("#elections", "#elections", "#take-overs", "#queues", "#services", "filter")
                .endsWith("summary")
                .contains("all-take-overs");
    }

    @Test
    void aServiceOpensAndClosesByKeyboard() {
        stage.tab.eval("document.querySelector('.service summary').focus()");
        stage.tab.press("Enter");
        stage.tab.await("a closed service", "!document.querySelector('.service').open");
        stage.tab.press("Enter");
        stage.awaitRow("services", "web-1", "passing");
    }

    @Test
    void allTakeOversAreShownByKeyboard() {
        assertThat(stage.tab.number("document.querySelectorAll('#take-overs tbody tr:not([hidden])').length"))
                .isEqualTo(12);
        stage.tab.eval("document.getElementById('all-take-overs').focus()");
        stage.tab.press("Enter");
        stage.tab.await("all", "document.querySelectorAll('#take-overs tbody tr:not([hidden])').length >= 15");
        assertThat(focused()).isEqualTo("all-take-overs");
    }

    @Test
    void aLinkLeadsToItsSectionWithTheFocus() {
        stage.tab.press("Tab");
        stage.tab.press("Enter");
        stage.tab.await("the elections", "document.activeElement.id === 'elections'");
        assertThat(
                        stage.tab.text(
                                "(() => { const bar = document.querySelector('.bar').getBoundingClientRect();"
                                        + " return document.querySelector('#elections h2').getBoundingClientRect().top >= bar.bottom; })()"))
                .isEqualTo("true");
    }

    @Test
    void slashFindsTheFilterAndEscapeClearsAndLeavesIt() {
        stage.tab.type("/");
        assertThat(focused()).isEqualTo("filter");
        assertThat(stage.tab.text("filter.value")).isEmpty();
        stage.tab.type("PRI/");
        stage.tab.await("nothing", "/^0 of \\d elections$/.test(found.textContent)");
        assertThat(stage.tab.text(
                        "[...document.querySelectorAll('.unmatched')].filter(each => each.offsetParent).length"))
                .isEqualTo("4");
        stage.tab.press("Escape");
        stage.tab.type("PRI");
        stage.tab.await("one", "/^1 of \\d elections$/.test(found.textContent)");
        assertThat(stage.row("elections", "prices")).isNotEmpty();
        assertThat(stage.tab.text("location.search")).isEqualTo("?filter=PRI");

        stage.tab.press("Escape");
        stage.tab.await("all", "found.textContent === ''");
        assertThat(focused()).isEqualTo("filter");
        assertThat(stage.tab.text("location.search")).isEmpty();
        stage.tab.press("Escape");
        assertThat(focused()).isEqualTo("body");
    }

    @Test
    void aFilterInTheAddressIsKept() {
        stage.open("?filter=web-2");
        stage.tab.await("one service", "document.querySelectorAll('.service:not([hidden])').length === 1");
        assertThat(stage.tab.text("filter.value")).isEqualTo("web-2");
        stage.tab.await("no election", "/^0 of \\d elections$/.test(found.textContent)");
    }

    // ---- screens ----

    @Test
    void nothingScrollsSidewaysOnAnyScreen() {
        for (int width : List.of(320, 360, 480, 768, 1024, 1280, 1440, 1920, 2560, 3840)) {
            stage.tab.size(width, width < 500 ? 900 : width * 9 / 16);
            stage.tab.await("a page laid out", "document.documentElement.clientWidth === " + width);
            stage.tab.shoot("width-" + width);
            assertThat(stage.tab.number("document.documentElement.scrollWidth"))
                    .as("width of the page on a screen of " + width)
                    .isEqualTo(width);
            assertThat(stage.tab.text("[...document.querySelectorAll('main *, header *')].filter(each => {"
                            + " const box = each.getBoundingClientRect();"
                            + " return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && !each.closest('svg'); })"
                            + ".map(each => each.outerHTML.slice(0, 80)).join('\\n')"))
                    .as("what sticks out on a screen of " + width)
                    .isEmpty();
        }
    }

    @Test
    void whoWantsLessMotionGetsNone() throws Exception {
        stage.tab.looks("light", true);
        awaitRest();
        stage.lead("worker-1", "calm", "x");
        stage.awaitRow("elections", "calm", "worker-1");
        assertThat(stage.tab.number("document.getAnimations().length")).isZero();
    }
}
