package dev.mandate.nats;

import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import dev.mandate.spi.Finding;
import dev.mandate.support.StoreAuthority.Host;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** For the doctor: checks that all servers of a URL show the same bucket. */
final class OneBucket {
    private static final String SUBJECT = "bucket";
    private static final String ONE_CLUSTER = "; let the URL name servers of one cluster and JetStream domain";

    private OneBucket() {}

    /**
     * What one server shows.
     *
     * @param isKnown whether the server answered
     * @param created when its bucket was created; empty if it has none
     */
    record Shown(Host host, boolean isKnown, String created, String domain) {
        static Shown unknown(Host host) {
            return new Shown(host, false, "", "");
        }

        /** Reads the bucket's information; null if nobody answered. */
        static Shown of(Host host, @Nullable Json info) {
            if (info == null || info.has("error") && info.object("error").number("err_code") != Fault.NO_STREAM) {
                return unknown(host);
            }
            String domain = info.has("error") ? "" : info.text("domain");
            return new Shown(host, true, Excerpt.line(info.text("created"), Causes.LINE_MAX), domain);
        }

        private boolean isSame(Shown other) {
            return created.equals(other.created) && domain.equals(other.domain);
        }

        private String words() {
            return created.isEmpty()
                    ? host + " has none"
                    : host + " has one that was made at " + created + " in " + Bucket.domain(domain);
        }
    }

    /** At most one finding; none if no server shows the bucket. */
    static List<Finding> findings(String bucket, List<Shown> servers) {
        List<Shown> known = servers.stream().filter(Shown::isKnown).toList();
        Optional<Shown> any =
                known.stream().filter(shown -> !shown.created().isEmpty()).findFirst();
        if (any.isEmpty()) {
            return List.of();
        }
        Shown first = any.get();
        Optional<Shown> other =
                known.stream().filter(shown -> !shown.isSame(first)).findFirst();
        return List.of(other.map(shown -> Finding.error(
                        SUBJECT,
                        "there is not one bucket '" + bucket + "': "
                                + first.words() + ", and " + shown.words()
                                + ". Candidates on either side do not see each other, and each could have a leader"
                                + ONE_CLUSTER))
                .orElseGet(() -> Finding.ok(
                        SUBJECT,
                        "every server that answers shows the one bucket that was made at " + first.created())));
    }
}
