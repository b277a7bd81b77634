package dev.mandate.jdbc;

import dev.mandate.testkit.ServerBinary;
import dev.mandate.testkit.ServerProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A real PgBouncer in front of a server. Its database {@code transactions} is pooled by transaction, {@code sessions}
 * by session.
 */
final class PgBouncer implements AutoCloseable {
    private static final String NAME = "pgbouncer";

    /** It refuses to run as root, and then becomes somebody who may nothing. */
    private static final String USER = System.getProperty("user.name").equals("root") ? "user = nobody\n" : "";

    private final ServerProcess process;

    /** @param user whom it logs in as, without a password */
    PgBouncer(int port, String user) {
        String server = " = host=127.0.0.1 port=" + port + " dbname=postgres user=" + user + " pool_mode=";
        process = ServerProcess.of(ServerBinary.named(NAME))
                .ports("client")
                .file("pgbouncer.ini", """
                        [databases]
                        transactions%1$stransaction
                        sessions%1$ssession
                        postgres%1$ssession
                        [pgbouncer]
                        listen_addr = 127.0.0.1
                        listen_port = {client}
                        unix_socket_dir =
                        auth_type = any
                        ignore_startup_parameters = extra_float_digits
                        %2$s""".formatted(server, USER))
                .arguments("{data}/pgbouncer.ini")
                .ready(started -> {
                    connect(started, "sessions").close();
                    // Its log may be read after it answers.
                    return said(started).isPresent();
                })
                .version(started -> said(started).orElseThrow())
                .start();
    }

    private static Optional<String> said(ServerProcess process) {
        return process.log().stream()
                .filter(line -> line.contains("process up: "))
                .findFirst()
                .map(line -> line.replaceAll(".*process up: PgBouncer ([^,]*).*", "$1"));
    }

    private static Connection connect(ServerProcess process, String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + process.port("client") + "/" + database
                + "?user=pgbouncer&preferQueryMode=simple");
    }

    Connection connect(String database) throws SQLException {
        return connect(process, database);
    }

    /** As a user writes it. */
    String url(String database) {
        return "postgresql://anybody@127.0.0.1:" + process.port("client") + "/" + database + "?prepareThreshold=0";
    }

    @Override
    public void close() {
        process.close();
    }
}
