/**
 * Elections in etcd. Opened by URL: {@code etcd:} and {@code etcds:}.
 *
 * <p>gRPC and Guava are automatic modules. The generated stubs of jetcd have a module name only by their file's name,
 * which nothing should require; whatever reads one automatic module reads them all.
 */
module dev.mandate.etcd {
    requires transitive dev.mandate;
    // Guava's futures need it, and an automatic module can't ask for it.
    requires com.google.common.util.concurrent.internal;
    requires com.google.protobuf;
    requires dev.mandate.support;
    requires io.grpc;
    requires io.grpc.netty.shaded;
    requires io.grpc.stub;
    requires static org.jspecify;

    exports dev.mandate.etcd;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.etcd.EtcdStoreProvider;
}
