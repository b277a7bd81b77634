package dev.mandate.peers.url;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Which order candidates of a group try in. It decides who tries first, never who leads. */
public enum GroupScheme {
    /** {@code peers:}: all at once. */
    PEERS,
    /** {@code bully:}: the member named last first. */
    BULLY,
    /** {@code ring:}: whom a token chose that went round. */
    RING;

    /** As it is written in a URL. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** That of a URL; empty for the scheme of another store. */
    public static Optional<GroupScheme> of(String word) {
        return Arrays.stream(values())
                .filter(scheme -> scheme.word().equals(word))
                .findFirst();
    }
}
