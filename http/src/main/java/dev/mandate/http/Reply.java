package dev.mandate.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers that fit into one write. */
final class Reply {
    static final String JSON = "application/json";

    private Reply() {}

    static void json(Response response, Callback callback, int status, Json.Body body) {
        bytes(response, callback, status, JSON, Json.object(body));
    }

    static void error(Response response, Callback callback, int status, String sentence) {
        json(response, callback, status, error(sentence));
    }

    static Json.Body error(String sentence) {
        return json -> json.writeStringField("error", sentence);
    }

    static void bytes(Response response, Callback callback, int status, String contentType, byte[] bytes) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }
}
