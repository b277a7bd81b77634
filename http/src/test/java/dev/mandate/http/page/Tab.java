package dev.mandate.http.page;

import dev.mandate.http.JsonTree;
import dev.mandate.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A tab of the browser, and all that it complains of. One at a time: what is not in front draws nothing.
 */
final class Tab implements AutoCloseable {
    static final Duration PLENTY = Duration.ofSeconds(60);

    private final Chromium browser;
    private final String target;
    private final String session;
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final Consumer<Map<String, Object>> listener = this::heard;

    private Tab(Chromium browser, String target, String session) {
        this.browser = browser;
        this.target = target;
        this.session = session;
    }

    /** An empty one of 1440 by 900 pixels. */
    static Tab open() throws IOException {
        Chromium browser = Chromium.shared();
        String target = String.valueOf(browser.send("", "Target.createTarget", Map.of("url", "about:blank"))
                .get("targetId"));
        String session =
                String.valueOf(browser.send("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                        .get("sessionId"));
        Tab tab = new Tab(browser, target, session);
        browser.onEvent(tab.listener);
        List.of("Page.enable", "Runtime.enable", "Log.enable").forEach(each -> tab.send(each, Map.of()));
        tab.size(1440, 900);
        tab.looks("light", false);
        return tab;
    }

    private Map<String, Object> send(String method, Map<String, ?> parameters) {
        return browser.send(session, method, parameters);
    }

    private void heard(Map<String, Object> event) {
        if (!session.equals(event.get("sessionId"))) {
            return;
        }
        Map<String, Object> what = JsonTree.map(event.get("params"));
        switch (String.valueOf(event.get("method"))) {
            case "Runtime.exceptionThrown" -> complaints.add(String.valueOf(what.get("exceptionDetails")));
            case "Runtime.consoleAPICalled" -> complaints.add(what.get("type") + ": " + what.get("args"));
            case "Log.entryAdded" -> {
                Map<String, Object> entry = JsonTree.map(what.get("entry"));
                if (!"verbose".equals(entry.get("level"))) {
                    complaints.add(entry.get("source") + ": " + entry.get("text") + " " + entry.get("url"));
                }
            }
            default -> {}
        }
    }

    /** Exceptions, what was written to the console, and what the browser wrote there: all of them lapses. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Those that tell no more than that this server was away. */
    List<String> complaintsButOfTheNetwork() {
        return complaints.stream()
                .filter(each -> !(each.startsWith("network: ") && each.endsWith("/v1/events")))
                .toList();
    }

    // ---- how it looks ----

    void size(int width, int height) {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    void looks(String scheme, boolean isMotionReduced) {
        send(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of("name", "prefers-color-scheme", "value", scheme),
                                Map.of(
                                        "name",
                                        "prefers-reduced-motion",
                                        "value",
                                        isMotionReduced ? "reduce" : "no-preference"))));
    }

    /** Keeps a picture of what is in sight. */
    void shoot(String name) {
        Screenshots.keep(
                name,
                String.valueOf(
                        send("Page.captureScreenshot", Map.of("format", "png")).get("data")));
    }

    // ---- what it does ----

    /** Runs this before any script of the pages that are opened later. */
    void before(String script) {
        send("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
    }

    void go(URI uri) {
        send("Page.navigate", Map.of("url", uri.toString()));
    }

    /** The value of an expression, or of the promise that it is. */
    Object eval(String expression) {
        Map<String, Object> answer =
                send("Runtime.evaluate", Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
        if (answer.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
        }
        return JsonTree.map(answer.get("result")).get("value");
    }

    long number(String expression) {
        return (Long) eval("Math.round(" + expression + ")");
    }

    String text(String expression) {
        return String.valueOf(eval(expression));
    }

    /** Waits until an expression is true; one that fails is not, yet. */
    void await(String what, String expression) {
        try {
            Await.until(
                    what,
                    PLENTY,
                    () -> Boolean.TRUE.equals(
                            eval("(() => { try { return Boolean(" + expression + "); } catch { return false; } })()")));
        } catch (AssertionError e) {
            shoot("failed");
            throw new AssertionError(
                    e.getMessage() + "; complaints: " + complaints + "; the page says: "
                            + text("document.body.innerText.slice(0, 3000)"),
                    e);
        }
    }

    // ---- its keyboard ----

    /** Presses a key that writes nothing: {@code Tab}, {@code Enter}, {@code Escape}, {@code End}. */
    void press(String key) {
        int code = switch (key) {
            case "Tab" -> 9;
            case "Enter" -> 13;
            case "Escape" -> 27;
            case "End" -> 35;
            case "Home" -> 36;
            default -> throw new IllegalArgumentException(key);
        };
        Map<String, Object> down = new java.util.HashMap<>(
                Map.of("type", "keyDown", "key", key, "code", key, "windowsVirtualKeyCode", code));
        if (key.equals("Enter")) {
            down.put("text", "\r");
        }
        send("Input.dispatchKeyEvent", down);
        send("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "code", key, "windowsVirtualKeyCode", code));
    }

    void type(String text) {
        for (char each : text.toCharArray()) {
            String key = String.valueOf(each);
            send("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key, "text", key));
            send("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
        }
    }

    @Override
    public void close() {
        browser.forget(listener);
        browser.send("", "Target.closeTarget", Map.of("targetId", target));
    }
}
