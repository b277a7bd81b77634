package dev.mandate.support;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Wraps private keys from other tools into PKCS-8, which this JVM's TLS reads: the forms of PKCS-1
 * ({@code RSA PRIVATE KEY}) and SEC 1 ({@code EC PRIVATE KEY}), in DER.
 */
final class KeyForm {
    static final int INTEGER = 0x02;
    static final int OCTETS = 0x04;
    static final int SEQUENCE = 0x30;
    private static final int PARAMETERS = 0xA0;

    private static final byte[] VERSION = HexFormat.of().parseHex("020100");
    private static final byte[] RSA = HexFormat.of().parseHex("300d06092a864886f70d0101010500");
    private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private KeyForm() {}

    /**
     * One element of DER.
     *
     * @param from where its content begins
     * @param end behind its content
     */
    record Element(int tag, int from, int end) {
        byte[] content(byte[] der) {
            return Arrays.copyOfRange(der, from, end);
        }
    }

    static byte[] ofPkcs1(byte[] key) {
        return element(SEQUENCE, VERSION, RSA, element(OCTETS, key));
    }

    /**
     * Wraps a SEC 1 key, which must name its curve.
     *
     * @throws IllegalArgumentException if it does not
     */
    static byte[] ofSec1(byte[] key) {
        Element all = at(key, 0);
        int next = all.from();
        while (next < all.end()) {
            Element part = at(key, next);
            if (part.tag() == PARAMETERS) {
                byte[] algorithm = element(SEQUENCE, EC, part.content(key));
                return element(SEQUENCE, VERSION, algorithm, element(OCTETS, key));
            }
            next = part.end();
        }
        throw new IllegalArgumentException("the key names no curve");
    }

    /**
     * The element that begins at {@code at}.
     *
     * @throws IllegalArgumentException if it is longer than the rest of {@code der}
     */
    static Element at(byte[] der, int at) {
        int from = at + 2;
        if (from > der.length) {
            throw new IllegalArgumentException("the key ends too early");
        }
        int length = der[at + 1] & 0xFF;
        if (length >= 0x80) {
            int bytes = length & 0x7F;
            if (bytes == 0 || bytes > 3 || from + bytes > der.length) {
                throw new IllegalArgumentException("the key is no DER");
            }
            length = 0;
            for (int i = 0; i < bytes; i++) {
                length = length << 8 | der[from++] & 0xFF;
            }
        }
        if (length > der.length - from) {
            throw new IllegalArgumentException("the key ends too early");
        }
        return new Element(der[at] & 0xFF, from, from + length);
    }

    static byte[] element(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        int length = content.size();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        if (length < 0x80) {
            all.write(length);
        } else {
            int bytes = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
            all.write(0x80 | bytes);
            for (int i = bytes - 1; i >= 0; i--) {
                all.write(length >>> 8 * i);
            }
        }
        all.writeBytes(content.toByteArray());
        return all.toByteArray();
    }
}
