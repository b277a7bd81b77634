package dev.mandate.demo;

import dev.mandate.console.Console;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Shows what happens: on a terminal as lines above a table that is redrawn, elsewhere as lines only. */
final class Screen implements Cast.Audience {
    private static final int FAINT = 2;
    private static final int BOLD = 1;
    private static final int RED = 31;
    private static final int GREEN = 32;
    private static final int BLUE = 34;

    private final Console console;
    private boolean isQuiet;
    private final long startNanos = System.nanoTime();
    private int drawn;

    /** @param isQuiet whether to show nothing */
    Screen(Console console, boolean isQuiet) {
        this.console = console;
        this.isQuiet = isQuiet;
    }

    @Override
    public synchronized void changed(Cast cast, @Nullable String event) {
        if (isQuiet) {
            return;
        }
        erase();
        if (event != null) {
            print(event);
        }
        if (console.outColoured()) {
            draw(cast.members());
        }
    }

    /** Prints what the demo does. */
    synchronized void act(Cast cast, String text) {
        if (!isQuiet) {
            erase();
            print(console.styled(BOLD, text));
            if (console.outColoured()) {
                draw(cast.members());
            }
        }
    }

    /** Leaves the screen as it is, for what is printed below. Shows nothing from now on. */
    synchronized void end() {
        drawn = 0;
        isQuiet = true;
    }

    private void print(String text) {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        console.out().println(console.styled(FAINT, String.format(Locale.ROOT, "%7.3f s", seconds)) + "  " + text);
    }

    private void erase() {
        if (drawn > 0) {
            console.out().print("\033[" + drawn + "A\033[J");
            drawn = 0;
        }
    }

    private void draw(List<Cast.Member> members) {
        StringBuilder table = new StringBuilder();
        for (Cast.Member member : members) {
            table.append(String.format(
                    Locale.ROOT, "    %-10s process %-8d %s%n", member.name(), member.process.pid(), state(member)));
        }
        console.out().print(table);
        console.out().flush();
        drawn = members.size();
    }

    private String state(Cast.Member member) {
        if (!member.process.isAlive()) {
            return console.styled(RED, "dead");
        }
        if (member.isFrozen) {
            return console.styled(BLUE, "frozen");
        }
        if (member.leads != 0) {
            return console.styled(GREEN, "leads, token " + member.leads);
        }
        return member.sees == 0 ? "knows no leader" : console.styled(FAINT, "follows token " + member.sees);
    }
}
