package dev.mandate.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** The least a pool can be: it keeps open what is given back. */
final class KeptConnections implements DataSource {
    private final DataSource server;
    private final List<Connection> returned = new CopyOnWriteArrayList<>();

    /** How many were given away ever; the most at a time. */
    private int given;

    private int most;

    KeptConnections(DataSource server) {
        this.server = server;
    }

    List<Connection> returned() {
        return returned;
    }

    /** How many somebody has. */
    synchronized int open() {
        return given - returned.size();
    }

    /** How many were open at a time, at most. */
    synchronized int most() {
        return most;
    }

    private synchronized void give() {
        given++;
        most = Math.max(most, open());
    }

    private synchronized void take(Connection real) {
        returned.add(real);
    }

    @Override
    public Connection getConnection() throws SQLException {
        give();
        Connection real = server.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        take(real);
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
