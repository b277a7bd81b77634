package dev.mandate.peers.transport;

import dev.mandate.spi.Id;
import java.time.Duration;

/**
 * The status of one link, for people.
 *
 * @param id the member, {@code host:port}, or the guest
 * @param isMember whether it is a member
 * @param isUp whether there is an authenticated connection
 * @param since how long it has been up, or down
 * @param startId of the process on the other side when it was last up; {@link Id#NONE} if it never was
 * @param address of the other side as this machine last saw it; empty if it never did
 * @param trouble the last problem, one line; empty if there was none. Stays when the link is up again
 * @param sent how many payloads were sent
 * @param received how many payloads came
 * @param dropped how many payloads were dropped: there was no connection or no room, or they must not leave any more
 */
public record LinkStatus(
        String id,
        boolean isMember,
        boolean isUp,
        Duration since,
        Id startId,
        String address,
        String trouble,
        long sent,
        long received,
        long dropped) {}
