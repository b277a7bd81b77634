package dev.mandate.jdbc;

import dev.mandate.support.StoreTls;
import java.util.Properties;
import org.postgresql.ssl.WrappedFactory;

/**
 * Made by the driver of PostgreSQL for every connection, by its name, where the server's certificate is verified: with the same
 * files, read anew, and the same trust as all stores. The driver itself compares host names.
 */
public final class PostgresTls extends WrappedFactory {
    static final String CA_FILE = "sslrootcert";
    static final String CERT_FILE = "sslcert";
    static final String KEY_FILE = "sslkey";

    /**
     * For the driver.
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
