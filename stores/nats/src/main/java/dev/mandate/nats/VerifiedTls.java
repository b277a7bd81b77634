package dev.mandate.nats;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** TLS whose sockets compare the server's certificate with the host name, which jnats does not do. */
final class VerifiedTls extends SSLContext {
    private VerifiedTls(SSLContext context, @Nullable String name) {
        super(new Spi(context, name), context.getProvider(), context.getProtocol());
    }

    static SSLContext of(SSLContext context) {
        return new VerifiedTls(context, null);
    }

    /** For a server that is connected to by address: compares the certificate with {@code name}. */
    static SSLContext named(SSLContext context, String name) {
        return new VerifiedTls(context, name);
    }

    private static final class Spi extends SSLContextSpi {
        private final SSLContext context;
        private final @Nullable String name;

        Spi(SSLContext context, @Nullable String name) {
            this.context = context;
            this.name = name;
        }

        @Override
        protected void engineInit(
                KeyManager @Nullable [] own, TrustManager @Nullable [] trust, @Nullable SecureRandom random)
                throws KeyManagementException {
            throw new KeyManagementException("this context is ready");
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return new Sockets(context.getSocketFactory(), name);
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw new UnsupportedOperationException("for clients only");
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw new UnsupportedOperationException("for sockets only");
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw new UnsupportedOperationException("for sockets only");
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return context.getClientSessionContext();
        }
    }

    private static final class Sockets extends SSLSocketFactory {
        private final SSLSocketFactory factory;
        private final @Nullable String named;

        Sockets(SSLSocketFactory factory, @Nullable String named) {
            this.factory = factory;
            this.named = named;
        }

        private static Socket verified(Socket socket) {
            SSLSocket tls = (SSLSocket) socket;
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tls.setSSLParameters(parameters);
            return tls;
        }

        @Override
        public Socket createSocket(Socket over, String given, int port, boolean autoClose) throws IOException {
            String host = named == null ? given : named;
            boolean isBracketed = host.startsWith("[") && host.endsWith("]");
            String name = isBracketed ? host.substring(1, host.length() - 1) : host;
            return verified(factory.createSocket(over, name, port, autoClose));
        }

        @Override
        public Socket createSocket(Socket over, InputStream consumed, boolean autoClose) throws IOException {
            return verified(factory.createSocket(over, consumed, autoClose));
        }

        @Override
        public Socket createSocket() throws IOException {
            return verified(factory.createSocket());
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return verified(factory.createSocket(host, port));
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
            return verified(factory.createSocket(host, port, from, fromPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return verified(factory.createSocket(host, port));
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) throws IOException {
            return verified(factory.createSocket(host, port, from, fromPort));
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return factory.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return factory.getSupportedCipherSuites();
        }
    }
}
