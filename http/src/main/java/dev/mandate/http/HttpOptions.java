package dev.mandate.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where and to whom {@link MandateHttp} serves. Immutable; start from {@link #DEFAULTS}.
 *
 * <p>Beyond loopback a token is required. Clients that send it, as {@code Authorization: Bearer TOKEN} or as the
 * password of {@code Basic}, see everything. It travels unencrypted: put a TLS proxy in front.
 */
public final class HttpOptions {
    /** The default port. */
    public static final int DEFAULT_PORT = 7480;

    /** {@code 127.0.0.1}, port {@value #DEFAULT_PORT}, without a token and without a probe. */
    public static final HttpOptions DEFAULTS = new HttpOptions("127.0.0.1", DEFAULT_PORT, null, null, List.of());

    private final String address;
    private final int port;
    private final @Nullable String token;
    private final @Nullable Path tokenFile;
    private final List<String> probed;

    private HttpOptions(
            String address, int port, @Nullable String token, @Nullable Path tokenFile, List<String> probed) {
        this.address = address;
        this.port = port;
        this.token = token;
        this.tokenFile = tokenFile;
        this.probed = probed;
    }

    /** Listens on this address, or on the first that this name resolves to: {@code 0.0.0.0} for all of IPv4. */
    public HttpOptions withAddress(String newAddress) {
        return new HttpOptions(newAddress, port, token, tokenFile, probed);
    }

    /**
     * Listens on this port; 0 for any free one.
     *
     * @throws IllegalArgumentException if it is not 0 to 65535
     */
    public HttpOptions withPort(int newPort) {
        if (newPort < 0 || newPort > 65_535) {
            throw new IllegalArgumentException("port is " + newPort + "; give 0 to 65535, 0 for any that is free");
        }
        return new HttpOptions(address, newPort, token, tokenFile, probed);
    }

    /**
     * Serves only requests with this token, at least 16 printable ASCII characters without blanks. Replaces an earlier
     * token or file.
     *
     * @throws IllegalArgumentException if it is shorter, or holds anything else; does not quote it
     */
    public HttpOptions withToken(String newToken) {
        Token.fixed(newToken);
        return new HttpOptions(address, port, newToken, null, probed);
    }

    /**
     * Serves only requests with the token in the first line of this file. Replaces an earlier token. The file is read
     * when serving begins and every two seconds from then on; the token it held before is then refused. While it is
     * missing or holds no token, the last one stays valid, and the log has one warning.
     */
    public HttpOptions withTokenFile(Path file) {
        return new HttpOptions(address, port, null, file, probed);
    }

    /**
     * Also answers {@code /am-i-leader} for these elections of the client; see {@link LeaderProbe}. {@code
     * ?election=NAME} selects one; optional if there is only one.
     *
     * @throws IllegalArgumentException if no election is named
     */
    public HttpOptions withProbe(String... elections) {
        if (elections.length == 0) {
            throw new IllegalArgumentException("no election is given; name the elections to probe");
        }
        return new HttpOptions(address, port, token, tokenFile, List.of(elections));
    }

    /** The address or name to listen on. */
    public String address() {
        return address;
    }

    /** The port to listen on; 0 for any. */
    public int port() {
        return port;
    }

    List<String> probed() {
        return probed;
    }

    /** The token; null for none. Blocks while it reads the file. */
    @Nullable
    Token openToken() {
        if (tokenFile != null) {
            return Token.inFile(tokenFile);
        }
        return token == null ? null : Token.fixed(token);
    }

    InetAddress resolve() {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                    "the address '" + address + "' is not known; give 127.0.0.1, or one that this machine has", e);
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return address + ":" + port + (token != null || tokenFile != null ? ", with a token" : ", without a token");
    }
}
