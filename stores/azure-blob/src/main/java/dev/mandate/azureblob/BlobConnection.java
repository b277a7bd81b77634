package dev.mandate.azureblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.http.rest.PagedResponse;
import com.azure.core.http.rest.Response;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Configuration;
import com.azure.storage.blob.BlobAsyncClient;
import com.azure.storage.blob.BlobContainerAsyncClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.blob.models.BlobContainerProperties;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobLeaseRequestConditions;
import com.azure.storage.blob.models.BlobListDetails;
import com.azure.storage.blob.models.BlobProperties;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.BlobStorageException;
import com.azure.storage.blob.models.LeaseDurationType;
import com.azure.storage.blob.models.LeaseStateType;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.options.BlobAcquireLeaseOptions;
import com.azure.storage.blob.options.BlobBreakLeaseOptions;
import com.azure.storage.blob.options.BlobReleaseLeaseOptions;
import com.azure.storage.blob.options.BlobRenewLeaseOptions;
import com.azure.storage.blob.options.BlockBlobSimpleUploadOptions;
import com.azure.storage.blob.specialized.BlobLeaseAsyncClient;
import com.azure.storage.blob.specialized.BlobLeaseClientBuilder;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
import dev.mandate.spi.CallContext;
import dev.mandate.support.DirectHttpClient;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The requests to one container. Changes of a blob are conditional on its version. The SDK's own retries are off. */
final class BlobConnection implements AutoCloseable {
    private static final int PAGE_ITEMS = 250;

    private final Exchanges exchanges;
    private final BlobContainerAsyncClient container;
    private final boolean mayCreate;

    BlobConnection(AzureBlobSettings settings) {
        this.exchanges = new Exchanges(settings);
        DirectHttpClient.Builder http = DirectHttpClient.newBuilder(exchanges.workers());
        JdkHttpClientBuilder client = new JdkHttpClientBuilder(http);
        if (!settings.isTls()) {
            // An emulator is local, so proxy settings don't apply.
            http.proxy(HttpClient.Builder.NO_PROXY);
            client.configuration(Configuration.NONE);
        }
        BlobServiceClientBuilder builder = new BlobServiceClientBuilder()
                .endpoint(settings.endpoint())
                .httpClient(client.build())
                .addPolicy(new BodyLimit())
                .retryOptions(new RequestRetryOptions(RetryPolicyType.FIXED, 1, (Duration) null, null, null, null));
        settings.credentials().applyTo(builder);
        this.mayCreate = settings.create();
        this.container = builder.buildAsyncClient().getBlobContainerAsyncClient(settings.container());
    }

    Exchanges exchanges() {
        return exchanges;
    }

    // ---- reading ----

    CompletableFuture<Look> look(String what, String path, boolean isUrgent, CallContext call) {
        return exchanges.send(
                what,
                isUrgent,
                call,
                () -> blob(path).getPropertiesWithResponse(null),
                response -> {
                    requireAzure(what, response.getHeaders());
                    return look(what, response.getValue());
                },
                said -> isNothing(said) ? Look.NOTHING : null);
    }

    /** The blob if its lease is {@code lease}; empty if it is another, or there is none. */
    CompletableFuture<Optional<Look>> lookUnder(
            String what, String path, String lease, boolean isUrgent, CallContext call) {
        BlobRequestConditions conditions = new BlobRequestConditions().setLeaseId(lease);
        return exchanges.send(
                what,
                isUrgent,
                call,
                () -> blob(path).getPropertiesWithResponse(conditions),
                response -> {
                    requireAzure(what, response.getHeaders());
                    return Optional.of(look(what, response.getValue()));
                },
                said -> isNothing(said) ? Optional.of(Look.NOTHING) : refusal(said) == null ? null : Optional.empty());
    }

    private Look look(String what, BlobProperties blob) {
        LeaseStateType state = blob.getLeaseState();
        if (state == null || blob.getETag() == null) {
            throw exchanges.notAzure(what, "it says neither ETag nor lease");
        }
        return look(blob.getETag(), state, blob.getLeaseDuration(), blob.getMetadata(), blob.getLastModified());
    }

    private static Look look(
            String etag,
            LeaseStateType state,
            @Nullable LeaseDurationType duration,
            @Nullable Map<String, String> metadata,
            @Nullable OffsetDateTime changed) {
        String record = metadata == null ? null : metadata.get(Records.ENTRY);
        return new Look(
                unquoted(etag),
                lease(state, duration),
                record == null ? "" : record,
                changed == null ? 0 : changed.toInstant().toEpochMilli());
    }

    private static Look.Lease lease(LeaseStateType state, @Nullable LeaseDurationType duration) {
        if (state == LeaseStateType.BREAKING) {
            return Look.Lease.BREAKING;
        }
        if (state != LeaseStateType.LEASED) {
            return Look.Lease.NONE;
        }
        return duration == LeaseDurationType.INFINITE ? Look.Lease.FOR_EVER : Look.Lease.FOR_A_TIME;
    }

    /**
     * How the service identifies itself.
     *
     * @param server its {@code Server} header; empty if missing
     * @param version the version of its interface; empty if not given
     * @param clockMillis its clock, to the second; 0 if not given
     * @param container what is known about the container
     */
    record Greeting(String server, String version, long clockMillis, Container container) {}

    /** What is known about a container. */
    enum Container {
        PRIVATE,
        /** An immutability policy or a legal hold forbids changes of its blobs. */
        IMMUTABLE,
        /** Anyone may read its blobs. */
        PUBLIC,
        MISSING,
        /** These credentials may not ask; a signature for a container never may. */
        UNTOLD
    }

    CompletableFuture<Greeting> greet(String what, boolean isUrgent, CallContext call) {
        return exchanges.send(
                what,
                isUrgent,
                call,
                () -> container.getPropertiesWithResponse(null),
                response -> {
                    requireAzure(what, response.getHeaders());
                    return greeting(response.getHeaders(), kind(response.getValue()));
                },
                said -> {
                    boolean isMissing = said.getStatusCode() == 404 && isMissing(Fault.code(said));
                    return isMissing || said.getStatusCode() == 403
                            ? greeting(
                                    said.getResponse().getHeaders(), isMissing ? Container.MISSING : Container.UNTOLD)
                            : null;
                });
    }

    private static Container kind(BlobContainerProperties properties) {
        if (properties.hasImmutabilityPolicy() || properties.hasLegalHold()) {
            return Container.IMMUTABLE;
        }
        return properties.getBlobPublicAccess() == null ? Container.PRIVATE : Container.PUBLIC;
    }

    private static Greeting greeting(HttpHeaders headers, Container container) {
        String server = headers.getValue(HttpHeaderName.SERVER);
        String version = headers.getValue(HttpHeaderName.fromString("x-ms-version"));
        return new Greeting(
                server == null ? "" : server,
                version == null ? "" : version,
                Fault.clockMillis(headers.getValue(HttpHeaderName.DATE)),
                container);
    }

    /** A blob and its state. */
    record Listed(String path, Look look) {}

    /**
     * A part of a listing.
     *
     * @param next the marker of the next part; empty after the last
     */
    record Part(List<Listed> blobs, String next) {}

    /** Blobs whose names begin with {@code start}; {@code from} is empty for the first part. */
    CompletableFuture<Part> list(String what, String start, String from, CallContext call) {
        ListBlobsOptions options = new ListBlobsOptions()
                .setPrefix(start.isEmpty() ? null : start)
                .setMaxResultsPerPage(PAGE_ITEMS)
                .setDetails(new BlobListDetails().setRetrieveMetadata(true));
        return exchanges.send(
                what,
                false,
                call,
                () -> (from.isEmpty()
                                ? container.listBlobs(options).byPage()
                                : container.listBlobs(options).byPage(from))
                        .next(),
                page -> {
                    requireAzure(what, page.getHeaders());
                    return part(what, page);
                },
                said -> isNothing(said) ? new Part(List.of(), "") : null);
    }

    private Part part(String what, PagedResponse<BlobItem> page) {
        List<Listed> blobs = new ArrayList<>();
        for (BlobItem item : page.getValue()) {
            if (item.getProperties() == null
                    || item.getProperties().getETag() == null
                    || item.getProperties().getLeaseState() == null) {
                throw exchanges.notAzure(what, "a blob of it has neither ETag nor lease");
            }
            blobs.add(new Listed(
                    item.getName(),
                    look(
                            item.getProperties().getETag(),
                            item.getProperties().getLeaseState(),
                            item.getProperties().getLeaseDuration(),
                            item.getMetadata(),
                            item.getProperties().getLastModified())));
        }
        String next = page.getContinuationToken();
        return new Part(blobs, next == null ? "" : next);
    }

    // ---- changing ----

    CompletableFuture<Answer> createContainer(String what, CallContext call) {
        return change(what, false, call, () -> container.createWithResponse(null, null));
    }

    /** Creates an empty blob if there is none. */
    CompletableFuture<Answer> create(String what, String path, CallContext call) {
        BlockBlobSimpleUploadOptions options = new BlockBlobSimpleUploadOptions(BinaryData.fromBytes(new byte[0]))
                .setRequestConditions(new BlobRequestConditions().setIfNoneMatch("*"));
        return change(
                what, false, call, () -> blob(path).getBlockBlobAsyncClient().uploadWithResponse(options));
    }

    CompletableFuture<Answer> lease(
            String what, String path, String lease, int seconds, String etag, boolean isUrgent, CallContext call) {
        BlobAcquireLeaseOptions options = new BlobAcquireLeaseOptions(seconds).setRequestConditions(conditions(etag));
        return change(what, isUrgent, call, () -> leaseOf(path, lease).acquireLeaseWithResponse(options));
    }

    CompletableFuture<Answer> renew(String what, String path, String lease, String etag, CallContext call) {
        BlobRenewLeaseOptions options = new BlobRenewLeaseOptions().setRequestConditions(conditions(etag));
        return change(what, true, call, () -> leaseOf(path, lease).renewLeaseWithResponse(options));
    }

    CompletableFuture<Answer> release(String what, String path, String lease, String etag, CallContext call) {
        BlobReleaseLeaseOptions options = new BlobReleaseLeaseOptions().setRequestConditions(conditions(etag));
        return change(what, true, call, () -> leaseOf(path, lease).releaseLeaseWithResponse(options));
    }

    /** Ends any lease at once. */
    CompletableFuture<Answer> breakLease(String what, String path, String etag, CallContext call) {
        BlobBreakLeaseOptions options =
                new BlobBreakLeaseOptions().setBreakPeriod(Duration.ZERO).setRequestConditions(conditions(etag));
        return change(what, true, call, () -> leaseOf(path, null).breakLeaseWithResponse(options));
    }

    CompletableFuture<Answer> write(
            String what, String path, Map<String, String> metadata, String lease, String etag, CallContext call) {
        BlobRequestConditions conditions =
                new BlobRequestConditions().setLeaseId(lease).setIfMatch(quoted(etag));
        return change(what, true, call, () -> blob(path).setMetadataWithResponse(metadata, conditions));
    }

    /** Deletes a blob that is not leased. */
    CompletableFuture<Answer> delete(String what, String path, String etag, CallContext call) {
        BlobRequestConditions conditions = new BlobRequestConditions().setIfMatch(quoted(etag));
        return change(what, false, call, () -> blob(path).deleteWithResponse(null, conditions));
    }

    private <T> CompletableFuture<Answer> change(
            String what, boolean isUrgent, CallContext call, Supplier<Mono<Response<T>>> request) {
        return exchanges.send(
                what,
                isUrgent,
                call,
                request,
                response -> {
                    requireAzure(what, response.getHeaders());
                    String etag = response.getHeaders().getValue(HttpHeaderName.ETAG);
                    return new Answer(
                            "",
                            etag == null ? "" : unquoted(etag),
                            Fault.clockMillis(response.getHeaders().getValue(HttpHeaderName.DATE)));
                },
                BlobConnection::refusal);
    }

    /** A request refused for its conditions was not and never will be done. Null for other errors, which are faults. */
    static @Nullable Answer refusal(BlobStorageException said) {
        String code = Fault.code(said);
        boolean isRefusal = switch (said.getStatusCode()) {
            case 404 -> isMissing(code) && !code.equals("ContainerBeingDeleted");
            case 409 ->
                code.startsWith("Lease")
                        || code.equals("BlobAlreadyExists")
                        || code.equals("ContainerAlreadyExists")
                        || code.equals("ConditionNotMet");
            case 412 -> !code.isEmpty();
            default -> false;
        };
        return isRefusal ? new Answer(code, "", 0) : null;
    }

    /** Whether there is nothing to read. A missing container is empty only if it may be created; else it is a fault. */
    private boolean isNothing(BlobStorageException said) {
        String code = Fault.code(said);
        return said.getStatusCode() == 404 && isMissing(code) && (mayCreate || !code.equals("ContainerNotFound"));
    }

    private static boolean isMissing(String code) {
        return code.equals("BlobNotFound")
                || code.equals("ContainerNotFound")
                || code.equals("ContainerBeingDeleted")
                || code.equals("ResourceNotFound");
    }

    private void requireAzure(String what, HttpHeaders headers) {
        if (headers.getValue(Fault.REQUEST_ID) == null) {
            throw exchanges.notAzure(what, "its answer has no x-ms-request-id");
        }
    }

    private BlobAsyncClient blob(String path) {
        return container.getBlobAsyncClient(path);
    }

    private BlobLeaseAsyncClient leaseOf(String path, @Nullable String lease) {
        BlobLeaseClientBuilder builder = new BlobLeaseClientBuilder().blobAsyncClient(blob(path));
        return (lease == null ? builder : builder.leaseId(lease)).buildAsyncClient();
    }

    private static BlobLeaseRequestConditions conditions(String etag) {
        return new BlobLeaseRequestConditions().setIfMatch(quoted(etag));
    }

    private static String quoted(String etag) {
        return '"' + etag + '"';
    }

    /** Listings show versions without quotes. */
    private static String unquoted(String etag) {
        return etag.length() > 1 && etag.startsWith("\"") && etag.endsWith("\"")
                ? etag.substring(1, etag.length() - 1)
                : etag;
    }

    @Override
    public void close() {
        exchanges.close();
    }
}
