package dev.mandate.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.http.Board.Kind;
import dev.mandate.http.Events.Health;
import java.io.EOFException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** The streams without a server, and their thread is this one. */
class StreamsTest {
    private static final Error MISTAKE = new LinkageError("a mistake");

    private final Board board = new Board(2);
    private final Deque<Runnable> work = new ArrayDeque<>();
    private boolean isHealthBroken;
    private final Streams streams =
            new Streams(work::add, board, new Events(board, "memory:x"), this::health, new Peers(System::nanoTime));

    private Health health() {
        if (isHealthBroken) {
            throw MISTAKE;
        }
        return new Health(false, 1, 2);
    }

    /** One who reads a stream. */
    private final class Reader implements Callback {
        final StringBuilder read = new StringBuilder();
        int writes;
        boolean isSlow;
        boolean isBroken;
        Callback writing;
        Throwable why;

        Reader open() {
            ConnectionMetaData connection = proxy(ConnectionMetaData.class, (self, method, arguments) -> null);
            Request request = proxy(Request.class, (self, method, arguments) -> connection);
            Response response = proxy(Response.class, (self, method, arguments) -> {
                write((ByteBuffer) arguments[1], (Callback) arguments[2]);
                return null;
            });
            streams.open(request, response, this);
            return this;
        }

        private void write(ByteBuffer bytes, Callback written) {
            if (isBroken) {
                throw MISTAKE;
            }
            writes++;
            read.append(StandardCharsets.US_ASCII.decode(bytes));
            if (isSlow) {
                writing = written;
            } else {
                written.succeeded();
            }
        }

        @Override
        public void failed(Throwable cause) {
            why = cause;
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(StreamsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private void put(String name, int bytes) {
        board.put(Kind.ELECTION, name, json -> json.writeStringField(name, "x".repeat(bytes)));
    }

    private void goes(String name) {
        board.put(Kind.ELECTION, name, null);
    }

    /** All there is to do. */
    private void work() {
        for (int i = 0; !work.isEmpty(); i++) {
            assertThat(i).as("it has no end").isLessThan(1_000);
            work.poll().run();
        }
    }

    @Test
    void whoBeginsAfterSomethingWentIsToldOfItOnceAndOfWhatComes() {
        put("a", 1);
        put("b", 1);
        goes("b");
        streams.tick();

        Reader reader = new Reader().open();
        work();
        int writes = reader.writes;
        put("c", 1);
        streams.wake();
        work();

        assertThat(reader.writes).isEqualTo(writes + 1);
        assertThat(reader.read.toString()).contains("\"a\"", "\"c\"").doesNotContain("\"b\"");
    }

    @Test
    void nothingIsWrittenWhereThereIsNothingToTell() {
        put("a", 1);
        Reader reader = new Reader().open();
        work();
        int writes = reader.writes;

        board.put(Kind.TAKE_OVER, "1", json -> {});
        board.drop(Kind.TAKE_OVER, "1");
        streams.wake();
        work();

        assertThat(reader.writes).isEqualTo(writes);
    }

    @Test
    void aSnapshotInPiecesIsFinishedHoweverMuchWentBeforeIt() {
        for (int i = 0; i < 8; i++) {
            put("large" + i, 1_000_000);
        }
        for (String each : new String[] {"x", "y", "z"}) {
            put(each, 1);
            goes(each);
        }

        Reader reader = new Reader().open();
        work();

        assertThat(board.forgotten()).isPositive();
        assertThat(reader.why).isNull();
        for (int i = 0; i < 8; i++) {
            assertThat(reader.read.toString()).contains("\"large" + i + "\"");
        }
    }

    @Test
    void whoMissedMoreThanIsRememberedBeginsAgain() {
        for (String each : new String[] {"x", "y", "z"}) {
            put(each, 1);
        }
        Reader reader = new Reader();
        reader.isSlow = true;
        reader.open();
        work();
        for (String each : new String[] {"x", "y", "z"}) {
            goes(each);
        }
        reader.isSlow = false;
        reader.writing.succeeded();
        work();

        assertThat(reader.why).isInstanceOf(EOFException.class);
    }

    @Test
    void whoMissesTooMuchWhileAnotherIsToldBeginsAgain() {
        for (String each : new String[] {"x", "y", "z"}) {
            put(each, 1);
        }
        new Reader().open();
        Reader behind = new Reader();
        behind.isSlow = true;
        behind.open();
        work();
        behind.isSlow = false;
        put("d", 1);
        streams.wake();
        work();

        // They go while the first is told, before the second is.
        board.put(Kind.ELECTION, "slow", json -> {
            for (String each : new String[] {"x", "y", "z"}) {
                goes(each);
            }
        });
        behind.writing.succeeded();
        work();

        assertThat(behind.why).isInstanceOf(EOFException.class);
    }

    @Test
    void aStreamThatCannotBeginIsFailedAndLeavesNothing() {
        isHealthBroken = true;
        Reader reader = new Reader().open();
        work();
        isHealthBroken = false;
        put("a", 1);
        goes("a");
        streams.tick();

        assertThat(reader.why).isSameAs(MISTAKE);
        assertThat(board.after(0, 10)).isEmpty();
    }

    @Test
    void aStreamThatFailsDoesNotKeepTheOthersFromBeingTold() {
        Reader broken = new Reader().open();
        Reader sound = new Reader().open();
        work();

        broken.isBroken = true;
        put("a", 1);
        streams.wake();
        work();

        assertThat(broken.why).isSameAs(MISTAKE);
        assertThat(sound.read.toString()).contains("\"a\"");
    }

    @Test
    void aWriteThatFailsBehindAnotherIsTold() {
        Reader reader = new Reader();
        reader.isSlow = true;
        reader.open();
        work();

        reader.isBroken = true;
        reader.writing.succeeded();
        work();

        assertThat(reader.why).isSameAs(MISTAKE);
    }

    @Test
    void theEndIsToldToAllWhicheverFails() {
        Reader broken = new Reader().open();
        Reader sound = new Reader().open();
        work();
        int writes = sound.writes;

        broken.isBroken = true;
        streams.end();

        assertThat(broken.why).isSameAs(MISTAKE);
        assertThat(sound.writes).isEqualTo(writes + 1);
    }
}
