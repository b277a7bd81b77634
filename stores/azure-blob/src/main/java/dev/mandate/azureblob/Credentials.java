package dev.mandate.azureblob;

import com.azure.core.credential.AzureNamedKeyCredential;
import com.azure.core.credential.AzureSasCredential;
import com.azure.core.credential.TokenCredential;
import com.azure.storage.blob.BlobServiceClientBuilder;
import dev.mandate.StoreSetupException;
import dev.mandate.spi.StoreUrl;
import dev.mandate.support.RotatingSecret;
import dev.mandate.support.StoreAuthority;
import dev.mandate.support.StoreSecret;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Signs requests with the account's key, a shared access signature, or what azure-identity finds. Secrets come from a
 * connection string, a file or the environment; files are read again after a rejection. No message quotes a secret.
 */
final class Credentials {
    /** The emulator's account and key. They are the same everywhere, so they are no secret. */
    static final String EMULATOR = "devstoreaccount1";

    static final String EMULATOR_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    /** What a query may contain. Anything else would make its URL unreadable, and an error might quote it. */
    private static final Pattern QUERY = Pattern.compile("([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})+");

    private static final Pattern END = Pattern.compile("&se=([^&]+)");

    /** Parses a time as the service does: the time of day, or its seconds, may be missing. */
    private static final DateTimeFormatter END_TIME = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .optionalStart()
            .appendLiteral('T')
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalEnd()
            .optionalStart()
            .appendOffset("+HH:MM", "Z")
            .optionalEnd()
            .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
            .parseDefaulting(ChronoField.OFFSET_SECONDS, 0)
            .toFormatter(Locale.ROOT);

    private static final String IDENTITY = "com.azure.identity.DefaultAzureCredentialBuilder";

    /** The kinds of secrets, in the order of their lookup, with the variables that Azure's own tools use. */
    private enum Kind {
        CONNECTION("connection", AzureBlobUrl.CONNECTION_VARIABLE),
        ACCOUNT_KEY("accountKey", AzureBlobUrl.ACCOUNT_KEY_VARIABLE),
        SAS("sas", AzureBlobUrl.SAS_VARIABLE);

        private final String word;
        private final String variable;

        Kind(String word, String variable) {
            this.word = word;
            this.variable = variable;
        }

        boolean isGiven(StoreUrl url) {
            return url.parameter(word + "File").isPresent()
                    || url.parameter(word + "Env").isPresent();
        }

        Optional<String> environment() {
            return Optional.ofNullable(System.getenv(variable)).filter(value -> !value.isBlank());
        }
    }

    private final @Nullable AzureNamedKeyCredential key;
    private final @Nullable AzureSasCredential sas;
    private final @Nullable TokenCredential identity;
    private final @Nullable RotatingSecret<Secret> secret;
    private final String toExchange;

    /** The secret that signs requests, or did a moment ago: updated after the change. */
    private volatile @Nullable Secret inUse;

    private Credentials(
            @Nullable AzureNamedKeyCredential key,
            @Nullable AzureSasCredential sas,
            @Nullable TokenCredential identity,
            @Nullable RotatingSecret<Secret> secret,
            String toExchange) {
        this.toExchange = toExchange;
        this.key = key;
        this.sas = sas;
        this.identity = identity;
        this.secret = secret;
        this.inUse = secret == null ? null : secret.current();
    }

    /** A key with its account, or a signature. */
    record Secret(String account, String key, String sas) {
        boolean isKey() {
            return sas.isEmpty();
        }

        @Override
        public String toString() {
            return "secret of account " + account;
        }
    }

    /**
     * Finds the credentials that {@code url} names.
     *
     * @param account the account in the URL; empty if it names none
     * @param host the host in the URL, for messages
     * @throws IllegalArgumentException if the URL gives more than one kind, or an unknown {@code auth}
     * @throws StoreSetupException if there are none, or they can't be used; says where to put them
     */
    static Credentials of(StoreUrl url, String account, String host) {
        List<Kind> given = List.of(Kind.values()).stream()
                .filter(kind -> kind.isGiven(url))
                .toList();
        String auth = url.parameter("auth").orElse("");
        if (!auth.isEmpty() && !auth.equals("identity")) {
            throw new IllegalArgumentException("the parameter 'auth' of the store URL is '" + auth
                    + "'; write identity, or leave it out and name a key, a signature or a connection string");
        }
        if (given.size() + (auth.isEmpty() ? 0 : 1) > 1) {
            throw new IllegalArgumentException(
                    "the store URL gives credentials of more than one kind; keep one of"
                            + " connectionFile, connectionEnv, accountKeyFile, accountKeyEnv, sasFile, sasEnv and auth=identity");
        }
        if (!auth.isEmpty()) {
            return new Credentials(null, null, identity(url), null, "sign in again");
        }
        return given.isEmpty() ? unnamed(account, host) : named(url, given.get(0), account);
    }

    private static Credentials named(StoreUrl url, Kind kind, String account) {
        boolean isFile = url.parameter(kind.word + "File").isPresent();
        String toExchange = isFile
                ? "put another into the file of " + kind.word + "File, which is read again"
                : inVariable(url.parameter(kind.word + "Env").orElse(""));
        AtomicReference<@Nullable Secret> first = new AtomicReference<>();
        RotatingSecret<Secret> secret = StoreSecret.of(url, kind.word, null, text -> {
                    Secret read = secret(kind, text, account);
                    Secret before = first.getAndSet(read);
                    if (before != null && before.isKey() != read.isKey()) {
                        first.set(before);
                        throw new StoreSetupException("the file of connectionFile had an account's key and has a"
                                + " signature now, or the reverse; keep to one of them, or start again");
                    }
                    return read;
                })
                .orElseThrow();
        return of(secret, toExchange);
    }

    private static String inVariable(String variable) {
        return "put another into the environment, as " + variable + ", and start again";
    }

    private static Credentials unnamed(String account, String host) {
        if (account.equals(EMULATOR)) {
            return of(RotatingSecret.fixed(secret(Kind.ACCOUNT_KEY, EMULATOR_KEY, account)), "");
        }
        for (Kind kind : Kind.values()) {
            Optional<String> found = kind.environment();
            if (found.isPresent()) {
                return of(RotatingSecret.fixed(secret(kind, found.get(), account)), inVariable(kind.variable));
            }
        }
        if (account.isEmpty()) {
            throw new StoreSetupException("there are no credentials for the host '" + host
                    + "', which names no account; write azblob://account/container, azblob+http://" + host
                    + "/account/container where there is no TLS, as with the emulator, or give the connectionFile or"
                    + " sasFile (or the same with Env) of the account whose own domain it is");
        }
        throw new StoreSetupException("there are no credentials for the account '" + account
                + "'; give connectionFile, accountKeyFile or sasFile (or the same with Env) in the store URL, set "
                + Kind.CONNECTION.variable + ", " + Kind.ACCOUNT_KEY.variable + " or " + Kind.SAS.variable
                + ", or add auth=identity");
    }

    private static Credentials of(RotatingSecret<Secret> secret, String toExchange) {
        Secret first = secret.current();
        return first.isKey()
                ? new Credentials(new AzureNamedKeyCredential(first.account, first.key), null, null, secret, toExchange)
                : new Credentials(null, new AzureSasCredential(first.sas), null, secret, toExchange);
    }

    private static Secret secret(Kind kind, String text, String account) {
        return switch (kind) {
            case CONNECTION -> {
                ConnectionString parsed = ConnectionString.parse(text);
                if (!account.isEmpty()
                        && !parsed.account().isEmpty()
                        && !parsed.account().equals(account)) {
                    throw new StoreSetupException("the connection string is that of the account '" + parsed.account()
                            + "', but the store URL names '" + account + "'; correct one of them");
                }
                yield parsed.key().isEmpty()
                        ? new Secret(account, "", signature(parsed.sas()))
                        : new Secret(parsed.account(), key(parsed.key()), "");
            }
            case ACCOUNT_KEY -> {
                if (account.isEmpty()) {
                    throw new StoreSetupException("the store URL does not say which account the key belongs to; give a"
                            + " connection string, which does");
                }
                yield new Secret(account, key(text), "");
            }
            case SAS -> new Secret(account, "", signature(text));
        };
    }

    private static String key(String text) {
        String key = text.strip();
        try {
            if (Base64.getDecoder().decode(key).length > 0) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            // Thrown without the cause, which quotes the key.
        }
        throw new StoreSetupException("the account's key is empty or no base64; copy it whole, up to its last =");
    }

    private static String signature(String text) {
        String signature = text.strip().replaceFirst("^\\?", "");
        if (!QUERY.matcher(signature).matches() || !("&" + signature).contains("&sig=")) {
            throw new StoreSetupException("the shared access signature has no sig=, or characters that it can't have,"
                    + " quotes for instance; it is what stands behind the ? of a signed URL, as it stands there:"
                    + " sv=…&se=…&sp=…&sig=…");
        }
        return signature;
    }

    private static TokenCredential identity(StoreUrl url) {
        if (!url.scheme().equals(AzureBlobUrl.TLS)) {
            throw new IllegalArgumentException("auth=identity sends a token, which needs TLS; write " + AzureBlobUrl.TLS
                    + ":// or another kind of credentials");
        }
        try {
            Class<?> builder = Class.forName(IDENTITY);
            Object made = builder.getConstructor().newInstance();
            return (TokenCredential) builder.getMethod("build").invoke(made);
        } catch (ClassNotFoundException e) {
            throw new StoreSetupException("auth=identity needs azure-identity, which is not on the class path; add"
                    + " com.azure:azure-identity, without azure-core-http-netty, to your program. Not available in the"
                    + " command line: give a key, a signature or a connection string there");
        } catch (ReflectiveOperationException e) {
            throw new StoreSetupException("azure-identity on the class path can't be used: " + e, e);
        }
    }

    void applyTo(BlobServiceClientBuilder builder) {
        if (key != null) {
            builder.credential(key);
        } else if (sas != null) {
            builder.credential(sas);
        } else if (identity != null) {
            builder.credential(identity);
        }
    }

    /** The end of the shared access signature, from its text; empty if there is none. */
    Optional<Instant> end() {
        if (sas == null) {
            return Optional.empty();
        }
        try {
            Matcher end = END.matcher("&" + StoreAuthority.decode("signature", sas.getSignature()));
            return end.find() ? Optional.of(END_TIME.parse(end.group(1), Instant::from)) : Optional.empty();
        } catch (DateTimeException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Says that the signature has expired by this machine's clock, and what to do; empty if not, or without an end. */
    Optional<String> over() {
        return end().filter(Instant.now()::isAfter).map(end -> "the signature ended at " + end + "; " + toExchange);
    }

    /** How to exchange them, for messages. */
    String toExchange() {
        return toExchange;
    }

    /** The secret that signs now, to pass to {@link #rejected}; null if it can't change. Never blocks. */
    @Nullable
    Secret current() {
        return inUse;
    }

    /** The service rejected {@code used}: returns whether there is another secret now. Takes as long as a file read. */
    CompletableFuture<Boolean> rejected(@Nullable Secret used) {
        RotatingSecret<Secret> rotating = secret;
        if (rotating == null || used == null) {
            return CompletableFuture.completedFuture(false);
        }
        return rotating.rejectedAside(used).thenApply(haveChanged -> {
            if (haveChanged) {
                use(rotating);
            }
            return haveChanged;
        });
    }

    private synchronized void use(RotatingSecret<Secret> rotated) {
        Secret now = rotated.current();
        if (key != null) {
            key.update(now.account, now.key);
        } else if (sas != null) {
            sas.update(now.sas);
        }
        inUse = now;
    }

    /** Their kind. */
    @Override
    public String toString() {
        return key != null ? "the account's key" : sas != null ? "the shared access signature" : "azure-identity";
    }
}
