package dev.mandate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RecordJson;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.Driver;

/** Drivers are brought by users: who uses one database does not need that of the other. */
class DriversTest {
    @TempDir
    Path folder;

    /** What opening a store throws where these are the only classes there are, beside those of the JDK. */
    private static Throwable opening(String url, Class<?>... more) throws Exception {
        List<URL> path = new ArrayList<>();
        for (Class<?> type : List.of(JdbcStoreProvider.class, RecordJson.class, StoreUrl.class, NullMarked.class)) {
            path.add(type.getProtectionDomain().getCodeSource().getLocation());
        }
        for (Class<?> type : more) {
            path.add(type.getProtectionDomain().getCodeSource().getLocation());
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> urls = loader.loadClass(StoreUrl.class.getName());
            Class<?> providers = loader.loadClass(JdbcStoreProvider.class.getName());
            Object parsed = urls.getMethod("parse", String.class).invoke(null, url);
            Object provider = providers.getConstructor().newInstance();
            Throwable thrown =
                    catchThrowable(() -> providers.getMethod("open", urls).invoke(provider, parsed));
            assertThat(thrown).isInstanceOf(InvocationTargetException.class);
            return thrown.getCause();
        }
    }

    private static void isNamed(Throwable thrown, String artefact) {
        assertThat(thrown.getClass().getName()).isEqualTo(StoreSetupException.class.getName());
        assertThat(thrown).hasMessageContaining("is missing; add " + artefact + " to the class path");
    }

    @Test
    void aMissingDriverIsNamed() throws Exception {
        isNamed(opening("sqlite:" + folder.resolve("x.db")), "org.xerial:sqlite-jdbc");
        isNamed(opening("sqlite:" + folder.resolve("x.db"), Driver.class), "org.xerial:sqlite-jdbc");
        isNamed(opening("postgresql://127.0.0.1:1/db"), "org.postgresql:postgresql");
        isNamed(opening("postgresql://127.0.0.1:1/db?sslmode=verify-full"), "org.postgresql:postgresql");
    }

    @Test
    void postgresqlNeedsNoSqlite() throws Exception {
        Throwable thrown = opening("postgresql://127.0.0.1:1/db", Driver.class);

        assertThat(thrown.getClass().getName()).isEqualTo(StoreUnavailableException.class.getName());
        assertThat(thrown).hasMessageContaining("connection refused");
    }
}
