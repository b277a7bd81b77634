package dev.mandate.peers.transport;

import dev.mandate.peers.transport.Refusal.Kind;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Decides who may connect: by what the group agrees on, what is already connected, and what the listener wants. */
final class AdmissionPolicy {
    private final GroupCheck check;
    private final String ownName;
    private final int guestsMax;
    private final Function<String, @Nullable Link> links;
    private final IntSupplier guests;
    private final TransportListener listener;

    /**
     * A policy for links that change.
     *
     * @param links the link of that name; null if there is none
     * @param guests how many guests are connected
     */
    AdmissionPolicy(
            TransportSettings settings,
            Function<String, @Nullable Link> links,
            IntSupplier guests,
            TransportListener listener) {
        Introduction own = settings.introduction("");
        this.check = new GroupCheck(own);
        this.ownName = own.name();
        this.guestsMax = settings.limits().guests();
        this.links = links;
        this.guests = guests;
        this.listener = listener;
    }

    /** Decides about a process that this one dialled as {@code member}. */
    Admission ofDialled(String member) {
        return theirs -> check.dialled(member, theirs).or(() -> connecting(theirs));
    }

    /** Decides about a process that dialled this one. */
    Admission ofAccepted() {
        return theirs -> check.dialledBy(theirs).or(() -> connecting(theirs));
    }

    private Optional<Refusal> connecting(Introduction theirs) {
        Link link = links.apply(theirs.name());
        if (link == null && !theirs.isMember() && guests.getAsInt() >= guestsMax) {
            return Optional.of(new Refusal(
                    Kind.TOO_MANY_GUESTS,
                    ownName + " has " + guests.getAsInt() + " guests, as many as it takes; close some"));
        }
        if (link != null && link.isUp() && !link.peer().startId().equals(theirs.startId())) {
            return Optional.of(rivalled(link, theirs));
        }
        return listener.admit(theirs.peer()).map(sentence -> new Refusal(Kind.NOT_WANTED, sentence));
    }

    private static Refusal rivalled(Link link, Introduction theirs) {
        link.rivalled(theirs);
        Link.Rival rival = link.rival();
        if (rival != null && rival.isProven()) {
            return taken(link, theirs);
        }
        return new Refusal(
                Kind.SELF_BUSY,
                "another process is still connected as " + link.id() + "; checking whether it is alive");
    }

    /** Two live processes are the member of this link. */
    static Refusal taken(Link link, Introduction theirs) {
        return new Refusal(
                Kind.SELF_TAKEN,
                GroupCheck.taken(link.id(), link.peer().startId().toString(), theirs));
    }
}
