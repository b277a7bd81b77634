package dev.mandate.bench;

import dev.mandate.console.Program;
import java.util.List;

/** {@code mandate bench} alone. */
final class Main {
    static final Program PROGRAM = new Program(
            List.of(new Program.Entry("bench", BenchCommand.class)),
            (name, console, environment) -> BenchCommand.line(console, environment));

    private Main() {}

    public static void main(String[] args) {
        PROGRAM.run(args);
    }
}
