package dev.mandate.cli;

import dev.mandate.bench.BenchCommand;
import dev.mandate.cli.run.RegisterCommand;
import dev.mandate.cli.run.RunCommand;
import dev.mandate.console.Console;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Program;
import dev.mandate.console.Program.Entry;
import dev.mandate.demo.DemoCommand;
import dev.mandate.doctor.DoctorCommand;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** Starts the command line. */
public final class Main {
    /** All commands. */
    static final Program PROGRAM = new Program(
            List.of(
                    new Entry("run", RunCommand.class),
                    new Entry("register", RegisterCommand.class),
                    new Entry("observe", ObserveCommand.class),
                    new Entry("leader", LeaderCommand.class),
                    new Entry("status", StatusCommand.class),
                    new Entry("services", ServicesCommand.class),
                    new Entry("instances", InstancesCommand.class),
                    new Entry("serve", ServeCommand.class),
                    new Entry("evict", EvictCommand.class),
                    new Entry("explain", ExplainCommand.class),
                    new Entry("doctor", DoctorCommand.class),
                    new Entry("demo", DemoCommand.class),
                    new Entry("bench", BenchCommand.class),
                    new Entry("completion", CompletionCommand.class)),
            Main::command);

    private Main() {}

    private static CommandLine command(String name, Console console, Map<String, String> environment) {
        return switch (name) {
            // Everything after the name of the command to run belongs to that command.
            case "run" -> supervisor(new RunCommand(console, environment)).setStopAtPositional(true);
            case "register" -> supervisor(new RegisterCommand(console, environment));
            case "services" -> new CommandLine(new ServicesCommand(console, environment));
            case "instances" -> new CommandLine(new InstancesCommand(console, environment));
            case "serve" -> new CommandLine(new ServeCommand(console, environment));
            case "observe" -> new CommandLine(new ObserveCommand(console, environment));
            case "leader" -> new CommandLine(new LeaderCommand(console, environment));
            case "status" -> new CommandLine(new StatusCommand(console, environment));
            case "evict" -> new CommandLine(new EvictCommand(console, environment));
            case "explain" -> new CommandLine(new ExplainCommand(console, environment));
            case "doctor" -> DoctorCommand.line(console, environment);
            case "demo" -> new CommandLine(new DemoCommand(console, environment));
            case "bench" -> BenchCommand.line(console, environment);
            case "completion" -> new CommandLine(new CompletionCommand(console, environment, Main::all));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static CommandLine all() {
        return PROGRAM.model();
    }

    /** Lower exit codes belong to the command that it runs. */
    private static CommandLine supervisor(Object command) {
        return new CommandLine(command)
                .setExitCodeExceptionMapper(
                        e -> Math.max(ExitCode.RUN_FAILED, Failure.of(e).exitCode()));
    }

    /** Runs the command that {@code args} name, and exits with its code. */
    public static void main(String[] args) {
        PROGRAM.run(args);
    }
}
