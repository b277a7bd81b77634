package dev.mandate.spring;

import dev.mandate.ElectionClient;
import dev.mandate.Guarantee;
import dev.mandate.Order;
import dev.mandate.OverrunPolicy;
import dev.mandate.Settle;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is set under {@code mandate}: the store's URL, the settings of the client, and two of this starter. A setting
 * has the meaning, bounds and default of the method of the same name in {@link ElectionClient.Builder}; a property wins
 * over the same parameter in the URL. L is the lease.
 */
@ConfigurationProperties("mandate")
public final class MandateProperties {
    private @Nullable String url;
    private @Nullable String value;
    private Duration shutdownGrace = Duration.ofSeconds(10);
    private @Nullable Boolean create;
    private @Nullable Duration lease;
    private @Nullable Duration drainTimeout;
    private @Nullable Duration requestTimeout;
    private @Nullable String candidate;
    private @Nullable Duration connectTimeout;
    private @Nullable Guarantee requiredGuarantee;
    private @Nullable Order order;
    private @Nullable Duration renewInterval;
    private @Nullable Duration retryInterval;
    private @Nullable Duration pollInterval;
    private @Nullable Duration recordCheckInterval;
    private @Nullable Duration coolDown;
    private @Nullable Duration splay;
    private @Nullable OverrunPolicy onOverrun;
    private @Nullable Double maxClockRatio;
    private @Nullable Duration deadlineMargin;
    private @Nullable Settle settle;
    private @Nullable Duration settleTime;
    private @Nullable Duration registrationLease;

    /** Nothing set. */
    public MandateProperties() {}

    /** Gives the client's builder whatever is set. */
    void apply(ElectionClient.Builder builder) {
        set(create, builder::create);
        set(lease, builder::lease);
        set(drainTimeout, builder::drainTimeout);
        set(requestTimeout, builder::requestTimeout);
        set(candidate, builder::candidate);
        set(connectTimeout, builder::connectTimeout);
        set(requiredGuarantee, builder::requiredGuarantee);
        set(order, builder::order);
        set(renewInterval, builder::renewInterval);
        set(retryInterval, builder::retryInterval);
        set(pollInterval, builder::pollInterval);
        set(recordCheckInterval, builder::recordCheckInterval);
        set(coolDown, builder::coolDown);
        set(splay, builder::splay);
        set(onOverrun, builder::onOverrun);
        set(maxClockRatio, builder::maxClockRatio);
        set(deadlineMargin, builder::deadlineMargin);
        set(settle, builder::settle);
        set(settleTime, builder::settleTime);
        set(registrationLease, builder::registrationLease);
    }

    private static <T> void set(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    /** The store's address: {@code sqlite:/var/lib/mandate.db}. Without it there is no client. */
    public @Nullable String getUrl() {
        return url;
    }

    /** See {@link #getUrl()}. */
    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    /** What this application publishes when it leads: its address, for instance. Default: the candidate's id. */
    public @Nullable String getValue() {
        return value;
    }

    /** See {@link #getValue()}. */
    public void setValue(@Nullable String value) {
        this.value = value;
    }

    /** How long running calls may finish at shutdown before they are interrupted; at most 365 days. Default: 10 s. */
    public Duration getShutdownGrace() {
        return shutdownGrace;
    }

    /** See {@link #getShutdownGrace()}. */
    public void setShutdownGrace(Duration shutdownGrace) {
        this.shutdownGrace = shutdownGrace;
    }

    /** Whether the client may create what the store is missing. Default: what the URL says, else true. */
    public @Nullable Boolean getCreate() {
        return create;
    }

    /** See {@link #getCreate()}. */
    public void setCreate(@Nullable Boolean create) {
        this.create = create;
    }

    /** How long a term lives without renewal: L. Default: 10 s. */
    public @Nullable Duration getLease() {
        return lease;
    }

    /** See {@link #getLease()}. */
    public void setLease(@Nullable Duration lease) {
        this.lease = lease;
    }

    /** How long work may take to stop. Default: L/6. */
    public @Nullable Duration getDrainTimeout() {
        return drainTimeout;
    }

    /** See {@link #getDrainTimeout()}. */
    public void setDrainTimeout(@Nullable Duration drainTimeout) {
        this.drainTimeout = drainTimeout;
    }

    /** How long to wait for the store's answer to a request. Default: L/15. */
    public @Nullable Duration getRequestTimeout() {
        return requestTimeout;
    }

    /** See {@link #getRequestTimeout()}. */
    public void setRequestTimeout(@Nullable Duration requestTimeout) {
        this.requestTimeout = requestTimeout;
    }

    /** The candidate's id for people. Not unique, never compared. Default: host name and process id. */
    public @Nullable String getCandidate() {
        return candidate;
    }

    /** See {@link #getCandidate()}. */
    public void setCandidate(@Nullable String candidate) {
        this.candidate = candidate;
    }

    /** How long connecting waits for the store's first good answer; 0 to wait in the background. Default: 10 s. */
    public @Nullable Duration getConnectTimeout() {
        return connectTimeout;
    }

    /** See {@link #getConnectTimeout()}. */
    public void setConnectTimeout(@Nullable Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
    }

    /** Refuses a store that guarantees less. Default: advisory. */
    public @Nullable Guarantee getRequiredGuarantee() {
        return requiredGuarantee;
    }

    /** See {@link #getRequiredGuarantee()}. */
    public void setRequiredGuarantee(@Nullable Guarantee requiredGuarantee) {
        this.requiredGuarantee = requiredGuarantee;
    }

    /** Who tries first when an election is vacant; not on stores with their own order. Default: race. */
    public @Nullable Order getOrder() {
        return order;
    }

    /** See {@link #getOrder()}. */
    public void setOrder(@Nullable Order order) {
        this.order = order;
    }

    /** From the send of one renewal to the next. Default: L/3. */
    public @Nullable Duration getRenewInterval() {
        return renewInterval;
    }

    /** See {@link #getRenewInterval()}. */
    public void setRenewInterval(@Nullable Duration renewInterval) {
        this.renewInterval = renewInterval;
    }

    /** From a failed request to the next try; doubles. Default: L/40. */
    public @Nullable Duration getRetryInterval() {
        return retryInterval;
    }

    /** See {@link #getRetryInterval()}. */
    public void setRetryInterval(@Nullable Duration retryInterval) {
        this.retryInterval = retryInterval;
    }

    /** How often a waiting candidate reads the store, ±20 %; at most L. Default: L/10. */
    public @Nullable Duration getPollInterval() {
        return pollInterval;
    }

    /** See {@link #getPollInterval()}. */
    public void setPollInterval(@Nullable Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    /** How often a client lists all its records, where a session keeps the lease. Default: 30 s. */
    public @Nullable Duration getRecordCheckInterval() {
        return recordCheckInterval;
    }

    /** See {@link #getRecordCheckInterval()}. */
    public void setRecordCheckInterval(@Nullable Duration recordCheckInterval) {
        this.recordCheckInterval = recordCheckInterval;
    }

    /** The pause after a resignation, an eviction or failed work; doubles up to 6 L. Default: L/4. */
    public @Nullable Duration getCoolDown() {
        return coolDown;
    }

    /** See {@link #getCoolDown()}. */
    public void setCoolDown(@Nullable Duration coolDown) {
        this.coolDown = coolDown;
    }

    /** The first read is delayed by a random part of this. Default: L/50. */
    public @Nullable Duration getSplay() {
        return splay;
    }

    /** See {@link #getSplay()}. */
    public void setSplay(@Nullable Duration splay) {
        this.splay = splay;
    }

    /** What happens to the lease when work outlives {@code drainTimeout}. Default: release. */
    public @Nullable OverrunPolicy getOnOverrun() {
        return onOverrun;
    }

    /** See {@link #getOnOverrun()}. */
    public void setOnOverrun(@Nullable OverrunPolicy onOverrun) {
        this.onOverrun = onOverrun;
    }

    /** The greatest ratio of two machines' clock rates that is covered: q in formulas. Default: 1.1. */
    public @Nullable Double getMaxClockRatio() {
        return maxClockRatio;
    }

    /** See {@link #getMaxClockRatio()}. */
    public void setMaxClockRatio(@Nullable Double maxClockRatio) {
        this.maxClockRatio = maxClockRatio;
    }

    /** Subtracted from the deadline because clocks are coarse. Default: L/100. */
    public @Nullable Duration getDeadlineMargin() {
        return deadlineMargin;
    }

    /** See {@link #getDeadlineMargin()}. */
    public void setDeadlineMargin(@Nullable Duration deadlineMargin) {
        this.deadlineMargin = deadlineMargin;
    }

    /** Which wins are announced only after a wait for the former leader to stop. Default: after-foreign. */
    public @Nullable Settle getSettle() {
        return settle;
    }

    /** See {@link #getSettle()}. */
    public void setSettle(@Nullable Settle settle) {
        this.settle = settle;
    }

    /**
     * How long to settle after a record that another program wrote; 0 for the default. Default: the longer of L and the
     * foreign record's lease.
     */
    public @Nullable Duration getSettleTime() {
        return settleTime;
    }

    /** See {@link #getSettleTime()}. */
    public void setSettleTime(@Nullable Duration settleTime) {
        this.settleTime = settleTime;
    }

    /**
     * How long a registration lives without renewal; not where a session keeps the lease. Default: L, or 30 s if longer
     * and the store ends leases.
     */
    public @Nullable Duration getRegistrationLease() {
        return registrationLease;
    }

    /** See {@link #getRegistrationLease()}. */
    public void setRegistrationLease(@Nullable Duration registrationLease) {
        this.registrationLease = registrationLease;
    }
}
