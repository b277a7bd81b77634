package dev.mandate.azureblob;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpPipelineCallContext;
import com.azure.core.http.HttpPipelineNextPolicy;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.policy.HttpPipelinePolicy;
import com.azure.core.util.FluxUtil;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Limits an answer's body to what the blob service may send, in case something else answers without end. */
final class BodyLimit implements HttpPipelinePolicy {
    /** A listing page with metadata is about 1 MiB. */
    static final long BYTES_MAX = 8 << 20;

    @Override
    public Mono<HttpResponse> process(HttpPipelineCallContext context, HttpPipelineNextPolicy next) {
        // Otherwise the HTTP client buffers the whole body first.
        context.setData("azure-eagerly-read-response", false);
        return next.process().map(Limited::new);
    }

    private static final class Limited extends HttpResponse {
        private final HttpResponse whole;

        Limited(HttpResponse whole) {
            super(whole.getRequest());
            this.whole = whole;
        }

        @Override
        public int getStatusCode() {
            return whole.getStatusCode();
        }

        @Override
        @Deprecated
        public String getHeaderValue(String name) {
            return whole.getHeaders().getValue(HttpHeaderName.fromString(name));
        }

        @Override
        public HttpHeaders getHeaders() {
            return whole.getHeaders();
        }

        @Override
        public Flux<ByteBuffer> getBody() {
            AtomicLong read = new AtomicLong();
            return whole.getBody().doOnNext(part -> {
                if (read.addAndGet(part.remaining()) > BYTES_MAX) {
                    throw reactor.core.Exceptions.propagate(new TooLongException(BYTES_MAX));
                }
            });
        }

        @Override
        public Mono<byte[]> getBodyAsByteArray() {
            return FluxUtil.collectBytesInByteBufferStream(getBody());
        }

        @Override
        public Mono<String> getBodyAsString() {
            return getBodyAsString(StandardCharsets.UTF_8);
        }

        @Override
        public Mono<String> getBodyAsString(Charset charset) {
            return getBodyAsByteArray().map(bytes -> new String(bytes, charset));
        }

        @Override
        public void close() {
            whole.close();
        }
    }
}
