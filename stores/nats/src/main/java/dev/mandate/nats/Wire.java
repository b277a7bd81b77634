package dev.mandate.nats;

import dev.mandate.ElectionException;
import dev.mandate.StoreSetupException;
import dev.mandate.StoreUnavailableException;
import dev.mandate.spi.CallContext;
import dev.mandate.spi.Causes;
import dev.mandate.spi.Excerpt;
import dev.mandate.support.StoreCalls.Turn;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The requests to a bucket, each with its own answer, so that many can be under way at once. */
final class Wire {
    private static final byte[] NOTHING = {};
    private static final byte[] SEQUENCE = "\"seq\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ERROR = "\"error\":".getBytes(StandardCharsets.US_ASCII);

    /** The result of a refused write. */
    static final long REFUSED = -1;

    private final Link link;
    private final String stream;
    private final byte[] inStream;
    private final String prefix;

    Wire(Link link) {
        this.link = link;
        this.stream = Subjects.stream(link.settings().bucket());
        this.inStream = ("\"stream\":\"" + stream + '"').getBytes(StandardCharsets.US_ASCII);
        this.prefix = Subjects.prefix(link.settings().bucket());
    }

    /**
     * Writes {@code value} at {@code key} if its revision is {@code expected}.
     *
     * @param lifetime the key's own time to live; null for that of the bucket
     * @param renewal the attempt whose lease this write renews; null if it renews none
     * @return the new revision, or {@link #REFUSED}; fails if the write landed in another bucket, whose
     *     revisions went back
     */
    CompletableFuture<Long> put(
            Object what,
            String key,
            long expected,
            byte[] value,
            @Nullable Duration lifetime,
            @Nullable String renewal,
            CallContext call) {
        Headers headers = record(expected, lifetime);
        if (renewal != null) {
            headers.put(Entry.RENEWAL, renewal);
        }
        return write(what, key, headers, value, call, (session, revision) -> {});
    }

    /** Like {@link #put}, for a vacant key. Deletes a record that landed in another bucket: it has no valid token. */
    CompletableFuture<Long> create(
            Object what, String key, long expected, byte[] value, @Nullable Duration lifetime, CallContext call) {
        return write(
                what,
                key,
                record(expected, lifetime),
                value,
                call,
                (session, revision) -> takeBack(session, key, revision));
    }

    /** Replaces the key by a marker if its revision is {@code expected}; returns like {@link #put}. */
    CompletableFuture<Long> delete(
            Object what, String key, long expected, @Nullable Duration lifetime, CallContext call) {
        Headers headers = headers(expected, lifetime);
        headers.put(Entry.OPERATION, Entry.RELEASED);
        return write(what, key, headers, NOTHING, call, (session, revision) -> {});
    }

    /** A record names its bucket, so that a reader that finds it in another one detects that there are two. */
    private Headers record(long expected, @Nullable Duration lifetime) {
        Headers headers = headers(expected, lifetime);
        Link.@Nullable Session session = link.session();
        if (session != null) {
            headers.put(Entry.BUCKET, session.bucket().created());
        }
        return headers;
    }

    private static Headers headers(long expected, @Nullable Duration lifetime) {
        Headers headers = new Headers();
        headers.put(Entry.EXPECTED, Long.toString(expected));
        if (lifetime != null) {
            headers.put(Entry.TTL, lifetime.toSeconds() + "s");
        }
        return headers;
    }

    /** {@code takeBack} is called with the session and revision of a write that landed in another bucket. */
    private CompletableFuture<Long> write(
            Object what, String key, Headers headers, byte[] value, CallContext call, TakeBack takeBack) {
        long known = link.newest();
        Link.@Nullable Session session = link.session();
        return link.request(Turn.URGENT, what, prefix + key, headers, value, call)
                .thenCompose(answer -> {
                    long revision = revision(what, answer);
                    link.saw(revision);
                    if (revision == REFUSED || revision > known) {
                        return CompletableFuture.completedFuture(revision);
                    }
                    return link.doubt(what, call).handle((same, failure) -> {
                        if (failure == null) {
                            return revision;
                        }
                        if (session != null && Causes.unwrapped(failure) instanceof StoreSetupException) {
                            takeBack.accept(session, revision);
                        }
                        throw new CompletionException(Causes.unwrapped(failure));
                    });
                });
    }

    private interface TakeBack {
        void accept(Link.Session session, long revision);
    }

    /** Deletes a record that is no term, without awaiting an answer. If that fails, the record expires. */
    private void takeBack(Link.Session session, String key, long revision) {
        Headers headers = headers(revision, null);
        headers.put(Entry.OPERATION, Entry.RELEASED);
        try {
            session.connection().publish(prefix + key, headers, NOTHING);
        } catch (IllegalStateException | IllegalArgumentException e) {
            // The connection was lost.
        }
    }

    /** Confirmations are many and short, so most are read without a JSON parser. */
    private long revision(Object what, Message answer) {
        byte[] text = answer.getData();
        int at = find(text, SEQUENCE);
        if (at >= 0 && find(text, inStream) >= 0 && find(text, ERROR) < 0) {
            long revision = number(text, at + SEQUENCE.length);
            if (revision > 0) {
                return revision;
            }
        }
        Json said = read(what, answer);
        if (!said.has("error") && said.number("seq") > 0) {
            if (said.text("stream").equals(stream)) {
                return said.number("seq");
            }
            throw elsewhere(what, said.text("stream"));
        }
        Json error = said.object("error");
        int number = (int) error.number("err_code");
        if (number == Fault.WRONG_SEQUENCE || number == Fault.WRONG_SEQUENCE_UNDER_WAY) {
            return REFUSED;
        }
        throw error.names().isEmpty() ? strange(what) : refused(what, error);
    }

    private static int find(byte[] text, byte[] words) {
        for (int i = 0; i <= text.length - words.length; i++) {
            int k = 0;
            while (k < words.length && text[i + k] == words[k]) {
                k++;
            }
            if (k == words.length) {
                return i;
            }
        }
        return -1;
    }

    private static long number(byte[] text, int from) {
        int at = from;
        while (at < text.length && text[at] == ' ') {
            at++;
        }
        long number = 0;
        while (at < text.length && text[at] >= '0' && text[at] <= '9' && number < Long.MAX_VALUE / 10 - 9) {
            number = 10 * number + text[at++] - '0';
        }
        return number;
    }

    /** The last message of {@code key}, read from the bucket's leader; the stage holds null if there is none. */
    CompletableFuture<@Nullable Entry> last(Object what, String key, CallContext call) {
        String body = "{\"last_by_subj\":\"" + prefix + key + "\"}";
        return api(what, "STREAM.MSG.GET." + stream, body, call).thenApply(answer -> {
            if (answer.object("error").number("err_code") == Fault.NO_MESSAGE) {
                return null;
            }
            if (answer.has("error")) {
                throw refused(what, answer.object("error"));
            }
            Entry entry = entry(what, answer.object("message"));
            Link.@Nullable Session session = link.session();
            if (session != null && entry.isOfAnother(session.bucket())) {
                throw ofAnother(what, session.bucket(), entry);
            }
            link.saw(entry.revision());
            return entry;
        });
    }

    private Entry entry(Object what, Json message) {
        try {
            String headers = new String(decoded(message.text("hdrs")), StandardCharsets.UTF_8);
            long revision = message.number("seq");
            if (revision <= 0) {
                throw strange(what);
            }
            return Entry.of(revision, name -> header(headers, name), decoded(message.text("data")));
        } catch (IllegalArgumentException e) {
            throw strange(what);
        }
    }

    private static byte[] decoded(String base64) {
        return Base64.getDecoder().decode(base64);
    }

    private static @Nullable String header(String headers, String name) {
        String wanted = name.toLowerCase(Locale.ROOT) + ':';
        return headers.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(wanted))
                .map(line -> line.substring(wanted.length()).strip())
                .findFirst()
                .orElse(null);
    }

    /** The keys that match {@code filter}, including markers, in a fixed order from the {@code offset}-th on. */
    CompletableFuture<Json> keys(Object what, String filter, long offset, CallContext call) {
        return info(what, "{\"subjects_filter\":\"" + prefix + filter + "\",\"offset\":" + offset + "}", call);
    }

    /** The servers' information about the bucket. */
    CompletableFuture<Json> info(Object what, CallContext call) {
        return info(what, "", call);
    }

    private CompletableFuture<Json> info(Object what, String body, CallContext call) {
        return api(what, "STREAM.INFO." + stream, body, call).thenApply(answer -> {
            if (answer.has("error")) {
                throw refused(what, answer.object("error"));
            }
            return answer;
        });
    }

    /** Removes all messages of a key up to {@code revision}, and none later; returns their number. */
    CompletableFuture<Long> purge(Object what, String key, long revision, CallContext call) {
        String body = "{\"filter\":\"" + prefix + key + "\",\"seq\":" + (revision + 1) + "}";
        return api(what, "STREAM.PURGE." + stream, body, call).thenApply(answer -> {
            if (answer.has("error")) {
                throw refused(what, answer.object("error"));
            }
            if (!answer.flag("success")) {
                throw strange(what);
            }
            return answer.number("purged");
        });
    }

    /** The key of a subject; empty for a subject outside the bucket. */
    String key(String subject) {
        return subject.startsWith(prefix) ? subject.substring(prefix.length()) : "";
    }

    CompletableFuture<Json> api(Object what, String verb, String body, CallContext call) {
        Function<Message, Json> read = answer -> read(what, answer);
        return link.request(Turn.ORDINARY, what, Subjects.API + verb, null, body.getBytes(StandardCharsets.UTF_8), call)
                .thenApply(read);
    }

    private Json read(Object what, Message answer) {
        try {
            return Json.read(answer.getData());
        } catch (IllegalArgumentException e) {
            throw strange(what);
        }
    }

    private ElectionException refused(Object what, Json error) {
        int number = (int) error.number("err_code");
        if (number == Fault.NO_STREAM || number == Fault.TTL_DISABLED) {
            // The bucket has changed.
            link.wantCheck();
        }
        return Fault.of(link.settings().name(), what, error);
    }

    /** The bucket is gone, and another stream has its subjects. */
    private ElectionException elsewhere(Object what, String other) {
        link.wantCheck();
        return new StoreSetupException(
                link.settings().name() + ": " + what + ": the stream '" + Excerpt.line(other, Causes.LINE_MAX)
                        + "' took what was meant for the bucket; delete it, or take the bucket's subjects from it");
    }

    /** Candidates that write to two buckets do not exclude each other. */
    private ElectionException ofAnother(Object what, Bucket bucket, Entry entry) {
        return new StoreSetupException(link.settings().name() + ": " + what
                + ": the record was written for a bucket of this name that was made at "
                + Excerpt.line(entry.bucket(), Causes.LINE_MAX) + ", and this one was made at " + bucket.created()
                + ": candidates use two buckets, and each could have a leader. Let all of them use the servers of one"
                + " cluster and JetStream domain, and delete the other bucket");
    }

    private ElectionException strange(Object what) {
        return new StoreUnavailableException(
                link.settings().name() + ": " + what + ": unexpected reply, not from JetStream");
    }
}
