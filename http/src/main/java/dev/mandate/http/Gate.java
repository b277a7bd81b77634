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
 * Who is let in. With a token, those who name it. Without one, programs of this machine: the request has to come over
 * loopback, and to name a loopback host. The latter keeps a web page out whose name was made to resolve to 127.0.0.1
 * (DNS rebinding).
 */
final class Gate {
    private final @Nullable Token token;

    Gate(@Nullable Token token) {
        this.token = token;
    }

    /** Why somebody is not let in. */
    record Refusal(int status, String sentence) {}

    /** Null: come in. */
    @Nullable
    Refusal refusal(Request request) {
        Token wanted = token;
        HttpFields headers = request.getHeaders();
        if (wanted != null) {
            return wanted.isIn(headers.getValuesList(HttpHeader.AUTHORIZATION))
                    ? null
                    : new Refusal(
                            401,
                            "a token is needed: send it as 'Authorization: Bearer TOKEN', or as the password of any user");
        }
        if (!isLoopback(request.getConnectionMetaData().getLocalSocketAddress())) {
            return new Refusal(421, "without a token this is served over loopback only; set one to serve it to others");
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

    /** The URI has a host of its own where it was sent whole; else it has that of the header. */
    private static boolean isLoopback(List<String> hosts, HttpURI uri) {
        String ofUri = uri.getHost();
        return hosts.size() == 1
                && Hosts.isLoopback(Hosts.withoutPort(hosts.get(0)))
                && (ofUri == null || Hosts.isLoopback(ofUri));
    }
}
