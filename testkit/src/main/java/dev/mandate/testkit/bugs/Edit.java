package dev.mandate.testkit.bugs;

/**
 * One replacement in one source file.
 *
 * @param file below a folder that the caller knows: {@code engine/Pace.java}
 * @param find text that occurs exactly once, each run of white space counted as one blank
 * @param replace what replaces it
 */
public record Edit(String file, String find, String replace) {

    /**
     * Returns the text with this edit applied. White space does not matter: no formatter can hide the text to find.
     *
     * @throws IllegalStateException if the text to find does not occur exactly once: rewrite the edit
     */
    public String in(String text) {
        String flat = flat(text);
        String wanted = flat(find);
        int at = flat.indexOf(wanted);
        if (at < 0 || flat.indexOf(wanted, at + 1) >= 0) {
            throw new IllegalStateException(file + (at < 0 ? " does not contain '" : " contains more than once '")
                    + wanted + "'; the source has changed, so plant this bug anew");
        }
        return flat.substring(0, at) + replace + flat.substring(at + wanted.length());
    }

    /** Drops end-of-line comments, and turns all other white space into one blank. */
    private static String flat(String text) {
        StringBuilder flat = new StringBuilder(text.length());
        text.lines().forEach(line -> {
            int comment = (" " + line).indexOf(" // ");
            flat.append(comment < 0 ? line : line.substring(0, comment)).append(' ');
        });
        return flat.toString()
                .replaceAll("\\s+", " ")
                .replace("( ", "(")
                .replace(" )", ")")
                .replace(" .", ".")
                .strip();
    }
}
