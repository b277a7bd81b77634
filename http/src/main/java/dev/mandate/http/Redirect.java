package dev.mandate.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Makes a redirect of a leader's value. Pure. */
final class Redirect {
    private Redirect() {}

    /** {@code value} as the value of {@code Location}, if it is an absolute http or https URL; else empty. */
    static Optional<String> of(String value) {
        try {
            URI uri = new URI(value);
            String scheme = uri.getScheme();
            boolean isHttp = "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
            return isHttp && uri.getHost() != null ? Optional.of(uri.toASCIIString()) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }
}
