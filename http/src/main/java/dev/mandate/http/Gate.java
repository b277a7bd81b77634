package dev.mandate.http;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is let in. With a token: requests that carry it. Without one: programs on this machine; the request must
 * come over loopback and name a loopback host. The latter keeps out web pages whose name was made to resolve to
 * 127.0.0.1 (DNS rebinding).
 */
final class Gate {
    private final @Nullable Token token;

    Gate(@Nullable Token token) {
        this.token = token;
    }

    /** Why a request is refused. */
    record Refusal(int status, String sentence) {}

    /** Why the request is refused; null if it is let in. */
    @Nullable
    Refusal refusal(Request request) {
        Token wanted = token;
        HttpFields headers = request.getHeaders();
        if (wanted != null) {
            return wanted.isIn(headers.getValuesList(HttpHeader.AUTHORIZATION))
                    ? null
                    : new Refusal(
                            401,
                            "a token is required: send it as 'Authorization: Bearer TOKEN', or as the password of any user");
        }
        if (!isLoopback(request.getConnectionMetaData().getLocalSocketAddress())) {
            return new Refusal(421, "without a token only loopback requests are served; set a token to serve others");
        }
        if (!isLoopback(headers.getValuesList(HttpHeader.HOST), request.getHttpURI())) {
            return new Refusal(
                    421,
                    "the Host of this request is not this machine's; call it by localhost, 127.0.0.1 or [::1],"
                            + " or set a token to serve it under other names");
        }
        return null;
    }

    private static boolean isLoopback(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                && inet.getAddress() != null
                && inet.getAddress().isLoopbackAddress();
    }

    /** A URI sent in absolute form has a host of its own; otherwise it has that of the header. */
    private static boolean isLoopback(List<String> hosts, HttpURI uri) {
        String ofUri = uri.getHost();
        return hosts.size() == 1
                && Hosts.isLoopback(Hosts.withoutPort(hosts.get(0)))
                && (ofUri == null || Hosts.isLoopback(ofUri));
    }
}
