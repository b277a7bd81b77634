package dev.mandate.azureblob;

import dev.mandate.support.KeyTemplate;
import java.time.Duration;

/**
 * What a URL says.
 *
 * @param name for messages, without secrets: the service and the container
 * @param endpoint the blob service, without a container: {@code https://account.blob.core.windows.net}
 * @param container holds the blobs
 * @param credentials what requests are signed with; they may change while they are used
 * @param keys how blobs are called
 * @param watch how often the blobs of elections are looked at for news
 * @param create whether a missing container may be made
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
