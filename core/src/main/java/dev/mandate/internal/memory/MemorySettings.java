package dev.mandate.internal.memory;

import dev.mandate.Guarantee;
import dev.mandate.internal.memory.ModelOptions.Token;
import dev.mandate.internal.memory.ModelOptions.VacantBasis;
import dev.mandate.spi.Expiry;
import dev.mandate.spi.LeaseScope;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code memory:} URL asks for.
 *
 * @param name the data's name; empty for unshared data
 * @param label this connection's name in {@link dev.mandate.memory.MemoryFaults#only}; may be empty
 * @param answersAtOnce whether answers come on the caller's thread, before the call returns
 * @param given the parameters that shape the data, as given
 */
record MemorySettings(
        String name,
        String label,
        boolean answersAtOnce,
        StoreTraits traits,
        ModelOptions options,
        Map<String, String> given) {
    static final Map<String, String> PARAMETERS = parameters();

    private static Map<String, String> parameters() {
        Map<String, String> p = new LinkedHashMap<>();
        p.put("as", "what MemoryFaults.only(...) calls this connection");
        p.put("answers", "thread (default) or at-once: whether answers come on the caller's thread");
        p.put("expiry", "store-removes (default) or observer-judges");
        p.put("scope", "session (default) or record: what a lease is attached to");
        p.put("vacant", "rising (default) or constant: whether the version of a vacant key repeats");
        p.put("token", "clock (default) or revision: where fencing tokens come from");
        p.put("updatesRenew", "true or false (default): whether every update renews a record's lease");
        p.put("watch", "true (default) or false: whether changes are told");
        p.put("leaseMin", "the shortest lease, default 1ms");
        p.put("leaseMax", "the longest lease, default 24h");
        p.put("leaseStep", "leases are rounded up to multiples of this, default 1ms");
        p.put("expiryFactor", "a lease expires after this many times its length, 1.0 (default) to 10");
        p.put("expirySlack", "a lease expires this much later, default 0ms");
        p.put("lockDelay", "how long a key is refused to everybody after its holder vanished, default 0ms");
        return Map.copyOf(p);
    }

    static MemorySettings of(StoreUrl url) {
        Map<String, String> given = new LinkedHashMap<>(url.parameters());
        boolean answersAtOnce = choice(given, "answers", "thread", false, "at-once", true);
        given.remove("answers");
        String label = Optional.ofNullable(given.remove("as")).orElse("");
        Expiry expiry = choice(
                given, "expiry", "store-removes", Expiry.STORE_REMOVES, "observer-judges", Expiry.OBSERVER_JUDGES);
        LeaseScope scope = choice(given, "scope", "session", LeaseScope.SESSION, "record", LeaseScope.RECORD);
        StoreTraits traits = StoreTraits.of("memory", expiry, scope)
                .withGuarantee(Guarantee.FENCED)
                .withLeaseBounds(
                        duration(given, "leaseMin", 1),
                        duration(given, "leaseMax", 86_400_000),
                        duration(given, "leaseStep", 1))
                .withExpiry(factor(given.get("expiryFactor")), duration(given, "expirySlack", 0))
                .withLockDelay(duration(given, "lockDelay", 0))
                .withWatch(choice(given, "watch", "true", true, "false", false))
                .withAssumptions("All candidates are clients of one JVM, and the data ends with its last client.");
        requireBounds(traits);
        ModelOptions options = ModelOptions.DEFAULT
                .with(choice(given, "vacant", "rising", VacantBasis.RISING, "constant", VacantBasis.CONSTANT))
                .with(choice(given, "token", "clock", Token.CLOCK, "revision", Token.REVISION))
                .withUpdatesRenew(choice(given, "updatesRenew", "false", false, "true", true));
        traits = traits.withOrderedTerms(options.token() == Token.REVISION);
        return new MemorySettings(url.rest(), label, answersAtOnce, traits, options, Map.copyOf(given));
    }

    /**
     * Refuses to join data that was created with other parameters.
     *
     * @throws IllegalArgumentException that names the first parameter that differs
     */
    void requireSame(MemorySettings first) {
        for (String parameter : PARAMETERS.keySet().stream().sorted().toList()) {
            String here = given.get(parameter);
            String there = first.given.get(parameter);
            if (here == null ? there != null : !here.equals(there)) {
                throw new IllegalArgumentException("memory:" + name + " is open already with " + text(parameter, there)
                        + ", but this URL has " + text(parameter, here)
                        + "; give all clients the same parameters, or use another name");
            }
        }
    }

    private static String text(String parameter, @Nullable String value) {
        return value == null ? "no " + parameter : parameter + "=" + value;
    }

    private static void requireBounds(StoreTraits traits) {
        if (traits.leaseMin().isZero() || traits.leaseStep().isZero()) {
            throw new IllegalArgumentException("leaseMin and leaseStep of a memory: URL must be more than 0");
        }
        if (traits.leaseMax().compareTo(traits.leaseMin()) < 0) {
            throw new IllegalArgumentException(
                    "leaseMax of a memory: URL is " + traits.leaseMax().toMillis() + " ms, less than leaseMin, "
                            + traits.leaseMin().toMillis() + " ms");
        }
    }

    /** The choice that the parameter names; by default the first. */
    private static <T> T choice(
            Map<String, String> given, String parameter, String first, T one, String second, T other) {
        String value = given.getOrDefault(parameter, first);
        if (value.equals(first)) {
            return one;
        }
        if (value.equals(second)) {
            return other;
        }
        throw new IllegalArgumentException(
                parameter + " of a memory: URL is '" + value + "'; it must be " + first + " or " + second);
    }

    private static double factor(@Nullable String value) {
        try {
            double factor = value == null ? 1.0 : Double.parseDouble(value);
            if (factor >= 1.0 && factor <= 10.0) {
                return factor;
            }
        } catch (NumberFormatException e) {
            // Reported below, like a number that is out of bounds.
        }
        throw new IllegalArgumentException(
                "expiryFactor of a memory: URL is '" + value + "'; it must be a number from 1.0 to 10");
    }

    private static Duration duration(Map<String, String> given, String parameter, long millisOtherwise) {
        String value = given.get(parameter);
        if (value == null) {
            return Duration.ofMillis(millisOtherwise);
        }
        int digits = 0;
        while (digits < value.length() && value.charAt(digits) >= '0' && value.charAt(digits) <= '9') {
            digits++;
        }
        long unit = switch (value.substring(digits)) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 0;
        };
        if (unit == 0 || digits == 0 || digits > 9) {
            throw new IllegalArgumentException(
                    parameter + " of a memory: URL is '" + value + "'; write it like 500ms, 10s, 2m or 1h");
        }
        return Duration.ofMillis(Long.parseLong(value.substring(0, digits)) * unit);
    }
}
