package dev.mandate.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import javax.sql.DataSource;

/** {@link FenceScenarios} in plain SQL: a real server that does not say which it is. */
class UnknownDatabaseFenceServerIT extends PostgresFenceServerIT {
    @Override
    DataSource database() throws Exception {
        return masked(DataSource.class, super.database());
    }

    private static <T> T masked(Class<T> type, Object real) {
        return type.cast(Proxy.newProxyInstance(
                UnknownDatabaseFenceServerIT.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getDatabaseProductName")) {
                        return "Some Other Database";
                    }
                    Object result;
                    try {
                        result = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    return result instanceof DatabaseMetaData || result instanceof Connection
                            ? masked(method.getReturnType(), result)
                            : result;
                }));
    }

    @Override
    void aTransactionThatStandsStillIsThrownOutAndTheNewerOneGoesOn() {
        // Not a test here: a database that is not known has no idle time-out.
    }

    @Override
    void aTableThatMayNotBeMadeIsPrinted() {
        // Not a test here: it asks for another schema in the server's own way.
    }
}
