package dev.mandate.simulator.groups;

import dev.mandate.peers.register.Message;

/** What leads straight to where chance seldom does. */
final class Plot {
    Plot(GroupWorld world) {}

    void plan() {}

    boolean loses(Member from, Member to, Message message) {
        return false;
    }

    long holdsUp(Member from, Member to, Message message) {
        return 0;
    }
}
