package dev.mandate.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this program starts Java processes. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * The command line of a process with this class path. If the system has {@code setpriv}, even a frozen process does
     * not outlive the thread that starts it.
     *
     * @param options for the JVM
     */
    public static List<String> command(Class<?> main, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setpriv"))) {
            command.addAll(List.of("/usr/bin/setpriv", "--pdeathsig", "KILL"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }
}
