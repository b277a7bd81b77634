package dev.mandate.azureblob;

import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobProperties;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.LeaseStateType;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.models.PublicAccessType;
import com.azure.storage.blob.options.BlobBreakLeaseOptions;
import com.azure.storage.blob.sas.BlobContainerSasPermission;
import com.azure.storage.blob.sas.BlobServiceSasSignatureValues;
import com.azure.storage.blob.specialized.BlobLeaseClient;
import com.azure.storage.blob.specialized.BlobLeaseClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Somebody with the tools of the service, who knows no Mandate: an operator, or a candidate of another program. */
final class Operator implements AutoCloseable {
    private final BlobContainerClient container;

    Operator(int port) {
        this(port, Azurite.CONTAINER);
    }

    Operator(int port, String container) {
        this.container = new BlobServiceClientBuilder()
                .endpoint("http://127.0.0.1:" + port + "/" + Azurite.ACCOUNT)
                .credential(new StorageSharedKeyCredential(Azurite.ACCOUNT, Credentials.EMULATOR_KEY))
                .httpClient(new JdkHttpClientBuilder().build())
                .buildClient()
                .getBlobContainerClient(container);
    }

    private BlobClient blob(String name) {
        return container.getBlobClient(name);
    }

    private BlobLeaseClient leaseClient(String name, @Nullable String id) {
        BlobLeaseClientBuilder builder = new BlobLeaseClientBuilder().blobClient(blob(name));
        return (id == null ? builder : builder.leaseId(id)).buildClient();
    }

    void createContainer() {
        container.createIfNotExists();
    }

    void deleteContainer() {
        container.delete();
    }

    boolean hasContainer() {
        return container.exists();
    }

    /** A blob with something in it, as a recipe has. */
    void create(String name) {
        container.createIfNotExists();
        blob(name).upload(BinaryData.fromString("not ours"), true);
    }

    /** Takes the lease, for so many seconds or -1 for ever, and returns its id. */
    String lease(String name, int seconds) {
        return leaseClient(name, null).acquireLease(seconds);
    }

    void renew(String name, String lease) {
        leaseClient(name, lease).renewLease();
    }

    void release(String name, String lease) {
        leaseClient(name, lease).releaseLease();
    }

    void breakLease(String name) {
        leaseClient(name, null)
                .breakLeaseWithResponse(new BlobBreakLeaseOptions().setBreakPeriod(Duration.ZERO), null, null);
    }

    /**
     * As the tools do unless they are told otherwise: the lease stays for the rest of its time, and can't be renewed.
     */
    void breakLeaseWithoutAPeriod(String name) {
        leaseClient(name, null).breakLease();
    }

    BlobProperties look(String name) {
        return blob(name).getProperties();
    }

    LeaseStateType state(String name) {
        return look(name).getLeaseState();
    }

    boolean exists(String name) {
        return blob(name).exists();
    }

    /** The names of all blobs that begin that way. */
    List<String> names(String prefix) {
        return container.listBlobs(new ListBlobsOptions().setPrefix(prefix), null).stream()
                .map(BlobItem::getName)
                .toList();
    }

    /** The record's text. */
    String record(String name) {
        return look(name).getMetadata().getOrDefault(Records.ENTRY, "");
    }

    /** Replaces the whole blob, as a thoughtless upload does, by whoever knows its lease; null for none. */
    void overwrite(String name, @Nullable String lease) {
        blob(name)
                .uploadWithResponse(
                        new com.azure.storage.blob.options.BlobParallelUploadOptions(
                                        BinaryData.fromString("overwritten"))
                                .setRequestConditions(new BlobRequestConditions().setLeaseId(lease)),
                        null,
                        null);
    }

    void writeMetadata(String name, String entry, String value, @Nullable String lease) {
        Map<String, String> metadata = new HashMap<>();
        metadata.put(entry, value);
        blob(name).setMetadataWithResponse(metadata, new BlobRequestConditions().setLeaseId(lease), null, null);
    }

    void delete(String name) {
        blob(name).delete();
    }

    void delete(String name, String lease) {
        blob(name).deleteWithResponse(null, new BlobRequestConditions().setLeaseId(lease), null, null);
    }

    /** A signature for the container. */
    String sas(String permissions, Duration validFor) {
        return container.generateSas(new BlobServiceSasSignatureValues(
                        OffsetDateTime.now().plus(validFor), BlobContainerSasPermission.parse(permissions))
                .setStartTime(OffsetDateTime.now().minusHours(1)));
    }

    void openToEverybody() {
        container.setAccessPolicy(PublicAccessType.CONTAINER, null);
    }

    @Override
    public void close() {
        // The HTTP client ends by itself.
    }
}
