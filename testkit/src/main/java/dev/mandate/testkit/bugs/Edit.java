package dev.mandate.testkit.bugs;

/**
 * One replacement in one source file.
 *
 * @param file below a folder that whoever plants it knows: {@code engine/Pace.java}
 * @param find stands there exactly once, white space counted as one blank
 * @param replace what stands there instead
 */
public record Edit(String file, String find, String replace) {

    /**
     * The text with this edit made. White space is of no account, so that a formatter cannot hide what is looked for.
     *
     * @throws IllegalStateException if what is to be found does not stand there exactly once: the bug has to be planted anew
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

    /** Comments to the end of a line are dropped, all other white space is one blank. */
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
