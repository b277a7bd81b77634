package dev.mandate.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Keys in the forms of other tools. */
class KeyFormTest {
    /** What is in the third part of PKCS-8. */
    private static byte[] inner(byte[] pkcs8) {
        KeyForm.Element all = KeyForm.at(pkcs8, 0);
        KeyForm.Element version = KeyForm.at(pkcs8, all.from());
        KeyForm.Element algorithm = KeyForm.at(pkcs8, version.end());
        return KeyForm.at(pkcs8, algorithm.end()).content(pkcs8);
    }

    private static byte[] curve(byte[] pkcs8) {
        KeyForm.Element version = KeyForm.at(pkcs8, KeyForm.at(pkcs8, 0).from());
        KeyForm.Element algorithm = KeyForm.at(pkcs8, version.end());
        KeyForm.Element type = KeyForm.at(pkcs8, algorithm.from());
        return Arrays.copyOfRange(pkcs8, type.end(), algorithm.end());
    }

    @Test
    void anRsaKeyComesOutAsItIs() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        byte[] pkcs8 = generator.generateKeyPair().getPrivate().getEncoded();

        assertThat(KeyForm.ofPkcs1(inner(pkcs8))).isEqualTo(pkcs8);
    }

    @Test
    void aKeyOnACurveComesOutTheSame() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        PrivateKey key = generator.generateKeyPair().getPrivate();
        byte[] without = inner(key.getEncoded());
        byte[] named = KeyForm.element(0xA0, curve(key.getEncoded()));
        byte[] sec1 = KeyForm.element(KeyForm.SEQUENCE, KeyForm.at(without, 0).content(without), named);

        PrivateKey back = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(KeyForm.ofSec1(sec1)));

        assertThat(((ECPrivateKey) back).getS()).isEqualTo(((ECPrivateKey) key).getS());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyForm.ofSec1(without))
                .withMessageContaining("curve");
    }

    /** Cut anywhere, it is refused, and nothing else happens. */
    @Test
    void aKeyThatIsCutIsRefused() {
        byte[] key = KeyForm.element(KeyForm.SEQUENCE, new byte[300]);
        for (int length = 0; length < key.length; length++) {
            byte[] cut = Arrays.copyOf(key, length);
            assertThatIllegalArgumentException().isThrownBy(() -> KeyForm.ofSec1(cut));
        }
    }
}
