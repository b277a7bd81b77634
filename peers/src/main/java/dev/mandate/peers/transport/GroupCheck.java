package dev.mandate.peers.transport;

import dev.mandate.peers.transport.Refusal.Kind;
import java.util.List;
import java.util.Optional;

/**
 * What two processes must agree on before they exchange anything: the list of members, each one's identity, and, among
 * members, the terms. Pure.
 */
final class GroupCheck {
    private final Introduction own;
    private final List<String> members;

    GroupCheck(Introduction own) {
        this.own = own;
        this.members = List.of(own.members().split(","));
    }

    /** Checks a process that dialled this one. */
    Optional<Refusal> dialledBy(Introduction theirs) {
        if (!theirs.startId().equals(own.startId())
                && theirs.members().equals(own.members())
                && !theirs.to().equals(own.self())) {
            return refused(
                    Kind.OTHER_MEMBER,
                    theirs.name() + " dialled " + theirs.to() + " and reached " + own.self()
                            + "; make the name resolve to its own member");
        }
        return judge(theirs);
    }

    /** Checks a process that this one dialled. */
    Optional<Refusal> dialled(String member, Introduction theirs) {
        if (!theirs.startId().equals(own.startId())
                && theirs.members().equals(own.members())
                && !theirs.self().equals(member)) {
            return refused(
                    Kind.OTHER_MEMBER,
                    own.name() + " dialled " + member + " and reached " + theirs.name()
                            + "; make the name resolve to its own member");
        }
        return judge(theirs);
    }

    private Optional<Refusal> judge(Introduction theirs) {
        if (theirs.startId().equals(own.startId())) {
            return refused(
                    Kind.ITSELF,
                    theirs.to() + " resolves to " + own.name() + " itself; make the name resolve to its own member");
        }
        if (!theirs.members().equals(own.members())) {
            return refused(Kind.LIST_DIFFERS, differs(theirs));
        }
        if (theirs.isMember() && !members.contains(theirs.self())) {
            return refused(
                    Kind.SELF_UNLISTED,
                    "a process says that it is " + theirs.self() + ", which is not among " + own.members()
                            + "; give it a self that is");
        }
        if (theirs.isMember() && theirs.self().equals(own.self())) {
            return refused(Kind.SELF_TAKEN, taken(own.self(), own.startId().toString(), theirs));
        }
        if (theirs.isMember() && !own.self().isEmpty() && !theirs.terms().equals(own.terms())) {
            return refused(
                    Kind.TERMS_DIFFER,
                    "members disagree: " + theirs.self() + " has " + theirs.terms() + ", " + own.self() + " has "
                            + own.terms() + "; give all members the same");
        }
        return Optional.empty();
    }

    private String differs(Introduction theirs) {
        String lists = "the lists of members differ: " + theirs.shortName() + " has " + theirs.members() + ", "
                + own.shortName() + " has " + own.members();
        return theirs.isMember() && own.isMember()
                ? lists + "; stop all members, give them the same hosts in the same order, and start them again"
                : lists + "; give the guest the list of the members, in the same order";
    }

    /** Two processes are one member. */
    static String taken(String self, String startId, Introduction theirs) {
        return "two processes have self=" + self + ": the one started as " + startId + ", and the one started as "
                + theirs.startId() + "; stop one of them";
    }

    private static Optional<Refusal> refused(Kind kind, String sentence) {
        return Optional.of(new Refusal(kind, sentence));
    }
}
