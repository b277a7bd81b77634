package dev.mandate.simulator.bugs;

import dev.mandate.LossReason;
import dev.mandate.engine.CandidateMachine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Makes the edits of a bug in the engine's sources, which lie beside the simulator's classes, and compiles them in memory. */
final class BugCompiler {
    private static final String SOURCES = "/engine-sources/dev/mandate/";

    private BugCompiler() {}

    /**
     * The classes that the edited files became, by name.
     *
     * @throws IllegalStateException if an edit does not fit, or what it makes does not compile
     */
    static Map<String, byte[]> compile(String bug, List<Edit> edits) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Edit edit : edits) {
            String text = texts.containsKey(edit.file()) ? texts.get(edit.file()) : source(edit.file());
            try {
                texts.put(edit.file(), edit.in(text));
            } catch (IllegalStateException e) {
                throw new IllegalStateException("planted bug " + bug + ": " + e.getMessage(), e);
            }
        }
        List<JavaFileObject> units = new ArrayList<>();
        texts.forEach((file, text) -> units.add(new Source(file, text)));
        return compileUnits(bug, units);
    }

    private static String source(String file) {
        try (InputStream in = BugCompiler.class.getResourceAsStream(SOURCES + file)) {
            if (in == null) {
                throw new IllegalStateException("the source " + SOURCES + file + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the source " + SOURCES + file + " cannot be read", e);
        }
    }

    private static Map<String, byte[]> compileUnits(String bug, List<JavaFileObject> units) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("planting a bug needs a JDK; this is a Java runtime without a compiler");
        }
        Output output = new Output(compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8));
        StringWriter messages = new StringWriter();
        List<String> options = new ArrayList<>(List.of("-nowarn", "-proc:none", "-classpath", classPath()));
        if (!isLoadable("org.jspecify.annotations.Nullable")) {
            units.add(annotation("Nullable"));
            units.add(annotation("NullMarked"));
        }
        if (!compiler.getTask(messages, output, null, options, null, units).call()) {
            throw new IllegalStateException("planted bug " + bug + " does not compile: " + messages);
        }
        Map<String, byte[]> classes = new HashMap<>();
        output.made.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    /** A stand-in for an annotation that is not shipped. */
    private static JavaFileObject annotation(String name) {
        return new Source(
                "../../org/jspecify/annotations/" + name + ".java",
                "package org.jspecify.annotations; @java.lang.annotation.Target({java.lang.annotation.ElementType.TYPE_USE,"
                        + " java.lang.annotation.ElementType.PACKAGE, java.lang.annotation.ElementType.TYPE}) public @interface "
                        + name + " {}");
    }

    private static boolean isLoadable(String name) {
        try {
            Class.forName(name, false, BugCompiler.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static String classPath() {
        Set<String> places = new LinkedHashSet<>();
        places.add(place(CandidateMachine.class));
        places.add(place(LossReason.class));
        if (isLoadable("org.jspecify.annotations.Nullable")) {
            try {
                places.add(place(Class.forName("org.jspecify.annotations.Nullable")));
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
        return String.join(java.io.File.pathSeparator, places);
    }

    private static String place(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        URL url = source == null ? null : source.getLocation();
        if (url == null) {
            throw new IllegalStateException("it is not known where " + type + " was loaded from");
        }
        try {
            return Path.of(url.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("odd class path entry " + url, e);
        }
    }

    /** A source text in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("string:///dev/mandate/" + file).normalize(), Kind.SOURCE);
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
