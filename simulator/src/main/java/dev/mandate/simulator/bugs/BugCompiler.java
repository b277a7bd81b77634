package dev.mandate.simulator.bugs;

import dev.mandate.EndReason;
import dev.mandate.engine.CandidateMachine;
import dev.mandate.peers.node.Node;
import dev.mandate.support.RecordJson;
import dev.mandate.testkit.bugs.Edit;
import dev.mandate.testkit.bugs.EditedSources;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Applies a bug's edits to the sources kept beside the simulator's classes, and compiles the result in memory. */
final class BugCompiler {
    private static final String SOURCES = "/engine-sources/dev/mandate/";

    private BugCompiler() {}

    /**
     * The compiled classes of the edited files, by name.
     *
     * @throws IllegalStateException if an edit does not fit, or its result does not compile
     */
    static Map<String, byte[]> compile(String bug, List<Edit> edits) {
        EditedSources sources = EditedSources.of(bug, edits, BugCompiler::source);
        if (!isLoadable("org.jspecify.annotations.Nullable")) {
            sources = sources.with("Nullable.java", annotation("Nullable"))
                    .with("NullMarked.java", annotation("NullMarked"));
        }
        return sources.compile(classPath());
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

    /** A stand-in for an annotation that is not shipped. */
    private static String annotation(String name) {
        return "package org.jspecify.annotations; @java.lang.annotation.Target({java.lang.annotation.ElementType.TYPE_USE,"
                + " java.lang.annotation.ElementType.PACKAGE, java.lang.annotation.ElementType.TYPE}) public @interface "
                + name + " {}";
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
        places.add(place(EndReason.class));
        places.add(place(Node.class));
        places.add(place(RecordJson.class));
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
}
