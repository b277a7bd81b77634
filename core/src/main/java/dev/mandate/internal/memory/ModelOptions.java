package dev.mandate.internal.memory;

/**
 * How a {@link ModelStore} differs from others with the same traits.
 *
 * @param vacantBasis what a first write is conditional on
 * @param token where the fencing token comes from
 * @param updatesRenew whether every update renews a lease that is kept per record, because the store cannot write
 *     without renewing (NATS)
 * @param renewsExpired whether a record whose own lease is over can be renewed while nobody else took it (Azure Blob)
 * @param listsVacant whether keys that are vacant still show in a listing
 * @param listsByPosition whether a listing goes on by counting: what goes away or comes between two pages makes it skip
 *     or repeat some
 * @param refusalShows whether a refusal says what stands there instead
 */
public record ModelOptions(
        VacantBasis vacantBasis,
        Token token,
        boolean updatesRenew,
        boolean renewsExpired,
        boolean listsVacant,
        boolean listsByPosition,
        boolean refusalShows) {

    /**
     * Versions that rise, tokens from revisions, renewal only where it is meant and in time, everything shown, in one
     * go.
     */
    public static final ModelOptions DEFAULT =
            new ModelOptions(VacantBasis.RISING, Token.REVISION, false, false, true, false, true);

    /** What the basis of a vacant key is. */
    public enum VacantBasis {
        /** The same at every vacancy (etcd's "version = 0"): a late acquire can land after a later release. */
        CONSTANT,
        /** Never the same twice: a late acquire is refused. */
        RISING
    }

    /** Where the token comes from. */
    public enum Token {
        /**
         * The revision, counted over the whole store, that the record stands at; the record has no term until somebody
         * writes it in.
         */
        REVISION,
        /**
         * The greater of the key's last token + 1 and the store's wall clock in milliseconds, written into the record
         * by the acquire.
         */
        CLOCK
    }

    /** These options with another basis for vacant keys. */
    public ModelOptions with(VacantBasis basis) {
        return new ModelOptions(basis, token, updatesRenew, renewsExpired, listsVacant, listsByPosition, refusalShows);
    }

    /** These options with another source of tokens. */
    public ModelOptions with(Token source) {
        return new ModelOptions(
                vacantBasis, source, updatesRenew, renewsExpired, listsVacant, listsByPosition, refusalShows);
    }

    /** These options with another {@link #updatesRenew}. */
    public ModelOptions withUpdatesRenew(boolean renew) {
        return new ModelOptions(vacantBasis, token, renew, renewsExpired, listsVacant, listsByPosition, refusalShows);
    }

    /** These options with another {@link #renewsExpired}. */
    public ModelOptions withRenewsExpired(boolean renews) {
        return new ModelOptions(vacantBasis, token, updatesRenew, renews, listsVacant, listsByPosition, refusalShows);
    }

    /** These options with another {@link #listsVacant}. */
    public ModelOptions withListsVacant(boolean lists) {
        return new ModelOptions(vacantBasis, token, updatesRenew, renewsExpired, lists, listsByPosition, refusalShows);
    }

    /** These options with another {@link #listsByPosition}. */
    public ModelOptions withListsByPosition(boolean counts) {
        return new ModelOptions(vacantBasis, token, updatesRenew, renewsExpired, listsVacant, counts, refusalShows);
    }

    /** These options with another {@link #refusalShows}. */
    public ModelOptions withRefusalShows(boolean shows) {
        return new ModelOptions(vacantBasis, token, updatesRenew, renewsExpired, listsVacant, listsByPosition, shows);
    }
}
