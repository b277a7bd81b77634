package dev.mandate.support;

import dev.mandate.StoreSetupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small files that a store needs: secrets, credentials, certificates. No message quotes their content. */
public final class StoreFile {
    private StoreFile() {}

    /**
     * Reads a file. Blocks.
     *
     * @param start what messages begin with, with a space at the end: {@code the file /x, named by caFile, }
     * @throws StoreSetupException if it is larger than {@code bytesMax} or can't be read
     */
    public static byte[] read(String start, Path file, int bytesMax) {
        try {
            if (Files.size(file) > bytesMax) {
                throw new StoreSetupException(start + "has more than " + bytesMax + " bytes");
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new StoreSetupException(start + "can't be read: " + e, e);
        }
    }

    /** The same as text in UTF-8; what is not is refused, too. */
    public static String text(String start, Path file, int bytesMax) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(read(start, file, bytesMax)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new StoreSetupException(start + "can't be read: " + e, e);
        }
    }
}
