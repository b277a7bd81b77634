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
 * A creds file, which holds a user's JWT and seed, or a file with a seed alone. It is read for every connection, so that it may be exchanged
 * while candidates run. The JDK signs; no library is needed. No message quotes what stands in it.
 */
final class Credentials implements AuthHandler {
    private static final int BYTES_MAX = 1 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-{3,}\\s*BEGIN ([A-Z ]+?)\\s*-{3,}\\s*([A-Za-z0-9_.=-]+)\\s*-{3,}\\s*END \\1\\s*-{3,}");

    private final Path file;
    private final String parameter;
    private final boolean hasJwt;
    private volatile Content content;

    private record Content(NKey key, @Nullable String jwt) {}

    private Credentials(Path file, String parameter, boolean hasJwt) {
        this.file = file;
        this.parameter = parameter;
        this.hasJwt = hasJwt;
        this.content = read();
    }

    /**
     * A creds file.
     *
     * @param parameter what names it, for messages
     * @throws StoreSetupException if it can't be read or is none; names it and what is wrong
     */
    static Credentials creds(String parameter, String file) {
        return new Credentials(Path.of(file), parameter, true);
    }

    /**
     * A file with a seed.
     *
     * @param parameter what names it, for messages
     * @throws StoreSetupException if it can't be read or is none; names it and what is wrong
     */
    static Credentials seed(String parameter, String file) {
        return new Credentials(Path.of(file), parameter, false);
    }

    /** Reads the file again; what was read before stays if that fails, which somebody may just be doing. */
    void refresh() {
        try {
            content = read();
        } catch (StoreSetupException e) {
            // The server says whether the former ones will still do.
        }
    }

    private Content read() {
        String text = text();
        if (!hasJwt) {
            String seed = text.lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith("S"))
                    .findFirst()
                    .orElse("");
            return new Content(key(block(text, "USER NKEY SEED").orElse(seed)), null);
        }
        Optional<String> jwt = block(text, "NATS USER JWT");
        Optional<String> seed = block(text, "USER NKEY SEED");
        if (jwt.isEmpty() || seed.isEmpty()) {
            throw wrong("it has no block " + (jwt.isEmpty() ? "NATS USER JWT" : "USER NKEY SEED")
                    + "; it should be a creds file, as nsc and nats write them");
        }
        return new Content(key(seed.get()), jwt.get());
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

    private NKey key(String seed) {
        try {
            return NKey.ofUser(seed);
        } catch (IllegalArgumentException e) {
            throw wrong("of its seed: " + e.getMessage());
        }
    }

    private String text() {
        try {
            if (Files.size(file) > BYTES_MAX) {
                throw wrong("it has more than " + BYTES_MAX + " bytes");
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new StoreSetupException("the file " + file + ", named by " + parameter + ", can't be read: " + e, e);
        }
    }

    private StoreSetupException wrong(String why) {
        return new StoreSetupException("the file " + file + ", named by " + parameter + ", can't be used: " + why);
    }

    @Override
    public byte[] sign(byte[] nonce) {
        return content.key().sign(nonce);
    }

    @Override
    public char[] getID() {
        return content.key().name().toCharArray();
    }

    @Override
    public char @Nullable [] getJWT() {
        String jwt = content.jwt();
        return jwt == null ? null : jwt.toCharArray();
    }
}
