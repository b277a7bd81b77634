package dev.mandate.internal;

import java.util.Collection;
import java.util.Locale;

/** Guesses what somebody meant to write. */
final class Spelling {
    private static final int SLIPS_MAX = 2;
    /** Longer words are not compared: nobody mistypes those. */
    private static final int LENGTH_MAX = 64;

    private Spelling() {}

    /** {@code "; did you mean 'x'?"}, or nothing if no word is near. */
    static String suggestion(String written, Collection<String> known) {
        String best = "";
        int fewest = SLIPS_MAX + 1;
        for (String word : known) {
            int slips = slips(written, word);
            if (slips < fewest && slips < word.length()) {
                best = word;
                fewest = slips;
            }
        }
        return best.isEmpty() ? "" : "; did you mean '" + best + "'?";
    }

    /** How many letters must be added, removed or replaced; ignores case. */
    private static int slips(String written, String word) {
        if (written.length() > LENGTH_MAX) {
            return Integer.MAX_VALUE;
        }
        String a = written.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
        String b = word.toLowerCase(Locale.ROOT);
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[b.length()];
    }
}
