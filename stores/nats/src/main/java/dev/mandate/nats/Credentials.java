package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import io.nats.client.AuthHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A user's JWT and seed from a creds file, or a seed alone from a seed file. The JDK signs; no library is needed. No
 * message quotes the file.
 *
 * @param jwt null for none
 */
record Credentials(NKey key, @Nullable String jwt) implements AuthHandler {
    private static final int BYTES_MAX = 1 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-{3,}\\s*BEGIN ([A-Z ]+?)\\s*-{3,}\\s*([A-Za-z0-9_.=-]+)\\s*-{3,}\\s*END \\1\\s*-{3,}");

    /**
     * Reads a creds file.
     *
     * @param parameter what names it, for messages
     * @throws StoreSetupException if it can't be read or is none; names it and what is wrong
     */
    static Credentials creds(String parameter, String file) {
        File read = File.read(parameter, file);
        Optional<String> jwt = block(read.text, "NATS USER JWT");
        Optional<String> seed = block(read.text, "USER NKEY SEED");
        if (jwt.isEmpty() || seed.isEmpty()) {
            throw read.wrong("it has no block " + (jwt.isEmpty() ? "NATS USER JWT" : "USER NKEY SEED")
                    + "; it should be a creds file, as nsc and nats write them");
        }
        return new Credentials(read.key(seed.get()), jwt.get());
    }

    /**
     * Reads a file with a seed.
     *
     * @param parameter what names it, for messages
     * @throws StoreSetupException if it can't be read or is none; names it and what is wrong
     */
    static Credentials seed(String parameter, String file) {
        File read = File.read(parameter, file);
        String line = read.text
                .lines()
                .map(String::strip)
                .filter(text -> text.startsWith("S"))
                .findFirst()
                .orElse("");
        return new Credentials(read.key(block(read.text, "USER NKEY SEED").orElse(line)), null);
    }

    private static Optional<String> block(String text, String name) {
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals(name)) {
                return Optional.of(blocks.group(2));
            }
        }
        return Optional.empty();
    }

    /** A file's text, and its name in messages. */
    private static final class File {
        private final String name;
        private final String text;

        private File(String name, String text) {
            this.name = name;
            this.text = text;
        }

        static File read(String parameter, String file) {
            String name = "the file " + file + ", named by " + parameter;
            try {
                if (Files.size(Path.of(file)) > BYTES_MAX) {
                    throw new StoreSetupException(name + ", can't be used: it has more than " + BYTES_MAX + " bytes");
                }
                return new File(name, Files.readString(Path.of(file), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                throw new StoreSetupException(name + ", can't be read: " + e, e);
            }
        }

        NKey key(String seed) {
            try {
                return NKey.ofUser(seed);
            } catch (IllegalArgumentException e) {
                throw wrong("of its seed: " + e.getMessage());
            }
        }

        StoreSetupException wrong(String why) {
            return new StoreSetupException(name + ", can't be used: " + why);
        }
    }

    @Override
    public byte[] sign(byte[] nonce) {
        return key.sign(nonce);
    }

    @Override
    public char[] getID() {
        return key.name().toCharArray();
    }

    @Override
    public char @Nullable [] getJWT() {
        return jwt == null ? null : jwt.toCharArray();
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return key.name();
    }
}
