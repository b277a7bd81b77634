package dev.mandate.internal;

import dev.mandate.ElectionClient;
import dev.mandate.Guarantee;
import dev.mandate.Order;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import dev.mandate.spi.ElectionStore;
import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.Ordered;
import dev.mandate.spi.StoreTraits;
import dev.mandate.spi.StoreUrl;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects a client's settings, checks them, and opens the client. Not thread-safe. */
public final class ClientBuilder implements ElectionClient.Builder {
    private final @Nullable StoreUrl url;
    private final @Nullable ElectionStore given;
    private final Map<Setting, Object> settings = new EnumMap<>(Setting.class);
    private @Nullable Executor executor;
    private boolean mayCreate = true;
    private Host host = new SystemHost();

    /** For a store that {@link #connect} opens. */
    public ClientBuilder(String url) {
        this.url = StoreUrl.parse(Objects.requireNonNull(url, "url"));
        this.given = null;
    }

    /** For an open store. */
    public ClientBuilder(ElectionStore store) {
        this.url = null;
        this.given = Objects.requireNonNull(store, "store");
    }

    /** For tests: the machine to run on. */
    ClientBuilder on(Host other) {
        this.host = other;
        return this;
    }

    private ElectionClient.Builder set(Setting setting, Object value) {
        settings.put(setting, setting.accept(Objects.requireNonNull(value, setting.word())));
        return this;
    }

    @Override
    public ElectionClient.Builder candidate(String id) {
        return set(Setting.CANDIDATE, id);
    }

    @Override
    public ElectionClient.Builder lease(Duration lease) {
        return set(Setting.LEASE, lease);
    }

    @Override
    public ElectionClient.Builder drainTimeout(Duration atMost) {
        return set(Setting.DRAIN_TIMEOUT, atMost);
    }

    @Override
    public ElectionClient.Builder requestTimeout(Duration atMost) {
        return set(Setting.REQUEST_TIMEOUT, atMost);
    }

    @Override
    public ElectionClient.Builder connectTimeout(Duration atMost) {
        return set(Setting.CONNECT_TIMEOUT, atMost);
    }

    @Override
    public ElectionClient.Builder requiredGuarantee(Guarantee weakest) {
        return set(Setting.REQUIRED_GUARANTEE, weakest);
    }

    @Override
    public ElectionClient.Builder order(Order order) {
        return set(Setting.ORDER, order);
    }

    @Override
    public ElectionClient.Builder renewInterval(Duration every) {
        return set(Setting.RENEW_INTERVAL, every);
    }

    @Override
    public ElectionClient.Builder retryInterval(Duration every) {
        return set(Setting.RETRY_INTERVAL, every);
    }

    @Override
    public ElectionClient.Builder pollInterval(Duration every) {
        return set(Setting.POLL_INTERVAL, every);
    }

    @Override
    public ElectionClient.Builder recordCheckInterval(Duration every) {
        return set(Setting.RECORD_CHECK_INTERVAL, every);
    }

    @Override
    public ElectionClient.Builder coolDown(Duration pause) {
        return set(Setting.COOL_DOWN, pause);
    }

    @Override
    public ElectionClient.Builder splay(Duration atMost) {
        return set(Setting.SPLAY, atMost);
    }

    @Override
    public ElectionClient.Builder onOverrun(OverrunPolicy policy) {
        return set(Setting.ON_OVERRUN, policy);
    }

    @Override
    public ElectionClient.Builder maxClockRatio(double ratio) {
        return set(Setting.MAX_CLOCK_RATIO, ratio);
    }

    @Override
    public ElectionClient.Builder deadlineMargin(Duration margin) {
        return set(Setting.DEADLINE_MARGIN, margin);
    }

    @Override
    public ElectionClient.Builder settle(Settle settle) {
        return set(Setting.SETTLE, settle);
    }

    @Override
    public ElectionClient.Builder settleTime(Duration time) {
        return set(Setting.SETTLE_TIME, time);
    }

    @Override
    public ElectionClient.Builder registrationLease(Duration lease) {
        return set(Setting.REGISTRATION_LEASE, lease);
    }

    @Override
    public ElectionClient.Builder create(boolean missing) {
        this.mayCreate = missing;
        return this;
    }

    @Override
    public ElectionClient.Builder executor(Executor users) {
        this.executor = Objects.requireNonNull(users, "executor");
        return this;
    }

    @Override
    public ElectionClient connect() {
        if (url == null) {
            ElectionStore store = Objects.requireNonNull(given);
            return opened(
                    store,
                    () -> {
                        requireOneOrder(store instanceof Ordered, store.traits().name(), settings.get(Setting.ORDER));
                        return ClientSettings.of(withLease(settings, shortest(store.traits())));
                    },
                    store.traits().name(),
                    host.nanos());
        }
        ElectionStoreProvider provider = StoreProviders.find(url);
        StoreProviders.requireKnown(url, provider);
        // Refuse what is impossible before opening anything.
        Object order = settings.getOrDefault(Setting.ORDER, url.parameters().get(Setting.ORDER.word()));
        requireOneOrder(provider.hasOwnOrder(url.scheme()), url.scheme() + "://", order);
        ClientSettings inForce = ClientSettings.of(withLease(merged(url), provider.defaultLease()));
        StoreUrl wanted = url.without(new HashSet<>(Setting.words()))
                .withLease(Duration.ofNanos(inForce.timing().leaseNanos()));
        StoreUrl own = mayCreate ? wanted : wanted.onlyExisting();
        long begunNanos = host.nanos();
        ElectionStore store = new Startup(host, inForce, own.toString(), begunNanos).open(() -> provider.open(own));
        return opened(store, () -> inForce, own.toString(), begunNanos);
    }

    private static void requireOneOrder(boolean hasOwn, String store, @Nullable Object order) {
        if (hasOwn && order != null) {
            throw ClientSettings.twoOrders(order, store);
        }
    }

    private static Duration shortest(StoreTraits traits) {
        Duration usual = (Duration) Setting.LEASE.required(Map.of());
        return traits.leaseMin().compareTo(usual) > 0 ? traits.leaseMin() : usual;
    }

    private static Map<Setting, Object> withLease(Map<Setting, Object> given, Duration otherwise) {
        Map<Setting, Object> all = new EnumMap<>(Setting.class);
        all.put(Setting.LEASE, otherwise);
        all.putAll(given);
        return all;
    }

    /** The URL's settings, overridden by those set here. */
    private Map<Setting, Object> merged(StoreUrl from) {
        Map<Setting, Object> all = new EnumMap<>(Setting.class);
        from.parameters().forEach((name, text) -> Setting.named(name).ifPresent(s -> all.put(s, s.parse(text))));
        all.putAll(settings);
        return all;
    }

    /** A client of an open store. Closes the store if it does not fit or does not answer. */
    private ElectionClient opened(
            ElectionStore store, Supplier<ClientSettings> checked, String storeName, long begunNanos) {
        boolean isOpen = false;
        try {
            ClientSettings inForce = checked.get();
            inForce.requireFit(store.traits());
            new Startup(host, inForce, storeName, begunNanos).awaitAnswer(store);
            ElectionClient client = new Client(
                            host,
                            inForce,
                            store,
                            storeName,
                            executor,
                            new SystemEntropy(),
                            System.getLogger("dev.mandate"))
                    .start();
            isOpen = true;
            return client;
        } finally {
            if (!isOpen) {
                store.close();
            }
        }
    }
}
