package dev.mandate.testkit.bugs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Source files with the edits of a planted bug applied, compiled in memory. Needs a JDK. */
public final class EditedSources {
    private final String bug;

    /** File to text. */
    private final Map<String, String> texts;

    private EditedSources(String bug, Map<String, String> texts) {
        this.bug = bug;
        this.texts = texts;
    }

    /**
     * Applies the edits, in their order.
     *
     * @param bug its name, for messages
     * @param source returns the original text of a file
     * @throws IllegalStateException if an edit no longer fits
     */
    public static EditedSources of(String bug, List<Edit> edits, UnaryOperator<String> source) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Edit edit : edits) {
            String text = texts.containsKey(edit.file()) ? texts.get(edit.file()) : source.apply(edit.file());
            try {
                texts.put(edit.file(), edit.in(text));
            } catch (IllegalStateException e) {
                throw new IllegalStateException("planted bug " + bug + ": " + e.getMessage(), e);
            }
        }
        return new EditedSources(bug, texts);
    }

    /**
     * The same with the sources of this module, in whose folder it runs.
     *
     * @param inPackage a class of the package that the files are in
     * @throws UncheckedIOException if a file can't be read
     */
    public static EditedSources of(String bug, List<Edit> edits, Class<?> inPackage) {
        return of(
                bug,
                edits,
                Path.of("src", "main", "java", inPackage.getPackageName().replace('.', '/')));
    }

    /**
     * The same with the sources below {@code folder}.
     *
     * @throws UncheckedIOException if a file can't be read
     */
    public static EditedSources of(String bug, List<Edit> edits, Path folder) {
        return of(bug, edits, file -> {
            try {
                return Files.readString(folder.resolve(file), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "the source " + folder.resolve(file).toAbsolutePath() + " can't be read", e);
            }
        });
    }

    /** Adds one more file, unedited. */
    public EditedSources with(String file, String text) {
        Map<String, String> more = new LinkedHashMap<>(texts);
        more.put(file, text);
        return new EditedSources(bug, more);
    }

    /**
     * Compiles the files, and returns their classes by name.
     *
     * @param classPath where everything else is found
     * @throws IllegalStateException if they don't compile, or this is no JDK
     */
    public Map<String, byte[]> compile(String classPath) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("planting a bug needs a JDK; this is a Java runtime without a compiler");
        }
        List<JavaFileObject> units = new ArrayList<>();
        texts.forEach((file, text) -> units.add(new Source(file, text)));
        Output output = new Output(compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8));
        StringWriter messages = new StringWriter();
        List<String> options = List.of("-nowarn", "-proc:none", "-classpath", classPath);
        if (!compiler.getTask(messages, output, null, options, null, units).call()) {
            throw new IllegalStateException("planted bug " + bug + " does not compile: " + messages);
        }
        Map<String, byte[]> classes = new HashMap<>();
        output.made.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    /** A source text in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("string:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps what is compiled in memory. */
    private static final class Output extends ForwardingJavaFileManager<StandardJavaFileManager> {
        final Map<String, ByteArrayOutputStream> made = new HashMap<>();

        Output(StandardJavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                JavaFileManager.Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            made.put(name, bytes);
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }
    }
}
