package dev.mandate.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** A connection without commit, rollback and close, which would leave later statements unguarded. */
final class FencedConnection {
    private static final Set<String> REFUSED = Set.of("commit", "setAutoCommit", "close", "abort");

    private FencedConnection() {}

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                FencedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> call(connection, method, arguments == null ? new Object[0] : arguments));
    }

    private static Object call(Connection connection, Method method, Object[] arguments) throws Throwable {
        boolean isWholeRollback = method.getName().equals("rollback") && arguments.length == 0;
        if (isWholeRollback || REFUSED.contains(method.getName())) {
            throw new SQLException(method.getName()
                    + "() belongs to the fence, which ends the transaction; throw an exception to roll it back");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
