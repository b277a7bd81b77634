package dev.mandate.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One page of the documentation, split into what the tests check.
 *
 * @param file its path
 * @param prose its lines outside fenced blocks
 * @param blocks its fenced blocks
 */
record Markdown(Path file, List<String> prose, List<Block> blocks) {
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /**
     * A fenced block.
     *
     * @param language the word after the fence
     * @param before the last line with text above the fence
     * @param lines what it holds
     */
    record Block(String language, String before, List<String> lines) {}

    /** All pages below {@code root}, without those in {@code target} and {@code .git}. */
    static List<Markdown> allBelow(Path root) {
        return filesBelow(root, ".md").stream().map(Markdown::read).toList();
    }

    /** The files whose names end so, but for what was built: other modules' tests make and delete files there. */
    static List<Path> filesBelow(Path root, String ending) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    boolean isBuilt = folder.endsWith("target") || folder.endsWith(".git");
                    return isBuilt ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(ending)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found.stream().sorted().toList();
    }

    static Markdown read(Path file) {
        List<String> prose = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        Block open = null;
        String before = "";
        for (String line : lines(file)) {
            String stripped = line.strip();
            if (!stripped.startsWith("```")) {
                (open == null ? prose : open.lines).add(line);
                before = open == null && !stripped.isEmpty() ? stripped : before;
            } else if (open == null) {
                open = new Block(stripped.substring(3), before, new ArrayList<>());
            } else {
                blocks.add(open);
                open = null;
            }
        }
        if (open != null) {
            throw new AssertionError(file + " has a fenced block that is not closed");
        }
        return new Markdown(file, prose, blocks);
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where its links point, as written. */
    List<String> links() {
        return matches(LINK);
    }

    /** The inline code in the prose. */
    List<String> code() {
        return matches(CODE);
    }

    private List<String> matches(Pattern pattern) {
        return pattern.matcher(String.join("\n", prose))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** The anchors of its headings: lower case, blanks as hyphens, without punctuation. */
    Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        for (String line : prose) {
            if (line.matches("#{1,6} .*")) {
                String text = line.replaceFirst("#+ ", "").strip().toLowerCase(Locale.ROOT);
                anchors.add(text.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'));
            }
        }
        return anchors;
    }
}
