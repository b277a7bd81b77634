package dev.mandate.peers.store;

import dev.mandate.testkit.history.TrialSeat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The links of a group whose members are processes of their own, with names that lead each of them to the others. */
interface Links extends TrialSeat.Network {
    /** The members, as the list names them. */
    List<String> members();

    /** Where a member listens. */
    String bind(int place);

    /** The file of hosts that a member's JVM reads. */
    Path hosts(int place);

    /** The command that starts a member on its side of the links; empty for none. */
    List<String> launcher(int place);

    /** What {@code from} sends to {@code to} is lost, by whichever connection; the other way is open. */
    void cutOneWay(int from, int to) throws IOException;

    /** Nothing goes through between these two. */
    default void cut(int one, int other) throws IOException {
        cutOneWay(one, other);
        cutOneWay(other, one);
    }

    /** Members within {@code side} reach each other, and nobody else; the same for the others. */
    default void split(Set<Integer> side) throws IOException {
        for (int one = 0; one < members().size(); one++) {
            for (int other = 0; other < one; other++) {
                if (side.contains(one) != side.contains(other)) {
                    cut(one, other);
                }
            }
        }
    }

    /** The name of a member leads to another address from now on, and the old one is no more. */
    void move(int place) throws IOException;
}
