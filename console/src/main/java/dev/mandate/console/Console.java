package dev.mandate.console;

import dev.mandate.Leader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a command writes: results to {@link #out()}, messages to {@link #say}. Always UTF-8. Thread-safe. */
public final class Console {
    private final PrintStream out;
    private final PrintStream err;
    private final Sink sink;
    private final boolean outColoured;
    private final boolean errColoured;

    private Console(Sink sink, PrintStream err, boolean outColoured, boolean errColoured) {
        this.sink = sink;
        this.out = new PrintStream(sink, true, StandardCharsets.UTF_8);
        this.err = err;
        this.outColoured = outColoured;
        this.errColoured = errColoured;
    }

    /** This process's console: coloured on a terminal unless {@code NO_COLOR} is set, or {@code TERM} unset or dumb. */
    static Console ofProcess(Map<String, String> environment) {
        boolean wanted = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new Console(
                new Sink(new FileOutputStream(FileDescriptor.out)),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                wanted && isTerminal(1),
                wanted && isTerminal(2));
    }

    /** A console that writes to these streams, without colours. */
    public static Console to(OutputStream out, OutputStream err) {
        return new Console(new Sink(out), new PrintStream(err, true, StandardCharsets.UTF_8), false, false);
    }

    /** Remembers why a write failed; a {@link PrintStream} hides it. */
    private static final class Sink extends FilterOutputStream {
        private volatile @Nullable IOException failure;

        Sink(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return System.console() != null;
        }
    }

    /** For results: standard output. */
    public PrintStream out() {
        return out;
    }

    /** For usage help after an error, and stack traces: standard error. */
    public PrintStream err() {
        return err;
    }

    /** Prints one line on standard error, {@code mandate: text}, with control characters escaped. */
    public void say(String text) {
        String line = Leader.printable(text);
        err.println(errColoured ? "\033[2mmandate:\033[0m " + line : "mandate: " + line);
    }

    /** Like {@link #say}, but prints lines after the first below it, to be copied: SQL statements, for instance. */
    public void sayWithLines(String text) {
        List<String> lines = text.lines().toList();
        say(lines.isEmpty() ? "" : lines.get(0));
        lines.stream().skip(1).forEach(line -> err.println(Leader.printable(line)));
    }

    /** {@code text} styled if standard output is coloured: 1 is bold, 2 faint, 31 red, 32 green, and so on. */
    public String styled(int style, String text) {
        return outColoured ? "\033[" + style + "m" + text + "\033[0m" : text;
    }

    /** Whether standard output may be coloured. */
    public boolean outColoured() {
        return outColoured;
    }

    /** Whether standard error may be coloured. */
    public boolean errColoured() {
        return errColoured;
    }

    /** Whether a write to standard output has failed: usually its reader is gone. */
    public boolean outClosed() {
        return out.checkError();
    }

    /** Why output to {@link #out()} was lost; null if none was, or its reader stopped early as {@code head} does. */
    @Nullable
    String outFailure() {
        out.flush();
        IOException failure = sink.failure;
        String said = failure == null ? null : String.valueOf(failure.getMessage());
        return said == null || said.contains("Broken pipe") ? null : said;
    }
}
