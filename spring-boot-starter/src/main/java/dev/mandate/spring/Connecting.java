package dev.mandate.spring;

import dev.mandate.ElectionClient;
import dev.mandate.ElectionException;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;

/** Makes the client of the properties. */
final class Connecting {
    private static final String CONNECT_TIMEOUT = "connectTimeout";

    private Connecting() {}

    /**
     * Connects. Does not wait for the store unless the properties or the URL say so: the application starts without its
     * store, and leads when the store has come.
     */
    static ElectionClient connect(MandateProperties properties) {
        String url = String.valueOf(properties.getUrl());
        try {
            StoreUrl parsed = StoreUrl.parse(url);
            ElectionClient.Builder builder = ElectionClient.builder(url);
            if (parsed.parameter(CONNECT_TIMEOUT).isEmpty()) {
                builder.connectTimeout(Duration.ZERO);
            }
            properties.apply(builder);
            return builder.connect();
        } catch (IllegalArgumentException e) {
            throw new MandateStartException(
                    "Mandate's settings are wrong: " + e.getMessage() + ".",
                    "Correct mandate.url, or the property under 'mandate' that the sentence names.",
                    e);
        } catch (ElectionException e) {
            throw new MandateStartException(
                    "Mandate can't use the store: " + e.getMessage() + ".",
                    "Correct mandate.url, or what the store is missing.",
                    e);
        }
    }
}
