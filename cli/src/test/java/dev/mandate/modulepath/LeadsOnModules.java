package dev.mandate.modulepath;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.StoreUnavailableException;
import dev.mandate.http.HttpOptions;
import dev.mandate.http.MandateHttp;
import java.util.List;

/**
 * Leads and serves at the first URL, opens all others, whose servers are absent. Says what it did, a line each. It
 * belongs to no module, and to no package of one.
 */
final class LeadsOnModules {
    private LeadsOnModules() {}

    /** The URLs; in the first, nobody leads. */
    public static void main(String[] urls) throws Exception {
        try (ElectionClient client = ElectionClient.connect(urls[0]);
                Leadership leads = client.election("invoices").campaign("here");
                MandateHttp http = MandateHttp.serve(client, HttpOptions.DEFAULTS.withPort(0))) {
            System.out.println("leads " + leads.isValid() + " in "
                    + client.getClass().getModule().getName() + ", serves in "
                    + http.getClass().getModule().getName());
        }
        for (String url : List.of(urls).subList(1, urls.length)) {
            try (ElectionClient client = ElectionClient.connect(url)) {
                System.out.println("opened " + client.guarantee());
            } catch (StoreUnavailableException e) {
                System.out.println("asked " + url.substring(0, url.indexOf(':')));
            }
        }
    }
}
