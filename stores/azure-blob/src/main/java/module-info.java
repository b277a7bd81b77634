/**
 * Elections by leases of Azure blobs.
 */
module dev.mandate.azureblob {
    requires transitive dev.mandate;
    requires com.azure.core.http.jdk.httpclient;
    requires com.azure.storage.blob;
    requires dev.mandate.support;
    requires java.net.http;
    requires reactor.core;
    requires static org.jspecify;

    exports dev.mandate.azureblob;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.azureblob.AzureBlobStoreProvider;
}
