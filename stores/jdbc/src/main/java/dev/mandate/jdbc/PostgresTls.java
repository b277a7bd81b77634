package dev.mandate.jdbc;

import dev.mandate.support.StoreTls;
import java.util.Properties;
import org.postgresql.ssl.WrappedFactory;

/**
 * The PostgreSQL driver creates this by its class name for every connection that verifies the server's certificate. It
 * reads the same files again each time, with the same trust as all stores. The driver itself compares host names.
 */
@SuppressWarnings("exports")
public final class PostgresTls extends WrappedFactory {
    static final String CA_FILE = "sslrootcert";
    static final String CERT_FILE = "sslcert";
    static final String KEY_FILE = "sslkey";

    /**
     * Called by the driver.
     *
     * @param info its properties
     * @throws dev.mandate.StoreSetupException if a file can't be read or used
     */
    public PostgresTls(Properties info) {
        factory = StoreTls.of(info.getProperty(CA_FILE), info.getProperty(CERT_FILE), info.getProperty(KEY_FILE))
                .context()
                .getSocketFactory();
    }
}
