package dev.mandate.peers.transport;

import dev.mandate.spi.Id;

/**
 * A process on the other side of a link.
 *
 * @param id where to send: {@code host:port} of a member as in the list, or {@code guest-…} for a guest
 * @param startId drawn anew at each start of that process; {@link Id#NONE} if it is not known
 * @param isMember whether it is a member; otherwise a guest
 */
public record Peer(String id, Id startId, boolean isMember) {}
