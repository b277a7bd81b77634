package dev.mandate.cli.run;

import dev.mandate.ElectionClient;
import dev.mandate.console.StoreAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Opens a client, and says so if that takes long. */
final class Connecting {
    private Connecting() {}

    /** Opens a client of {@code address}; null keeps the setting of the URL or the library. */
    static ElectionClient connect(
            StoreAddress address, @Nullable Duration lease, @Nullable String candidate, Messages messages) {
        ElectionClient.Builder builder = address.client();
        if (lease != null) {
            builder.lease(lease);
        }
        if (candidate != null) {
            builder.candidate(candidate);
        }
        AtomicBoolean isOpen = new AtomicBoolean();
        messages.noteLater("waiting for the first answer of " + address, () -> !isOpen.get());
        try {
            return builder.connect();
        } finally {
            isOpen.set(true);
        }
    }
}
