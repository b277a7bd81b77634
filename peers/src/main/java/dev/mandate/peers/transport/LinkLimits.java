package dev.mandate.peers.transport;

/**
 * What a transport holds at most. All are at least 1.
 *
 * @param queuedFrames how many payloads wait for one member
 * @param queuedBytes how many bytes of payloads wait for one member; room for the longest payload at least
 * @param guestBytes how many bytes of payloads wait for all guests together
 * @param guests how many guests are connected at a time
 * @param strangers how many accepted connections may be unauthenticated; each buffers 9 KiB at most, and nothing while
 *     it is silent. Beyond that, the oldest connection of the address with the most of them is closed
 * @param partialBytes how many bytes of incomplete frames of strangers and guests are buffered; members don't count, as
 *     each has at most two frames
 */
public record LinkLimits(
        int queuedFrames, long queuedBytes, long guestBytes, int guests, int strangers, long partialBytes) {
    private static final int MIB = 1 << 20;

    /**
     * @throws IllegalArgumentException if a value is too small; names it, its value and the bound
     */
    public LinkLimits {
        require("queuedFrames", queuedFrames, 1);
        require("queuedBytes", queuedBytes, Transport.PAYLOAD_MAX);
        require("guestBytes", guestBytes, Transport.PAYLOAD_MAX);
        require("guests", guests, 1);
        require("strangers", strangers, 1);
        require("partialBytes", partialBytes, 2L * Transport.PAYLOAD_MAX);
    }

    /** 8,192 frames and 8 MiB for each member, 256 guests with 32 MiB, 512 strangers, and 64 MiB of partial frames. */
    public static LinkLimits defaults() {
        return new LinkLimits(8_192, 8L * MIB, 32L * MIB, 256, 512, 64L * MIB);
    }

    private static void require(String name, long value, long min) {
        if (value < min) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be at least " + min);
        }
    }
}
