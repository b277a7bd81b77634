package dev.mandate.azureblob;

import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import dev.mandate.testkit.ServerExtension;
import dev.mandate.testkit.StoreConformance;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The suite of all stores, on the emulator. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Azurite.PEACE, mode = ResourceAccessMode.READ)
class AzuriteServerIT extends StoreConformance {
    @RegisterExtension
    static final ServerExtension AZURITE = Azurite.shared();

    private static int port() {
        return AZURITE.server().port("blob");
    }

    @Override
    protected ElectionStore open() {
        return new AzureBlobStoreProvider().open(StoreUrl.parse(Azurite.url(port()) + "?watch=200ms"));
    }

    /** The emulator does one thing at a time. */
    @Override
    protected int terms() {
        return 200;
    }

    @Override
    protected Optional<Callable<ElectionStore>> broken() {
        return Optional.of(() -> {
            java.nio.file.Path wrong = Files.secret("AccountName=" + Azurite.ACCOUNT + ";AccountKey=d3Jvbmc=");
            return new AzureBlobStoreProvider().open(StoreUrl.parse(Azurite.url(port()) + "?connectionFile=" + wrong));
        });
    }

    @Override
    protected Map<String, List<String>> badUrls() {
        Map<String, List<String>> bad = new LinkedHashMap<>();
        bad.put("azblob:account", List.of("names no host", "azblob://account/container"));
        bad.put("azblob://a,b/leases", List.of("a,b", "name one"));
        bad.put("azblob://user@account/leases", List.of("a user", "connectionEnv"));
        bad.put("azblob://My-Account/leases", List.of("'My-Account'", "3 to 24"));
        bad.put("azblob://account", List.of("the container ''", "3 to 63"));
        bad.put("azblob://account/Leases", List.of("'Leases'", "3 to 63"));
        bad.put("azblob://account/le", List.of("'le'"));
        bad.put("azblob://account/-leases", List.of("'-leases'"));
        bad.put("azblob://account/a--b", List.of("'a--b'", "single -"));
        bad.put("azblob://account/" + "a".repeat(64), List.of("3 to 63"));
        bad.put("azblob://account/leases/deeper", List.of("'leases/deeper'", "key=folder/{election}"));
        bad.put("azblob+http://127.0.0.1:10000/leases", List.of("'/leases'", "the account"));
        bad.put("azblob://devstoreaccount1/leases?watch=2", List.of("watch", "'2'"));
        bad.put("azblob://devstoreaccount1/leases?watch=50ms", List.of("'50ms'", "100ms", "1m"));
        bad.put("azblob://devstoreaccount1/leases?create=no", List.of("'no'", "true or false"));
        bad.put("azblob://devstoreaccount1/leases?key=/x", List.of("'key'", "'/x'"));
        bad.put("azblob://devstoreaccount1/leases?key=x.", List.of("'x.'", "dot"));
        bad.put("azblob://devstoreaccount1/leases?key={name}", List.of("'{name}'", "{election}"));
        bad.put("azblob://account/leases?auth=magic", List.of("'magic'", "identity"));
        bad.put("azblob://account/leases?sasEnv=A&accountKeyEnv=B", List.of("more than one kind"));
        bad.put("azblob+http://127.0.0.1:1/account/leases?auth=identity", List.of("TLS"));
        return bad;
    }

    @Override
    protected boolean writeForeign(RecordKey key, String text) {
        try (Operator operator = new Operator(port())) {
            operator.create(key.name());
            operator.lease(key.name(), 60);
        }
        return true;
    }
}
