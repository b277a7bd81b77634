package dev.mandate.azureblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.storage.blob.models.BlobStorageException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the SDK throws for an answer of a status from 400 on. */
final class Refusal {
    private Refusal() {}

    /** Said by the blob service, with its {@code x-ms-request-id}; {@code code} is empty for none. */
    static BlobStorageException of(int status, String code) {
        return of(status, code, Map.of("x-ms-request-id", "1"));
    }

    static BlobStorageException of(int status, String code, Map<String, String> headers) {
        HttpHeaders all = new HttpHeaders();
        headers.forEach((name, value) -> all.set(HttpHeaderName.fromString(name), value));
        if (!code.isEmpty()) {
            all.set(HttpHeaderName.fromString("x-ms-error-code"), code);
        }
        return new BlobStorageException("quotes a signature: sig=c2VjcmV0", new Response(status, all), null);
    }

    private static final class Response extends HttpResponse {
        private final int status;
        private final HttpHeaders headers;

        Response(int status, HttpHeaders headers) {
            super(new HttpRequest(HttpMethod.GET, "http://127.0.0.1:1/leases"));
            this.status = status;
            this.headers = headers;
        }

        @Override
        public int getStatusCode() {
            return status;
        }

        @Override
        @Deprecated
        public @Nullable String getHeaderValue(String name) {
            return headers.getValue(HttpHeaderName.fromString(name));
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }

        @Override
        public Flux<ByteBuffer> getBody() {
            return Flux.empty();
        }

        @Override
        public Mono<byte[]> getBodyAsByteArray() {
            return Mono.empty();
        }

        @Override
        public Mono<String> getBodyAsString() {
            return Mono.empty();
        }

        @Override
        public Mono<String> getBodyAsString(Charset charset) {
            return Mono.empty();
        }
    }
}
