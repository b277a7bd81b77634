package dev.mandate.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process with the tests' class path, which talks by lines, and can be frozen and killed. */
final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;
    private final PrintStream input;

    private Child(Process process) {
        this.process = process;
        this.lines = process.inputReader(StandardCharsets.UTF_8);
        this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    static Child start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        command.addAll(List.of(arguments));
        return new Child(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The next line; null at the end. */
    String line() throws IOException {
        return lines.readLine();
    }

    void say(String line) {
        input.println(line);
    }

    void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }

    private void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -" + name + " ended with " + code);
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
