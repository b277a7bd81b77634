package dev.mandate.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.Request;

/**
 * Reads the path and the query of a request as they were sent. Decodes every segment separately and once, so that a
 * name may hold any character; normalizes nothing. Pure.
 */
final class PathText {
    private PathText() {}

    /** The path of a request as it was sent, below the context's path. */
    static String below(Request request) {
        String path = String.valueOf(request.getHttpURI().getPath());
        String context = Request.getContextPath(request);
        return context != null && context.length() > 1 && path.startsWith(context)
                ? path.substring(context.length())
                : path;
    }

    /**
     * The decoded segments of an absolute path; of {@code /} a single empty one.
     *
     * @throws BadRequestException if the path is not absolute, or malformed
     */
    static List<String> segments(String path) throws BadRequestException {
        if (!path.startsWith("/")) {
            throw new BadRequestException("the path does not begin with /");
        }
        List<String> decoded = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            decoded.add(decoded(segment));
        }
        return decoded;
    }

    /**
     * The decoded value of the one parameter {@code name} in {@code query}; empty if it has none.
     *
     * @throws BadRequestException if there is any other parameter, or this one twice, or it is malformed
     */
    static String parameter(String query, String name) throws BadRequestException {
        if (query.isEmpty()) {
            return "";
        }
        String[] parts = query.split("&", -1);
        String opening = name + "=";
        if (parts.length != 1 || !parts[0].startsWith(opening)) {
            throw new BadRequestException("the query must be " + opening + "... alone");
        }
        return decoded(parts[0].substring(opening.length()).replace("+", "%20"));
    }

    /**
     * {@code text} with its escapes, {@code %} and two hexadecimal digits, decoded.
     *
     * @throws BadRequestException if an escape is malformed, a character should have been escaped, or the whole is not
     *     UTF-8
     */
    static String decoded(String text) throws BadRequestException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 0x7F) {
                throw new BadRequestException("the path or query contains a character that must be percent-encoded"
                        + " (% and two hexadecimal digits of each UTF-8 byte)");
            }
            if (c != '%') {
                bytes.write(c);
                continue;
            }
            int high = i + 2 <= text.length() - 1 ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = i + 2 <= text.length() - 1 ? Character.digit(text.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0) {
                throw new BadRequestException("the path or query contains a % without two hexadecimal digits after it");
            }
            bytes.write(high << 4 | low);
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadRequestException("the escapes in the path or query are not UTF-8");
        }
    }
}
