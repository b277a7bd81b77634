package dev.mandate.http;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;

/** Headers of every answer: nothing may be stored, embedded, type-guessed, or run unless it is ours. */
final class Headers {
    private static final HttpField[] ALL = {
        new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, "no-store"),
        new PreEncodedHttpField(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        new PreEncodedHttpField("X-Content-Type-Options", "nosniff"),
        new PreEncodedHttpField("Referrer-Policy", "no-referrer"),
        new PreEncodedHttpField("Cross-Origin-Resource-Policy", "same-origin"),
        new PreEncodedHttpField("Cross-Origin-Opener-Policy", "same-origin"),
        new PreEncodedHttpField("X-Frame-Options", "DENY")
    };

    private Headers() {}

    static void secure(HttpFields.Mutable headers) {
        for (HttpField each : ALL) {
            headers.put(each);
        }
    }
}
