package dev.mandate.camel;

import java.util.function.BooleanSupplier;
import org.apache.camel.Exchange;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.apache.camel.main.Main;
import org.apache.camel.model.RouteDefinition;

/**
 * One Camel context in a JVM of its own, which consumes the files of a folder while it leads. Says on stdout what it
 * does, and ends gracefully on SIGTERM.
 */
final class ClusterNode {
    static final String NAMESPACE = "inbox";

    /** What one file takes. */
    private static final long WORK_MILLIS = 15;

    private ClusterNode() {}

    /** Arguments: {@code policy}, {@code guarded} or {@code master}; the node's id; the store's URL; the folder. */
    public static void main(String[] arguments) throws Exception {
        String way = arguments[0];
        MandateClusterService cluster = new MandateClusterService(arguments[1], arguments[2]);
        Main main = new Main();
        main.bind("cluster", cluster);
        main.configure()
                .addRoutesBuilder(routes(
                        way,
                        cluster,
                        "file:" + arguments[3] + "?move=.done&initialDelay=0&delay=50&maxMessagesPerPoll=20"));
        reportChanges("leads", () -> cluster.isLeader(NAMESPACE));
        main.run();
    }

    private static RoutesBuilder routes(String way, MandateClusterService cluster, String uri) {
        return new RouteBuilder() {
            @Override
            public void configure() throws Exception {
                RouteDefinition route = way.equals("master")
                        ? from("master:" + NAMESPACE + ":" + uri)
                        : from(uri).routePolicy(ClusteredRoutePolicy.forNamespace(NAMESPACE));
                if (way.equals("guarded")) {
                    route.process(e -> cluster.leadership(NAMESPACE)
                            .orElseThrow(() -> new IllegalStateException("not the leader"))
                            .ensureValid());
                }
                route.process(ClusterNode::work);
            }
        };
    }

    private static void work(Exchange exchange) throws InterruptedException {
        String file = exchange.getMessage().getHeader(Exchange.FILE_NAME, String.class);
        say("begin " + file);
        Thread.sleep(WORK_MILLIS);
        say("done " + file);
    }

    private static void reportChanges(String what, BooleanSupplier state) {
        Thread reporter = new Thread(() -> {
            boolean last = false;
            while (true) {
                boolean now = state.getAsBoolean();
                if (now != last) {
                    say(what + " " + now);
                    last = now;
                }
                java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
            }
        });
        reporter.setDaemon(true);
        reporter.start();
    }

    /** In one write, so that a kill leaves no half of a line. */
    private static synchronized void say(String what) {
        byte[] line = (System.nanoTime() + " " + what + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8);
        System.out.write(line, 0, line.length);
        System.out.flush();
    }
}
