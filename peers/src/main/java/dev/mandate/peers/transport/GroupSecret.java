package dev.mandate.peers.transport;

import dev.mandate.StoreSetupException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The secret that all processes of a group share or, during a rotation, the new one and the old one. All given ones are
 * accepted from others; a process that dials uses the first, and after a rejection the other, in turn.
 *
 * <p>To rotate it without an interruption: write the new and the old secret, separated by a space, into the file of
 * each process, guests included; when all have it, write the new one alone. The files are read again at each dial and
 * after each rejection, so nothing needs a restart. Existing connections are not affected: to end those made under the
 * old secret, restart the members one by one.
 *
 * <p>Anyone who sees a handshake can try secrets offline: use a random one, such as that of
 * {@code openssl rand -base64 32}. No message and no text form shows it.
 */
public final class GroupSecret {
    /** The shortest secret, in characters. */
    public static final int LENGTH_MIN = 16;

    private static final int SECRETS_MAX = 2;

    /** Replaces the secret if there is none, and both sides are on one machine. */
    static final GroupSecret NONE = new GroupSecret(List.of("no secret, loopback only"));

    private final List<String> secrets;

    private GroupSecret(List<String> secrets) {
        this.secrets = secrets;
    }

    /**
     * Reads a secret, or the new and the old one separated by white space.
     *
     * @throws StoreSetupException if it is too short, or there are more than two; never quotes it
     */
    public static GroupSecret parse(String text) {
        List<String> all = Arrays.stream(text.strip().split("\\s+")).toList();
        if (all.size() > SECRETS_MAX) {
            throw new StoreSetupException("the group's secret has " + all.size()
                    + " words, but spaces separate secrets; write one without spaces, or while you roll it the new"
                    + " and the old one");
        }
        for (String each : all) {
            if (each.length() < LENGTH_MIN) {
                throw new StoreSetupException("the group's secret has " + each.length()
                        + " characters; it must have at least " + LENGTH_MIN
                        + ", so write a random one, such as that of"
                        + " openssl rand -base64 32");
            }
        }
        return new GroupSecret(all);
    }

    /** The secrets, in the order in which they are used; one or two. */
    List<byte[]> keys() {
        return secrets.stream()
                .map(each -> each.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GroupSecret that && secrets.equals(that.secrets);
    }

    @Override
    public int hashCode() {
        return secrets.hashCode();
    }

    /** Does not show the secret. */
    @Override
    public String toString() {
        return "the group's secret";
    }
}
