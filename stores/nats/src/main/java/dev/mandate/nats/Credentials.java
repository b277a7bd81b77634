package dev.mandate.nats;

import dev.mandate.StoreSetupException;
import dev.mandate.support.StoreFile;
import io.nats.client.AuthHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
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
    private static final String JWT = "NATS USER JWT";
    private static final String SEED = "USER NKEY SEED";
    private static final Pattern BLOCK =
            Pattern.compile("-{3,}\\s*BEGIN ([A-Z ]+?)\\s*-{3,}\\s*([A-Za-z0-9_.=-]+)\\s*-{3,}\\s*END \\1\\s*-{3,}");

    /**
     * Reads a creds file.
     *
     * @param parameter what names it, for messages
     * @throws StoreSetupException if it can't be read or is none; names it and what is wrong
     */
    static Credentials creds(String parameter, String file) {
        String name = name(parameter, file);
        String text = text(name, file);
        Optional<String> jwt = block(text, JWT);
        Optional<String> seed = block(text, SEED);
        if (jwt.isEmpty() || seed.isEmpty()) {
            throw wrong(
                    name,
                    "it has no block " + (jwt.isEmpty() ? JWT : SEED)
                            + "; it should be a creds file, as nsc and nats write them");
        }
        return new Credentials(key(name, seed.get()), jwt.get());
    }

    /** The same for a file with a seed. */
    static Credentials seed(String parameter, String file) {
        String name = name(parameter, file);
        String text = text(name, file);
        Optional<String> line = text.lines()
                .map(String::strip)
                .filter(each -> each.startsWith("S"))
                .findFirst();
        return new Credentials(key(name, block(text, SEED).or(() -> line).orElse("")), null);
    }

    private static String name(String parameter, String file) {
        return "the file " + file + ", named by " + parameter + ", ";
    }

    private static String text(String name, String file) {
        return new String(StoreFile.read(name, Path.of(file), BYTES_MAX), StandardCharsets.ISO_8859_1);
    }

    private static Optional<String> block(String text, String name) {
        return BLOCK.matcher(text)
                .results()
                .filter(found -> found.group(1).equals(name))
                .map(found -> found.group(2))
                .findFirst();
    }

    private static NKey key(String name, String seed) {
        try {
            return NKey.ofUser(seed);
        } catch (IllegalArgumentException e) {
            throw wrong(name, "of its seed: " + e.getMessage());
        }
    }

    private static StoreSetupException wrong(String name, String why) {
        return new StoreSetupException(name + "can't be used: " + why);
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
