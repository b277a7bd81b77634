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

/** TLS whose sockets compare the name in the server's certificate with that of the host, which jnats leaves out. */
final class VerifiedTls extends SSLContext {
    private VerifiedTls(SSLContext context) {
        super(new Spi(context), context.getProvider(), context.getProtocol());
    }

    static SSLContext of(SSLContext context) {
        return new VerifiedTls(context);
    }

    private static final class Spi extends SSLContextSpi {
        private final SSLContext context;

        Spi(SSLContext context) {
            this.context = context;
        }

        @Override
        protected void engineInit(
                KeyManager @Nullable [] own, TrustManager @Nullable [] trust, @Nullable SecureRandom random)
                throws KeyManagementException {
            throw new KeyManagementException("this context is ready");
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return new Sockets(context.getSocketFactory());
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

        Sockets(SSLSocketFactory factory) {
            this.factory = factory;
        }

        private static Socket verified(Socket socket) {
            SSLSocket tls = (SSLSocket) socket;
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tls.setSSLParameters(parameters);
            return tls;
        }

        @Override
        public Socket createSocket(Socket over, String host, int port, boolean autoClose) throws IOException {
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
