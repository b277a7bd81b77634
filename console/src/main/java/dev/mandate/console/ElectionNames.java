package dev.mandate.console;

import dev.mandate.spi.ElectionStoreProvider;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.StoreUrl;
import java.util.Locale;
import java.util.ServiceLoader;

/** Checks names from the command line. */
public final class ElectionNames {
    private ElectionNames() {}

    /**
     * Refuses an invalid name, and one that was surely meant as a store URL.
     *
     * @param what what the message calls it
     * @throws IllegalArgumentException if refused; names {@code what}, the mistake and the bound, but no secret
     */
    public static void require(String what, String name) {
        for (int i = 0; i < name.length(); i++) {
            if (Arguments.isForeignByte(name.charAt(i))) {
                throw new IllegalArgumentException(what + " is not UTF-8: it has a byte "
                        + String.format(Locale.ROOT, "0x%02X", name.charAt(i) & 0xFF) + " at position " + i
                        + "; write it in UTF-8");
            }
        }
        RecordKey.requireName(what, name);
        if (name.contains("://") && isStore(name)) {
            throw new IllegalArgumentException(what + " is '" + StoreAddress.masked(name)
                    + "', the URL of a store; name the store with --store or " + StoreAddress.URL_VARIABLE);
        }
    }

    private static boolean isStore(String text) {
        String scheme;
        try {
            scheme = StoreUrl.parse(text).scheme();
        } catch (IllegalArgumentException e) {
            return false;
        }
        return ServiceLoader.load(ElectionStoreProvider.class).stream()
                .anyMatch(provider -> provider.get().schemes().contains(scheme));
    }
}
