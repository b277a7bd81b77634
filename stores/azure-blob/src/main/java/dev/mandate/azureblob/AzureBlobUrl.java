package dev.mandate.azureblob;

import dev.mandate.spi.StoreUrl;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.StoreAuthority;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code azblob://account/container?parameter=value}; with a full host name for other clouds, {@code
 * azblob://account.blob.core.usgovcloudapi.net/container}; {@code azblob+http://host:port/account/container}
 * for the emulator.
 */
final class AzureBlobUrl {
    static final String TLS = "azblob";
    static final String PLAIN = "azblob+http";

    /** Begins the escape of bytes that a blob's name can't have. The next constant has the unescaped characters. */
    static final char ESCAPE = '=';

    static final String PLAIN_CHARACTERS = "-_~@:";

    /** Prefix of all records but elections. No election's name begins like this, because m is not a hex digit. */
    private static final String OTHERS = ESCAPE + "mandate/";

    private static final String FORM = "azblob://account/container";
    private static final String FORM_PLAIN = "azblob+http://127.0.0.1:10000/devstoreaccount1/leases";
    private static final String CLOUD = ".blob.core.windows.net";
    private static final String ACCOUNT = "[a-z0-9]{3,24}";
    private static final String CONTAINER = "[a-z0-9](-?[a-z0-9]){2,62}";
    /** The longest name of a blob. */
    static final int PATH_MAX = 1_024;

    private static final int CONTAINER_CHARS_MAX = 63;
    private static final Duration WATCH = Duration.ofSeconds(1);
    private static final Duration WATCH_MIN = Duration.ofMillis(100);
    private static final Duration WATCH_MAX = Duration.ofMinutes(1);

    // The variables in which Azure's own tools look for a secret.
    static final String CONNECTION_VARIABLE = "AZURE_STORAGE_CONNECTION_STRING";
    static final String ACCOUNT_KEY_VARIABLE = "AZURE_STORAGE_KEY";
    static final String SAS_VARIABLE = "AZURE_STORAGE_SAS_TOKEN";

    private AzureBlobUrl() {}

    static Map<String, String> parameters() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(
                "watch",
                "how often elections are polled for changes: 1s unless given, 100ms to 1m; registrations take 5 times that");
        all.put("key", "the blob of an election: " + KeyTemplate.ELECTION + " unless given");
        all.put("create", "whether a missing container is made: true (default) or false");
        all.put("connectionFile", "a file whose first line is the connection string");
        all.put(
                "connectionEnv",
                "the environment variable that holds it; AZURE_STORAGE_CONNECTION_STRING unless given");
        all.put("accountKeyFile", "a file whose first line is the account's key");
        all.put("accountKeyEnv", "the environment variable that holds it; AZURE_STORAGE_KEY unless given");
        all.put("sasFile", "a file whose first line is a shared access signature");
        all.put("sasEnv", "the environment variable that holds it; AZURE_STORAGE_SAS_TOKEN unless given");
        all.put("auth", "identity: sign in by azure-identity, which must be on the class path");
        return all;
    }

    static AzureBlobSettings settings(StoreUrl url) {
        boolean isPlain = url.scheme().equals(PLAIN);
        String form = isPlain ? FORM_PLAIN : FORM;
        StoreAuthority authority = StoreAuthority.parse(url.rest(), form);
        if (!authority.user().isEmpty() || authority.password().isPresent()) {
            throw new IllegalArgumentException("the store URL names a user; write " + form
                    + " and give credentials by connectionEnv, accountKeyFile or the like");
        }
        if (authority.hosts().size() > 1) {
            throw new IllegalArgumentException(
                    "the store URL names the hosts " + authority.hostsText() + "; name one, like " + form);
        }
        StoreAuthority.Host host = authority.hosts().get(0);
        String path = StoreAuthority.decode("path", authority.path());
        boolean isWhole = host.name().contains(".") || host.name().startsWith("[") || host.port() != 0 || isPlain;
        return isPlain ? plain(url, host, path) : cloud(url, isWhole, host, path);
    }

    private static AzureBlobSettings plain(StoreUrl url, StoreAuthority.Host host, String path) {
        int slash = path.indexOf('/');
        String account = slash < 0 ? path : path.substring(0, slash);
        if (slash < 0 || !account.matches(ACCOUNT)) {
            throw new IllegalArgumentException("the path of the store URL is '/" + path
                    + "'; write the account, 3 to 24 of a-z and 0-9, and the container: " + FORM_PLAIN);
        }
        return settings(url, "http://" + host + "/" + account, account, path.substring(slash + 1));
    }

    private static AzureBlobSettings cloud(StoreUrl url, boolean isWhole, StoreAuthority.Host host, String path) {
        boolean isOwnDomain = isWhole && !host.name().matches(ACCOUNT + "\\.(.+\\.)?blob\\..+");
        String account = isOwnDomain ? "" : host.name().replaceFirst("\\..*", "");
        if (!isWhole && !account.matches(ACCOUNT)) {
            throw new IllegalArgumentException("the store URL names the account '" + account
                    + "'; it has 3 to 24 of a-z and 0-9, or is a whole host name with dots");
        }
        return settings(url, "https://" + (isWhole ? host.toString() : account + CLOUD), account, path);
    }

    private static AzureBlobSettings settings(StoreUrl url, String endpoint, String account, String container) {
        if (container.length() > CONTAINER_CHARS_MAX || !container.matches(CONTAINER)) {
            throw new IllegalArgumentException("the store URL names the container '" + container
                    + "'; a container has 3 to 63 of a-z, 0-9 and single -, and begins and ends with a letter or digit."
                    + " To put elections into a folder of it, write key=folder/" + KeyTemplate.ELECTION);
        }
        String service = endpoint.replaceFirst("^https?://", "");
        return new AzureBlobSettings(
                "Azure Blob at " + service + "/" + container,
                endpoint,
                container,
                Credentials.of(url, account, service.replaceFirst("/.*", "")),
                keys(url),
                url.duration("watch", WATCH, WATCH_MIN, WATCH_MAX),
                url.mayCreate());
    }

    private static KeyTemplate keys(StoreUrl url) {
        String text = url.parameter("key").orElse(KeyTemplate.ELECTION);
        boolean isName = text.replace(KeyTemplate.ELECTION, "x").matches("[A-Za-z0-9_~@:=.-]+(/[A-Za-z0-9_~@:=.-]+)*")
                && !(text + "/").contains("./");
        KeyTemplate keys = KeyTemplate.of(text);
        if (!isName) {
            throw new IllegalArgumentException("the parameter 'key' of the store URL is '" + text
                    + "'; write letters, digits and - . _ ~ @ : = with single / in between, and no dot at the end of a"
                    + " part: blobs have no others");
        }
        return keys.withEscape(ESCAPE, PLAIN_CHARACTERS).withDotsBetween().withOthersBelow(OTHERS);
    }
}
