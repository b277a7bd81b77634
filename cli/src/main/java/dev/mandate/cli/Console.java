package dev.mandate.cli;

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

/**
 * Where a command writes: what it was asked for to {@link #out()}, what it has to say to {@link #say}. UTF-8 whatever the locale. Safe for
 * use from many threads.
 */
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

    /** The one of this process. Coloured where a terminal shows it, unless {@code NO_COLOR} is set or {@code TERM} is {@code dumb}. */
    static Console ofProcess(Map<String, String> environment) {
        boolean wanted = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new Console(
                new Sink(new FileOutputStream(FileDescriptor.out)),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                wanted && isTerminal(1),
                wanted && isTerminal(2));
    }

    /** One that writes to these streams, without colours. */
    public static Console to(OutputStream out, OutputStream err) {
        return new Console(new Sink(out), new PrintStream(err, true, StandardCharsets.UTF_8), false, false);
    }

    /** Remembers why it could not be written to, which a print stream keeps to itself. */
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

    /** For what was asked for. */
    public PrintStream out() {
        return out;
    }

    /** For help texts and traces that nobody asked for. */
    public PrintStream err() {
        return err;
    }

    /** One line to standard error, {@code mandate: text}, with everything in it made harmless that a terminal might obey. */
    public void say(String text) {
        String line = Leader.printable(text);
        err.println(errColoured ? "\033[2mmandate:\033[0m " + line : "mandate: " + line);
    }

    /** {@link #say}, but that lines after the first stand below it, to be copied: statements for a database, say. */
    public void sayWithLines(String text) {
        List<String> lines = text.lines().toList();
        say(lines.isEmpty() ? "" : lines.get(0));
        lines.stream().skip(1).forEach(line -> err.println(Leader.printable(line)));
    }

    /** {@code text} in a style if standard output is a terminal: {@code 1} bold, {@code 2} faint, {@code 31} red, {@code 32} green … */
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

    /** Whether nobody reads standard output any more. */
    public boolean outClosed() {
        return out.checkError();
    }

    /** Why something written to {@link #out()} was lost; null if nothing was, or if its reader just had enough, as {@code head} has. */
    @Nullable
    String outFailure() {
        out.flush();
        IOException failure = sink.failure;
        String said = failure == null ? null : String.valueOf(failure.getMessage());
        return said == null || said.contains("Broken pipe") ? null : said;
    }
}
