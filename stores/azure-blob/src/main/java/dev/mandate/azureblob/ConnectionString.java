package dev.mandate.azureblob;

import dev.mandate.StoreSetupException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The credentials in a connection string: {@code AccountName=…;AccountKey=…} or {@code SharedAccessSignature=…}. Its
 * endpoints are ignored: the store URL has the service's address. Messages quote only the account.
 *
 * @param account empty if it names none
 * @param key the account's key; empty if it has none
 * @param sas a shared access signature; empty if it has none
 */
record ConnectionString(String account, String key, String sas) {
    /**
     * Parses a connection string.
     *
     * @throws StoreSetupException if it can't be used; says what is missing
     */
    static ConnectionString parse(String text) {
        Map<String, String> fields = new HashMap<>();
        int number = 0;
        for (String part : text.strip().split(";")) {
            number++;
            int equals = part.indexOf('=');
            if (part.isBlank()) {
                continue;
            }
            if (equals < 1) {
                throw malformed("part " + number + " of it has no name and =");
            }
            fields.put(part.substring(0, equals).strip().toLowerCase(Locale.ROOT), part.substring(equals + 1));
        }
        if (fields.getOrDefault("usedevelopmentstorage", "").equalsIgnoreCase("true")) {
            return new ConnectionString(Credentials.EMULATOR, Credentials.EMULATOR_KEY, "");
        }
        ConnectionString parsed = new ConnectionString(
                fields.getOrDefault("accountname", ""),
                fields.getOrDefault("accountkey", ""),
                fields.getOrDefault("sharedaccesssignature", ""));
        if (parsed.key.isEmpty() && parsed.sas.isEmpty()) {
            throw malformed("it has neither AccountKey nor SharedAccessSignature");
        }
        if (!parsed.key.isEmpty() && parsed.account.isEmpty()) {
            throw malformed("it has an AccountKey and no AccountName");
        }
        return parsed;
    }

    private static StoreSetupException malformed(String why) {
        return new StoreSetupException("the connection string can't be used: " + why
                + "; copy it whole, like DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…");
    }

    /** Only the account. */
    @Override
    public String toString() {
        return "connection string of account " + account;
    }
}
