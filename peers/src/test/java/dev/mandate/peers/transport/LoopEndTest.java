package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LoopEndTest {
    /** A socket that cannot be closed in order. */
    private static final class Broken extends AbstractSelectableChannel {
        boolean isAsked;

        Broken() {
            super(SelectorProvider.provider());
        }

        @Override
        protected void implCloseSelectableChannel() throws IOException {
            isAsked = true;
            throw new IOException("of a test");
        }

        @Override
        protected void implConfigureBlocking(boolean block) {}

        @Override
        public int validOps() {
            return SelectionKey.OP_READ;
        }
    }

    private static final class Key extends AbstractSelectionKey {
        private final SelectableChannel channel;

        Key(SelectableChannel channel) {
            this.channel = channel;
        }

        @Override
        public SelectableChannel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int interestOps() {
            return 0;
        }

        @Override
        public SelectionKey interestOps(int operations) {
            return this;
        }

        @Override
        public int readyOps() {
            return 0;
        }
    }

    private static final class Sockets extends AbstractSelector {
        final Set<SelectionKey> keys = new LinkedHashSet<>();

        Sockets() {
            super(SelectorProvider.provider());
        }

        @Override
        public Set<SelectionKey> keys() {
            return keys;
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return Set.of();
        }

        @Override
        public int select() {
            return 0;
        }

        @Override
        public int select(long millis) {
            return 0;
        }

        @Override
        public int selectNow() {
            return 0;
        }

        @Override
        public Selector wakeup() {
            return this;
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseSelector() {}
    }

    @Test
    void aSocketThatCannotBeClosedLeavesNoOtherOneOpen() {
        Broken first = new Broken();
        Broken second = new Broken();
        Sockets sockets = new Sockets();
        sockets.keys.add(new Key(first));
        sockets.keys.add(new Key(second));

        new SelectorLoop(sockets, "mandate-loop-end-test", () -> {}, () -> {}).discard();

        assertThat(first.isAsked).isTrue();
        assertThat(second.isAsked).isTrue();
        assertThat(sockets.isOpen()).isFalse();
    }
}
