package dev.mandate.peers.order;

import dev.mandate.spi.RecordKey;

/** What members tell each other about the order of one election. {@link OrderCodec} writes it as bytes. */
public sealed interface OrderMessage {
    /** The election. */
    RecordKey key();

    /**
     * Bully: asks whether a member named later campaigns.
     *
     * @param round drawn by the sender, and sent back in answers
     */
    record Election(RecordKey key, long round) implements OrderMessage {}

    /** Bully: the answer to {@link Election} of a member that campaigns. */
    record Alive(RecordKey key, long round) implements OrderMessage {}

    /** Bully: the answer to {@link Election} of a member that does not campaign. In the textbook all members do. */
    record Pass(RecordKey key, long round) implements OrderMessage {}

    /** Bully: no member named later answered the sender. It tries first; the register decides. */
    record Coordinator(RecordKey key) implements OrderMessage {}

    /**
     * Bully with {@code preempt=true}: the leader of {@code term} should leave if it is named before the sender.
     *
     * @param term more than 0
     */
    record Preempt(RecordKey key, long term) implements OrderMessage {}

    /**
     * Ring: goes along the members to its starter. The first lap collects those that campaign, the second tells them.
     *
     * @param round drawn by the starter
     * @param starter the member that started this lap
     * @param announcing whether this is the second lap
     * @param campaigning a bit for each member that campaigns
     */
    record Token(RecordKey key, long round, int starter, boolean announcing, long campaigning) implements OrderMessage {
        Token with(long others) {
            return new Token(key, round, starter, announcing, campaigning | others);
        }
    }

    /** Ring: {@link Token} has arrived, and its receiver will send it on. */
    record TokenArrived(RecordKey key, long round, int starter, boolean announcing) implements OrderMessage {}
}
