package dev.mandate.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the command line byte for byte. Java decodes arguments by the locale and replaces what it cannot decode:
 * without a locale, as under cron, {@code größe} and {@code gräße} would become one name, and commands would get
 * altered arguments.
 *
 * <p>A byte that is not UTF-8 becomes half a surrogate pair, U+DC80 to U+DCFF. Names may not contain one; {@link
 * #bytes} restores the byte.
 */
public final class Arguments {
    private Arguments() {}

    /** {@code args} decoded as UTF-8 if {@code /proc} gives their bytes, else {@code args} unchanged. */
    static String[] exact(String[] args) {
        for (String arg : args) {
            if (!isAscii(arg)) {
                return exact(args, Path.of("/proc/self/cmdline"));
            }
        }
        return args;
    }

    static String[] exact(String[] args, Path commandLine) {
        List<byte[]> raw;
        try {
            raw = split(Files.readAllBytes(commandLine));
        } catch (IOException e) {
            return args;
        }
        if (raw.size() < args.length) {
            return args;
        }
        String[] exact = new String[args.length];
        for (int i = 0; i < args.length; i++) {
            exact[i] = text(raw.get(raw.size() - args.length + i));
            // A test passed its own arguments, not those of this process.
            if (isAscii(args[i]) && !args[i].equals(exact[i])) {
                return args;
            }
        }
        return exact;
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 128);
    }

    private static List<byte[]> split(byte[] all) {
        List<byte[]> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] == 0) {
                parts.add(java.util.Arrays.copyOfRange(all, start, i));
                start = i + 1;
            }
        }
        return parts;
    }

    /** Decodes UTF-8; a byte that is not UTF-8 becomes U+DC00 plus the byte. */
    public static String text(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        for (CoderResult result = decoder.decode(in, out, true);
                result.isError();
                result = decoder.decode(in, out, true)) {
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (0xDC00 + (in.get() & 0xFF)));
            }
        }
        return out.flip().toString();
    }

    /** Whether {@code c} stands for a byte that is not UTF-8. */
    static boolean isForeignByte(int c) {
        return c >= 0xDC80 && c <= 0xDCFF;
    }

    /** The bytes that {@code text} was decoded from. */
    public static byte[] bytes(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length());
        text.codePoints().forEach(c -> {
            if (isForeignByte(c)) {
                out.write(c - 0xDC00);
            } else {
                out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
            }
        });
        return out.toByteArray();
    }
}
