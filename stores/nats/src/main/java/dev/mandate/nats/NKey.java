package dev.mandate.nats;

import io.nats.client.support.Encoding;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A NATS user's key: a seed like {@code SUA…}; the JDK derives an Ed25519 key pair from it. No message quotes it. */
final class NKey {
    private static final int SEED_PREFIX = 18 << 3;
    private static final int SEED_LENGTH = 32;
    private static final int SUM_LENGTH = 2;
    static final int USER = 20 << 3;

    private final int type;
    private final PrivateKey key;
    private final byte[] publicKey;

    private NKey(int type, PrivateKey key, byte[] publicKey) {
        this.type = type;
        this.key = key;
        this.publicKey = publicKey;
    }

    /**
     * Reads the seed of a user.
     *
     * @throws IllegalArgumentException if it is not a seed or is damaged; says which, without quoting it
     */
    static NKey ofUser(String seed) {
        byte[] raw = Encoding.base32Decode(seed.toCharArray());
        boolean isWhole =
                raw.length == 2 + SEED_LENGTH + SUM_LENGTH && encoded(raw).equals(seed);
        if (!isWhole || (raw[0] & 0xF8) != SEED_PREFIX) {
            throw new IllegalArgumentException("it is no seed, which begins with SU and has 58 letters and digits");
        }
        int sum = raw[raw.length - 2] & 0xFF | (raw[raw.length - 1] & 0xFF) << 8;
        if (sum != checksum(raw, raw.length - SUM_LENGTH)) {
            throw new IllegalArgumentException("its checksum is wrong: a letter was lost or changed");
        }
        int type = (raw[0] & 7) << 5 | (raw[1] & 0xF8) >> 3;
        if (type != USER) {
            throw new IllegalArgumentException("it is the seed of something else than a user, which begins with SU");
        }
        return of(type, Arrays.copyOfRange(raw, 2, 2 + SEED_LENGTH));
    }

    /** Derives the key pair of a seed; {@code type} is the kind of its owner, {@link #USER} for a user. */
    static NKey of(int type, byte[] seed) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
            // The generator "draws" the seed as the private key and computes the public one.
            generator.initialize(NamedParameterSpec.ED25519, new Given(seed));
            KeyPair pair = generator.generateKeyPair();
            byte[] encoded = pair.getPublic().getEncoded();
            return new NKey(
                    type, pair.getPrivate(), Arrays.copyOfRange(encoded, encoded.length - SEED_LENGTH, encoded.length));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no Ed25519", e);
        }
    }

    /** The public name, which the servers know: {@code U…} for a user. */
    String name() {
        byte[] raw = new byte[1 + publicKey.length + SUM_LENGTH];
        raw[0] = (byte) type;
        System.arraycopy(publicKey, 0, raw, 1, publicKey.length);
        int sum = checksum(raw, raw.length - SUM_LENGTH);
        raw[raw.length - 2] = (byte) sum;
        raw[raw.length - 1] = (byte) (sum >> 8);
        return encoded(raw);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NKey that && type == that.type && Arrays.equals(publicKey, that.publicKey);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(publicKey);
    }

    byte[] sign(byte[] text) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(text);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM can't sign with Ed25519", e);
        }
    }

    /** CRC-16 as in XMODEM. */
    static int checksum(byte[] data, int length) {
        int sum = 0;
        for (int i = 0; i < length; i++) {
            sum ^= (data[i] & 0xFF) << 8;
            for (int bit = 0; bit < 8; bit++) {
                sum = (sum & 0x8000) != 0 ? sum << 1 ^ 0x1021 : sum << 1;
            }
            sum &= 0xFFFF;
        }
        return sum;
    }

    static String encoded(byte[] raw) {
        return new String(Encoding.base32Encode(raw));
    }

    /** A "random" source that returns the seed. */
    private static final class Given extends SecureRandom {
        private static final long serialVersionUID = 1;
        private final byte[] seed;

        Given(byte[] seed) {
            this.seed = seed.clone();
        }

        @Override
        public void nextBytes(byte[] bytes) {
            System.arraycopy(seed, 0, bytes, 0, bytes.length);
        }
    }
}
