package dev.mandate.nats;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;

/** An identity as an operator of NATS makes them: a key pair, whose holder signs what others may. */
final class Jwt {
    static final int OPERATOR = 14 << 3;
    static final int ACCOUNT = 0;

    private final int type;
    private final byte[] seed = new byte[32];
    final NKey key;

    Jwt(int type) {
        this.type = type;
        ThreadLocalRandom.current().nextBytes(seed);
        this.key = NKey.of(type, seed);
    }

    String name() {
        return key.name();
    }

    /** What this one says of {@code subject}, signed. */
    String sign(Jwt subject, String claims) {
        return sign(subject, claims, "");
    }

    /** The same until then. */
    String sign(Jwt subject, String claims, Instant end) {
        return sign(subject, claims, "\"exp\":" + end.getEpochSecond() + ",");
    }

    private String sign(Jwt subject, String claims, String more) {
        String text = encoded("{\"typ\":\"JWT\",\"alg\":\"ed25519-nkey\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + encoded(("{" + more + "\"jti\":\"X\",\"iat\":1700000000,\"iss\":\"" + name()
                                + "\",\"name\":\"test\",\"sub\":\"" + subject.name() + "\",\"nats\":" + claims + "}")
                        .getBytes(StandardCharsets.UTF_8));
        return text + "." + encoded(key.sign(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** The seed, as files have it. */
    String seed() {
        byte[] raw = new byte[36];
        raw[0] = (byte) (18 << 3 | type >> 5);
        raw[1] = (byte) ((type & 31) << 3);
        System.arraycopy(seed, 0, raw, 2, seed.length);
        int sum = NKey.checksum(raw, 34);
        raw[34] = (byte) sum;
        raw[35] = (byte) (sum >> 8);
        return NKey.encoded(raw);
    }

    /** A creds file for this user. */
    String creds(String jwt) {
        return "-----BEGIN NATS USER JWT-----\n" + jwt + "\n------END NATS USER JWT------\n\n"
                + "************************* IMPORTANT *************************\n\n"
                + "-----BEGIN USER NKEY SEED-----\n" + seed() + "\n------END USER NKEY SEED------\n";
    }
}
