package dev.mandate.azureblob;

import dev.mandate.support.KeyTemplate;
import java.time.Duration;

/**
 * The settings in a store URL.
 *
 * @param name for messages, without secrets: the service and the container
 * @param endpoint the blob service, without a container: {@code https://account.blob.core.windows.net}
 * @param container holds the blobs
 * @param credentials sign the requests; may change while in use
 * @param keys the names of blobs
 * @param watch how often a watch polls the blobs of elections
 * @param create whether a missing container may be created
 */
record AzureBlobSettings(
        String name,
        String endpoint,
        String container,
        Credentials credentials,
        KeyTemplate keys,
        Duration watch,
        boolean create) {

    boolean isTls() {
        return endpoint.startsWith("https:");
    }
}
