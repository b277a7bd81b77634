package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.junit.jupiter.api.Test;

class PeersTest {
    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong nanos = new AtomicLong();
    private final Peers peers = new Peers(nanos::get);
    private final List<String> closed = new ArrayList<>();

    private Connection connection(String name) {
        EndPoint end = (EndPoint) Proxy.newProxyInstance(
                PeersTest.class.getClassLoader(), new Class<?>[] {EndPoint.class}, (self, method, arguments) -> {
                    closed.add(method.getName().equals("close") ? name : method.getName());
                    return null;
                });
        return (Connection) Proxy.newProxyInstance(
                PeersTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "getEndPoint" -> end;
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> arguments != null && self == arguments[0];
                    default -> name;
                });
    }

    private Connection opened(String name) {
        Connection connection = connection(name);
        peers.onOpened(connection);
        return connection;
    }

    private void passing(long seconds) {
        nanos.addAndGet(seconds * SECOND);
        peers.sweep();
    }

    @Test
    void whoSendsNoWholeRequestIsClosedAfterTenSeconds() {
        opened("silent");
        passing(9);
        opened("later");
        assertThat(closed).isEmpty();

        passing(1);

        assertThat(closed).containsExactly("silent");
        assertThat(peers.count()).isEqualTo(1);
    }

    @Test
    void whoReadsAStreamIsWaitedForOnlyWhileSomethingIsWritten() {
        Connection stream = opened("stream");
        peers.begins(stream);
        peers.wrote(stream);
        passing(100);
        assertThat(closed).isEmpty();

        peers.waits(stream);
        passing(9);
        peers.wrote(stream);
        passing(100);
        assertThat(closed).isEmpty();

        peers.waits(stream);
        passing(10);
        assertThat(closed).containsExactly("stream");
    }

    @Test
    void whoDoesNotTakeAnAnswerIsClosedAfterTenSeconds() {
        peers.begins(opened("slow"));
        passing(9);
        assertThat(closed).isEmpty();

        passing(1);

        assertThat(closed).containsExactly("slow");
    }

    @Test
    void anAnswerBeginsTheTimeAnew() {
        Connection connection = opened("kept");
        passing(8);
        peers.begins(connection);
        peers.ends(connection);
        passing(8);
        assertThat(closed).isEmpty();

        passing(2);

        assertThat(closed).containsExactly("kept");
    }

    @Test
    void oneTooManyTakesThePlaceOfTheOneThatWasIdleForLongest() {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < Peers.MOST; i++) {
            all.add(opened("c" + i));
            nanos.incrementAndGet();
        }
        peers.begins(all.get(0));
        peers.begins(all.get(1));
        peers.ends(all.get(1));

        opened("new");

        assertThat(closed).containsExactly("c2");
        assertThat(peers.count()).isEqualTo(Peers.MOST);
    }

    @Test
    void whereAllAreBusyTheNewOneIsClosed() {
        for (int i = 0; i < Peers.MOST; i++) {
            peers.begins(opened("c" + i));
        }

        opened("new");

        assertThat(closed).containsExactly("new");
    }

    @Test
    void onAServerThatTellsOfNoConnectionsThoseWithARequestAreKnown() {
        Connection visitor = connection("visitor");
        peers.begins(visitor);
        peers.wrote(visitor);
        passing(100);
        peers.waits(visitor);
        peers.wrote(visitor);
        peers.ends(visitor);
        passing(100);

        assertThat(closed).isEmpty();
        assertThat(peers.count()).isZero();
    }

    @Test
    void whoClosesIsForgotten() {
        Connection gone = opened("gone");
        peers.onClosed(gone);
        peers.ends(gone);
        passing(100);

        assertThat(closed).isEmpty();
    }
}
