/**
 * What most stores need beside the contract. Depends on nothing but {@code dev.mandate}.
 */
module dev.mandate.support {
    requires transitive dev.mandate;

    exports dev.mandate.support;
}
