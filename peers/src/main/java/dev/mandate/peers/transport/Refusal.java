package dev.mandate.peers.transport;

import dev.mandate.spi.Excerpt;
import java.util.Arrays;
import java.util.Optional;

/**
 * Why two processes do not talk to each other.
 *
 * @param kind what to do about it
 * @param sentence for people: what differs, with both values, and what to do; one line, never a secret
 */
public record Refusal(Kind kind, String sentence) {
    /** The longest sentence, in characters; a longer one is cut. Two lists of the largest group fit. */
    public static final int SENTENCE_MAX = 18_000;

    /** What kind of trouble it is. */
    public enum Kind {
        /** The secrets differ, or the other side is a stranger. Says no more, so that strangers learn nothing. */
        SECRET(1),
        /** The other side speaks another version of this protocol. */
        VERSION(2),
        /** The lists of members differ, in names or order. */
        LIST_DIFFERS(3),
        /** The lists agree, but the other terms of the group do not. Compared among members only. */
        TERMS_DIFFER(4),
        /** It claims to be a member that its own list does not have. */
        SELF_UNLISTED(5),
        /** Two live processes claim to be the same member: both have answered. */
        SELF_TAKEN(6),
        /** A member's former process still seems connected; it is asked, and the new one gets in if it is silent. */
        SELF_BUSY(7),
        /** The address dialled led to another member, or to a guest. */
        OTHER_MEMBER(8),
        /** The address dialled led back to the process that dialled. */
        ITSELF(9),
        /** The most guests are connected already. */
        TOO_MANY_GUESTS(10),
        /** The listener refused it. */
        NOT_WANTED(11);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        byte code() {
            return code;
        }

        static Optional<Kind> of(byte code) {
            return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
        }
    }

    /** Makes the sentence fit on a line: see {@link Excerpt#line}. */
    public Refusal {
        sentence = Excerpt.line(sentence, SENTENCE_MAX);
    }
}
