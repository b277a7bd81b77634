package dev.mandate.demo;

import dev.mandate.console.Program;
import java.util.List;
import picocli.CommandLine;

/** {@code mandate demo} alone. */
final class Main {
    static final Program PROGRAM = new Program(
            List.of(new Program.Entry("demo", DemoCommand.class)),
            (name, console, environment) -> new CommandLine(new DemoCommand(console, environment)));

    private Main() {}

    public static void main(String[] args) {
        PROGRAM.run(args);
    }
}
