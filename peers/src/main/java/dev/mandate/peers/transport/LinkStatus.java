package dev.mandate.peers.transport;

import dev.mandate.spi.Id;
import java.time.Duration;

/**
 * How one link is doing, for people.
 *
 * @param id the member, {@code host:port}, or the guest
 * @param isMember whether it is a member
 * @param isUp whether there is a connection that is authenticated
 * @param since for how long it has been up, or down
 * @param startId of the process on the other side when it was up last; {@link Id#NONE} if it never was
 * @param address of the other side as this machine saw it last; empty if it never did
 * @param trouble what went wrong last, one line; empty if nothing did. Stays when the link is up again
 * @param sent how many payloads were sent
 * @param received how many payloads came
 * @param dropped how many payloads were dropped, for want of a connection or of room, or because they might not leave
 *     any more
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
