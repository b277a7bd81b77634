package dev.mandate.simulator.classic;

import java.util.List;
import java.util.Locale;

/**
 * A scene for people.
 *
 * @param title what happens
 * @param before what to watch for
 * @param transcript what happened, one line per event
 * @param after what to learn from it
 */
record Scene(String title, String before, List<String> transcript, String after) {

    static List<Scene> all(Algorithm algorithm) {
        return List.of(death(algorithm), comeback(algorithm), split(algorithm), pause(algorithm));
    }

    private static Scene death(Algorithm algorithm) {
        ClassicScenes played = new ClassicScenes(algorithm).begin().leaderDies();
        return new Scene(
                "The leader dies: the election works",
                "n5 leads and dies; every message to a living node arrives.",
                played.transcript(),
                "Learn: while messages arrive in time and no process is paused, silence means death, and the election\n"
                        + "ends with one leader, the highest node alive.");
    }

    private static Scene comeback(Algorithm algorithm) {
        ClassicScenes played = new ClassicScenes(algorithm).leaderDies().begin().leaderReturns();
        return new Scene(
                "The dead leader returns: it works, but for a moment two lead",
                "n4 leads; n5 starts again, and takes over because it is higher.",
                played.transcript(),
                "Learn: n4 leads until it hears of n5, so even without any fault two led at once for " + overlap(played)
                        + ".");
    }

    private static Scene split(Algorithm algorithm) {
        ClassicScenes played =
                new ClassicScenes(algorithm).begin().networkSplits().networkHeals();
        return new Scene(
                "The network splits: two leaders",
                "n5 leads and no node dies, but for 5 s no message crosses the split.",
                played.transcript(),
                "Learn: silence is not death: each side has a leader, and n2 and n5 led at once for " + overlap(played)
                        + ",\nas they do for as long as a split lasts.");
    }

    private static Scene pause(Algorithm algorithm) {
        ClassicScenes played = new ClassicScenes(algorithm).begin().leaderIsPaused();
        return new Scene(
                "The leader is paused: two leaders",
                "n5 leads, and its process stands still for 4 s, as in a garbage collection; no message is lost or late.",
                played.transcript(),
                "Learn: a process does not notice that it was paused, so n5 goes on as leader and completes the write it\n"
                        + "was paused in, while n4 leads; both led at once for " + overlap(played)
                        + ", and longer where messages get lost.");
    }

    private static String overlap(ClassicScenes played) {
        return String.format(Locale.ROOT, "%.3f s", played.world().longestNanos() / 1e9);
    }
}
