package dev.mandate.http;

import dev.mandate.StoreSetupException;
import dev.mandate.support.RotatingSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/** The secret that lets a client in. Safe for use from many threads. */
final class Token {
    static final int CHARACTERS_MIN = 16;
    private static final int FILE_BYTES_MAX = 16 * 1024;
    private static final String BEARER = "bearer ";
    private static final String BASIC = "basic ";

    private final RotatingSecret<String> secret;

    private Token(RotatingSecret<String> secret) {
        this.secret = secret;
    }

    /** @throws IllegalArgumentException if it is too short, or holds anything but visible ASCII; does not quote it */
    static Token fixed(String token) {
        return new Token(RotatingSecret.fixed(checked("the token", token)));
    }

    /**
     * A token in the first line of a file, which {@link #refresh} reads again. Blocks while it reads.
     *
     * @throws IllegalArgumentException if the file cannot be read, or its token is invalid; names the file
     */
    static Token inFile(Path file) {
        try {
            return new Token(RotatingSecret.inFile("the token file " + file, () -> read(file)));
        } catch (StoreSetupException e) {
            throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
        }
    }

    private static String read(Path file) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw new StoreSetupException("the token file " + file + " has more than " + FILE_BYTES_MAX + " bytes");
            }
            String line = Files.readString(file).lines().findFirst().orElse("").strip();
            return checked("the token in the first line of " + file, line);
        } catch (IOException e) {
            String why = e.getClass().getSimpleName().replace("Exception", "");
            throw new StoreSetupException("the token file " + file + " can't be read (" + why + ")", e);
        } catch (IllegalArgumentException e) {
            throw new StoreSetupException(String.valueOf(e.getMessage()), e);
        }
    }

    private static String checked(String what, String token) {
        if (token.length() < CHARACTERS_MIN) {
            throw new IllegalArgumentException(what + " has " + token.length() + " characters; give at least "
                    + CHARACTERS_MIN + ", for instance what 'openssl rand -hex 32' prints");
        }
        if (token.chars().anyMatch(c -> c <= ' ' || c >= 0x7F)) {
            throw new IllegalArgumentException(
                    what + " contains a space or a non-ASCII character; use letters, digits and punctuation");
        }
        return token;
    }

    /** Reads the file again, if there is one. Blocks while it reads. */
    void refresh() {
        secret.forLogin();
    }

    /**
     * Whether the only value of {@code Authorization} holds it: {@code Bearer TOKEN}, or {@code Basic} with it as the
     * password of any user. Takes the same time for all wrong tokens of one length.
     */
    boolean isIn(List<String> authorization) {
        if (authorization.size() != 1) {
            return false;
        }
        String value = authorization.get(0);
        if (value.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return isIt(value.substring(BEARER.length()).strip());
        }
        if (value.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return isIt(password(value.substring(BASIC.length()).strip()));
        }
        return false;
    }

    private static String password(String encoded) {
        try {
            String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private boolean isIt(String given) {
        return MessageDigest.isEqual(digest(given), digest(secret.current()));
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
