/**
 * Programs that show what an election is for. They run on the class path.
 */
module dev.mandate.examples {
    requires dev.mandate;
    requires dev.mandate.jdbc;
    requires dev.mandate.support;
    requires io.grpc;
    requires io.grpc.stub;
    requires java.net.http;
    requires java.sql;
    requires org.xerial.sqlitejdbc;
    requires static org.jspecify;

    provides dev.mandate.spi.ElectionStoreProvider with
            dev.mandate.examples.files.FileStoreProvider;
}
