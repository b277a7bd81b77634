package dev.mandate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Like {@link FencedWork}, without a result. */
@FunctionalInterface
public interface FencedStatements {
    /** Like {@link FencedWork#run}, without a result. */
    void run(Connection connection) throws SQLException;
}
