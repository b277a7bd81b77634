package dev.mandate.support;

import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A password or token that a store needs: written in its URL, or, better, in a file ({@code passwordFile=/run/secret})
 * or an environment variable ({@code passwordEnv=ETCD_PASSWORD}) that the URL names. No message quotes it.
 */
public final class StoreSecret {
    /** The longest file that is read. */
    public static final int FILE_BYTES_MAX = 16 * 1024;

    private StoreSecret() {}

    /**
     * Finds the secret {@code name} by the parameters {@code nameFile} and {@code nameEnv} of {@code url}. Blocks while
     * it reads the file.
     *
     * @param name one word, {@code password} or {@code token}
     * @param inPlace the secret itself if the URL holds it, else null
     * @return the secret, or empty if none is given. In a file, it is the first line, and rotates
     * @throws IllegalArgumentException if more than one is given
     * @throws StoreSetupException if the file can't be read, is empty or too long, or the variable is not set; names
     *     the file or variable
     */
    public static Optional<RotatingSecret<String>> of(StoreUrl url, String name, @Nullable String inPlace) {
        return of(url, name, inPlace, secret -> secret);
    }

    /**
     * The same for a secret that must have a certain form.
     *
     * @param form reads it; throws {@link StoreSetupException} if it is malformed, without quoting it
     */
    public static <T> Optional<RotatingSecret<T>> of(
            StoreUrl url, String name, @Nullable String inPlace, Function<String, T> form) {
        Optional<String> file = url.parameter(name + "File");
        Optional<String> variable = url.parameter(name + "Env");
        long given = Stream.of(inPlace != null, file.isPresent(), variable.isPresent())
                .filter(isGiven -> isGiven)
                .count();
        if (given > 1) {
            throw new IllegalArgumentException("the store URL gives more than one " + name + "; keep the " + name
                    + " itself, " + name + "File or " + name + "Env");
        }
        if (file.isPresent()) {
            Path path = Path.of(file.get());
            return Optional.of(
                    RotatingSecret.inFile("the " + name + " file " + path, () -> form.apply(in(path, name))));
        }
        Optional<String> found = variable.map(named -> of(named, name)).or(() -> Optional.ofNullable(inPlace));
        return found.map(form).map(RotatingSecret::fixed);
    }

    private static String in(Path file, String name) {
        String start = "the " + name + " file " + file + " ";
        String line =
                StoreFile.text(start, file, FILE_BYTES_MAX).lines().findFirst().orElse("");
        if (line.isEmpty()) {
            // A file is empty for a moment while it is written.
            throw new StoreSetupException(start + "is empty, or its first line is");
        }
        return line;
    }

    private static String of(String variable, String name) {
        String secret = System.getenv(variable);
        if (secret == null) {
            throw new StoreSetupException(
                    "the environment variable " + variable + ", named by " + name + "Env, is not set");
        }
        return secret;
    }
}
