package dev.mandate.demo;

import dev.mandate.console.StoreAddress;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this program starts Java processes. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * Builds a process with this class path, which gets the store's URL in its environment and writes errors to ours.
     *
     * @param options for the JVM
     */
    public static ProcessBuilder of(Class<?> main, List<String> options, List<String> arguments, StoreAddress store) {
        ProcessBuilder builder = new ProcessBuilder(command(main, options, arguments));
        // Only its user can read the environment; everybody can read arguments.
        builder.environment().put(StoreAddress.URL_VARIABLE, store.url());
        builder.environment().remove(StoreAddress.FILE_VARIABLE);
        return builder.redirectError(Redirect.INHERIT);
    }

    /** If the system has {@code setpriv}, even a frozen process does not outlive the thread that starts it. */
    private static List<String> command(Class<?> main, List<String> options, List<String> arguments) {
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
