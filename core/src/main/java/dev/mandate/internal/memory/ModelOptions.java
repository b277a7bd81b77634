package dev.mandate.internal.memory;

/**
 * How a {@link ModelStore} differs from others with the same traits.
 *
 * @param vacantBasis what a first write is conditional on
 * @param token where the fencing token comes from
 * @param updatesRenew whether every update renews a record's own lease, as the store cannot write otherwise (NATS)
 * @param renewsExpired whether a record can be renewed after its own lease, until somebody else takes it (Azure Blob)
 * @param listsVacant whether listings show vacant keys
 * @param listsByPosition whether a listing continues by position, so that it skips or repeats keys when others come or
 *     go between two pages
 * @param refusalShows whether a refusal shows the current record
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
     * Rising versions, tokens from revisions; only renewals renew, and only in time; listings show vacant keys and
     * continue by path; refusals show the current record.
     */
    public static final ModelOptions DEFAULT =
            new ModelOptions(VacantBasis.RISING, Token.REVISION, false, false, true, false, true);

    /** The basis of a vacant key. */
    public enum VacantBasis {
        /** The same at every vacancy (etcd's "version = 0"): a late acquire can land after a later release. */
        CONSTANT,
        /** Never the same twice: a late acquire is refused. */
        RISING
    }

    /** Where the token comes from. */
    public enum Token {
        /** The revision, store-wide, of the record's last write. The record has no term until somebody writes it in. */
        REVISION,
        /** The larger of the key's last token + 1 and the wall clock in ms; the acquire writes it into the record. */
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
