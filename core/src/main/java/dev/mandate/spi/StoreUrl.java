package dev.mandate.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store's address: {@code scheme:rest?name=value&name=value}, where rest is {@code //authority/path} or anything
 * the scheme defines.
 *
 * <p>{@link #toString()} hides every secret: the password in the authority, and the values of parameters whose names
 * say so. No other text form may reach a message or a log.
 */
public final class StoreUrl {
    private static final Set<String> SECRET_WORDS =
            Set.of("password", "passwd", "secret", "token", "key", "sig", "sas");
    private static final String HIDDEN = "***";
    private static final String KEY = "key";

    private final String scheme;
    private final String rest;
    private final Map<String, String> parameters;
    private final @Nullable Duration lease;
    private final boolean onlyExisting;

    private StoreUrl(
            String scheme,
            String rest,
            Map<String, String> parameters,
            @Nullable Duration lease,
            boolean onlyExisting) {
        this.scheme = scheme;
        this.rest = rest;
        this.parameters = parameters;
        this.lease = lease;
        this.onlyExisting = onlyExisting;
    }

    /**
     * Reads a URL.
     *
     * @throws IllegalArgumentException that says what is wrong without quoting what may be a secret
     */
    public static StoreUrl parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 1 || !text.substring(0, colon).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
            throw new IllegalArgumentException(
                    "the store URL has no scheme; write it like sqlite:/var/lib/mandate.db or postgresql://host/db");
        }
        int question = text.indexOf('?', colon);
        String rest = question < 0 ? text.substring(colon + 1) : text.substring(colon + 1, question);
        Map<String, String> parameters = new LinkedHashMap<>();
        if (question >= 0 && question + 1 < text.length()) {
            for (String pair : text.substring(question + 1).split("&", -1)) {
                addParameter(pair, parameters);
            }
        }
        return new StoreUrl(text.substring(0, colon).toLowerCase(Locale.ROOT), rest, parameters, null, false);
    }

    private static void addParameter(String pair, Map<String, String> parameters) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
            // Not quoted: it may be the rest of a password that contains an &.
            throw new IllegalArgumentException("the store URL has a parameter without name or value; write name=value,"
                    + " joined by &, and & in a value as %26");
        }
        String name = decode(pair.substring(0, equals));
        if (parameters.put(name, decode(pair.substring(equals + 1))) != null) {
            throw new IllegalArgumentException("the store URL gives the parameter '" + name + "' twice; give it once");
        }
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Without its cause, which quotes the text.
            throw new IllegalArgumentException("a parameter of the store URL is badly percent-encoded; write % as %25");
        }
    }

    /** The part before the first colon, lower case. */
    public String scheme() {
        return scheme;
    }

    /** The part between scheme and parameters, as written; may hold a secret. */
    public String rest() {
        return rest;
    }

    /** All parameters, decoded, in the order given; values may be secrets. */
    public Map<String, String> parameters() {
        return Collections.unmodifiableMap(parameters);
    }

    /** One parameter, decoded. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /**
     * A parameter that is a duration.
     *
     * @param otherwise the default
     * @throws IllegalArgumentException that names it, its value and the bounds, if it is no duration or out of bounds
     */
    public Duration duration(String name, Duration otherwise, Duration min, Duration max) {
        String text = parameters.get(name);
        if (text == null) {
            return otherwise;
        }
        Duration value = Durations.parse(name, text);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("the parameter '" + name + "' of the store URL is '" + text
                    + "'; it must be from " + Durations.text(min) + " to " + Durations.text(max));
        }
        return value;
    }

    /**
     * A parameter that is {@code true} or {@code false}.
     *
     * @param otherwise the default
     * @throws IllegalArgumentException that names it and its value, if it is neither
     */
    public boolean flag(String name, boolean otherwise) {
        String text = parameters.get(name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(
                    "the parameter '" + name + "' of the store URL is '" + text + "'; write true or false");
        }
        return text == null ? otherwise : text.equals("true");
    }

    /** This URL without some of its parameters. */
    public StoreUrl without(Set<String> names) {
        Map<String, String> left = new LinkedHashMap<>(parameters);
        left.keySet().removeAll(names);
        return new StoreUrl(scheme, rest, left, lease, onlyExisting);
    }

    /** This URL for a client that will ask for this lease. */
    public StoreUrl withLease(Duration inForce) {
        return new StoreUrl(scheme, rest, parameters, inForce, onlyExisting);
    }

    /**
     * This URL for a client that creates nothing: {@link #mayCreate} is false, whatever the parameter
     * {@code create} says.
     */
    public StoreUrl onlyExisting() {
        return new StoreUrl(scheme, rest, parameters, lease, true);
    }

    /**
     * Whether the store may create what is missing: a file, tables, a bucket, a container. True unless the parameter
     * {@code create} is {@code false} or {@link #onlyExisting} was called. If false, a store that is missing something
     * throws {@link dev.mandate.StoreSetupException} when opened or first read, says what is missing and how to create
     * it, and leaves no trace.
     *
     * @throws IllegalArgumentException if the parameter {@code create} is neither {@code true} nor {@code false}
     */
    public boolean mayCreate() {
        return flag("create", true) && !onlyExisting;
    }

    /**
     * The lease that the client will request, for stores that must prepare for it. Empty where no
     * client opens the store.
     */
    public Optional<Duration> lease() {
        return Optional.ofNullable(lease);
    }

    /** Whether this URL contains a password or another secret and so must not appear on a command line. */
    public boolean holdsSecret() {
        return !maskedRest().equals(rest) || parameters.keySet().stream().anyMatch(StoreUrl::isSecret);
    }

    private static boolean isSecret(String parameter) {
        String lower = parameter.toLowerCase(Locale.ROOT);
        if (lower.equals(KEY)) {
            // The template of the keys, not a secret.
            return false;
        }
        // The place where a secret is kept is not secret.
        boolean isPlace = lower.endsWith("file") || lower.endsWith("env");
        return !isPlace && SECRET_WORDS.stream().anyMatch(lower::contains);
    }

    private String maskedRest() {
        int at = rest.lastIndexOf('@');
        if (at < 0) {
            return rest;
        }
        int start = rest.startsWith("//") ? 2 : 0;
        int colon = rest.indexOf(':', start);
        return colon < 0 || colon > at || colon + 1 == at
                ? rest
                : rest.substring(0, colon + 1) + HIDDEN + rest.substring(at);
    }

    /** The URL with every secret replaced by {@code ***}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(scheme).append(':').append(maskedRest());
        char separator = '?';
        for (Map.Entry<String, String> p : parameters.entrySet()) {
            text.append(separator).append(p.getKey()).append('=').append(isSecret(p.getKey()) ? HIDDEN : p.getValue());
            separator = '&';
        }
        return text.toString();
    }
}
