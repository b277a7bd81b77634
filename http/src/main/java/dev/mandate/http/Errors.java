package dev.mandate.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** What the server itself answers to unreadable requests and internal errors: one sentence. */
final class Errors extends ErrorHandler {
    private static final System.Logger LOG = System.getLogger("dev.mandate.http");

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Throwable cause = (Throwable) request.getAttribute(ERROR_EXCEPTION);
        int status = response.getStatus();
        if (cause instanceof HttpException known) {
            status = known.getCode();
        }
        Headers.secure(response.getHeaders());
        if (status >= 500 && !(cause instanceof HttpException)) {
            LOG.log(System.Logger.Level.WARNING, "a request could not be answered", cause);
        }
        response.setStatus(status);
        if (HttpStatus.hasNoBody(status)) {
            callback.succeeded();
            return true;
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Reply.JSON);
        response.write(true, ByteBuffer.wrap(Json.object(Reply.error(sentence(status)))), callback);
        return true;
    }

    private static String sentence(int status) {
        return switch (status) {
            case 400 -> "the request is malformed";
            case 408 -> "the request took too long";
            case 413 -> "a request must not have a body";
            case 414 -> "the path is too long; give at most " + MandateHttp.HEADER_BYTES + " bytes with all headers";
            case 417 -> "an Expect header is not supported; leave it out";
            case 431 -> "the headers are too long; send at most " + MandateHttp.HEADER_BYTES + " bytes";
            case 505 -> "use HTTP/1.1";
            default ->
                status >= 500
                        ? "the server failed; its log says more"
                        : "the request cannot be answered: " + HttpStatus.getMessage(status);
        };
    }
}
