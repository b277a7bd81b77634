package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SendQueueTest {
    private final AtomicLong shared = new AtomicLong();
    private final SendQueue queue = new SendQueue(3, 100, shared, 150);

    private static byte[] bytes(int length) {
        return new byte[length];
    }

    private boolean offer(int length) {
        return queue.offer(bytes(length), () -> true);
    }

    @Test
    void aQueueThatIsShutTakesNothing() {
        assertThat(offer(1)).isFalse();
        assertThat(queue.dropped()).isEqualTo(1);
    }

    @Test
    void framesAndBytesAreBoundedAndWhatIsTooMuchIsCounted() {
        queue.open();
        assertThat(offer(60)).isTrue();
        assertThat(offer(41)).isFalse();
        assertThat(offer(40)).isTrue();
        assertThat(offer(0)).isTrue();
        assertThat(offer(0)).isFalse();
        assertThat(queue.dropped()).isEqualTo(2);
        queue.pop();
        assertThat(queue.bytes()).isEqualTo(40);
        assertThat(offer(60)).isTrue();
    }

    @Test
    void queuesShareABound() {
        SendQueue other = new SendQueue(3, 100, shared, 150);
        queue.open();
        other.open();
        assertThat(offer(100)).isTrue();
        assertThat(other.offer(bytes(51), () -> true)).isFalse();
        assertThat(other.offer(bytes(50), () -> true)).isTrue();
        queue.shut();
        assertThat(shared).hasValue(50);
        assertThat(other.offer(bytes(50), () -> true)).isTrue();
    }

    @Test
    void whatWaitedIsDroppedWhenItIsShut() {
        queue.open();
        offer(10);
        offer(10);
        queue.shut();
        queue.open();
        assertThat(queue.peek()).isNull();
        assertThat(queue.dropped()).isEqualTo(2);
        assertThat(shared).hasValue(0);
    }

    @Test
    void whatMayNotLeaveAnyMoreIsSkipped() {
        queue.open();
        queue.offer(bytes(1), () -> false);
        queue.offer(bytes(2), () -> {
            throw new IllegalStateException("of a test");
        });
        queue.offer(bytes(3), () -> true);
        assertThat(queue.peek()).hasSize(3);
        assertThat(queue.dropped()).isEqualTo(2);
        queue.pop();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(shared).hasValue(0);
    }
}
