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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The requests to a bucket, each with its own answer, so that many can be under way at once. */
final class Wire {
    /** The result of a refused write. */
    static final long REFUSED = -1;

    private static final byte[] NOTHING = {};

    private final Link link;
    private final String stream;
    private final String prefix;
    private final Pattern written;

    Wire(Link link) {
        this.link = link;
        this.stream = Subjects.stream(link.settings().bucket());
        this.prefix = Subjects.prefix(link.settings().bucket());
        this.written = written(stream);
    }

    /**
     * What servers usually answer to a write, with the revision as a group. Every renewal has such an answer, and to
     * parse it as JSON takes longer. An answer that says more does not match.
     */
    static Pattern written(String stream) {
        return Pattern.compile("\\{\"stream\":\"" + Pattern.quote(stream) + "\", ?\"seq\":([1-9][0-9]{0,17})}");
    }

    /**
     * Writes {@code value} at the key if its revision is {@code expected}; returns the new revision, or
     * {@link #REFUSED}. Fails if the write landed in another bucket, whose revisions went back.
     *
     * @param lifetime the key's own time to live; null for that of the bucket
     * @param renewal the attempt whose lease this write renews; null if it renews none
     */
    CompletableFuture<Long> put(
            Op op, long expected, byte[] value, @Nullable Duration lifetime, @Nullable String renewal) {
        Headers headers = record(expected, lifetime);
        if (renewal != null) {
            headers.put(Entry.RENEWAL, renewal);
        }
        return write(op, headers, value, false);
    }

    /** Like {@link #put}, for a vacant key. Deletes a record that landed in another bucket: it has no valid token. */
    CompletableFuture<Long> create(Op op, long expected, byte[] value, @Nullable Duration lifetime) {
        return write(op, record(expected, lifetime), value, true);
    }

    /** Replaces the key by a marker if its revision is {@code expected}; returns like {@link #put}. */
    CompletableFuture<Long> delete(Op op, long expected, @Nullable Duration lifetime) {
        Headers headers = headers(expected, lifetime);
        headers.put(Entry.OPERATION, Entry.RELEASED);
        return write(op, headers, NOTHING, false);
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

    /** Takes back a record that landed in another bucket if {@code isNew}. */
    private CompletableFuture<Long> write(Op op, Headers headers, byte[] value, boolean isNew) {
        long known = link.known().newest();
        Link.@Nullable Session session = link.session();
        return link.request(Turn.URGENT, op, prefix + op.path(), headers, value, op.call())
                .thenCompose(answer -> {
                    long revision = revision(op, answer);
                    link.known().saw(revision);
                    if (revision == REFUSED || revision > known) {
                        return CompletableFuture.completedFuture(revision);
                    }
                    return link.doubt(op).handle((same, failure) -> {
                        if (failure == null) {
                            return revision;
                        }
                        if (isNew && session != null && Causes.unwrapped(failure) instanceof StoreSetupException) {
                            takeBack(session, op.path(), revision);
                        }
                        throw new CompletionException(Causes.unwrapped(failure));
                    });
                });
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

    private long revision(Object what, Message answer) {
        Matcher usual = written.matcher(new String(answer.getData(), StandardCharsets.ISO_8859_1));
        if (usual.matches()) {
            return Long.parseLong(usual.group(1));
        }
        Json said = read(what, answer);
        if (!said.has("error") && said.number("seq") > 0) {
            if (said.text("stream").equals(stream)) {
                return said.number("seq");
            }
            throw elsewhere(what, said.text("stream"));
        }
        Json error = said.object("error");
        long number = error.number("err_code");
        if (number == Fault.WRONG_SEQUENCE || number == Fault.WRONG_SEQUENCE_UNDER_WAY) {
            return REFUSED;
        }
        throw error.names().isEmpty() ? strange(what) : refused(what, error);
    }

    /** The last message of the key, read from the bucket's leader; the stage holds null if there is none. */
    CompletableFuture<@Nullable Entry> last(Op op) {
        String body = "{\"last_by_subj\":\"" + prefix + op.path() + "\"}";
        return api(op, "STREAM.MSG.GET." + stream, body, op.call()).thenApply(answer -> {
            if (answer.object("error").number("err_code") == Fault.NO_MESSAGE) {
                return null;
            }
            Entry entry = entry(op, granted(op, answer).object("message"));
            Link.@Nullable Session session = link.session();
            if (session != null && entry.isOfAnother(session.bucket())) {
                throw ofAnother(op, session.bucket(), entry);
            }
            link.known().saw(entry.revision());
            return entry;
        });
    }

    private Entry entry(Object what, Json message) {
        try {
            String headers = new String(decoded(message.text("hdrs")), StandardCharsets.UTF_8);
            if (message.number("seq") > 0) {
                return Entry.of(message.number("seq"), name -> header(headers, name), decoded(message.text("data")));
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw strange(what);
    }

    /** Another program may write headers that jnats does not read. */
    static @Nullable String header(String headers, String name) {
        String wanted = name.toLowerCase(Locale.ROOT) + ':';
        return headers.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(wanted))
                .map(line -> line.substring(wanted.length()).strip())
                .findFirst()
                .orElse(null);
    }

    private static byte[] decoded(String base64) {
        return Base64.getDecoder().decode(base64);
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
        return api(what, "STREAM.INFO." + stream, body, call).thenApply(answer -> granted(what, answer));
    }

    /** Removes all messages of a key up to {@code revision}, and none later; returns their number. */
    CompletableFuture<Long> purge(Op op, long revision) {
        String body = "{\"filter\":\"" + prefix + op.path() + "\",\"seq\":" + (revision + 1) + "}";
        return api(op, "STREAM.PURGE." + stream, body, op.call()).thenApply(answer -> {
            if (!granted(op, answer).flag("success")) {
                throw strange(op);
            }
            return answer.number("purged");
        });
    }

    /** The key of a subject; empty for a subject outside the bucket. */
    String key(String subject) {
        return subject.startsWith(prefix) ? subject.substring(prefix.length()) : "";
    }

    /** Sends a request of JetStream's API; its answer may be an error. */
    CompletableFuture<Json> api(Object what, String verb, String body, CallContext call) {
        return link.request(Turn.ORDINARY, what, Subjects.API + verb, null, body.getBytes(StandardCharsets.UTF_8), call)
                .thenApply(answer -> read(what, answer));
    }

    /** The answer, unless it is an error. */
    private Json granted(Object what, Json answer) {
        if (answer.has("error")) {
            throw refused(what, answer.object("error"));
        }
        return answer;
    }

    private Json read(Object what, Message answer) {
        try {
            return Json.read(answer.getData());
        } catch (IllegalArgumentException e) {
            throw strange(what);
        }
    }

    private ElectionException refused(Object what, Json error) {
        long number = error.number("err_code");
        if (number == Fault.NO_STREAM || number == Fault.TTL_DISABLED) {
            // The bucket has changed.
            link.wantCheck();
        }
        return Fault.of(link.settings().name(), what, error);
    }

    /** The bucket is gone, and another stream has its subjects. */
    private ElectionException elsewhere(Object what, String other) {
        link.wantCheck();
        return new StoreSetupException(start(what) + "the stream '" + Excerpt.line(other, Causes.LINE_MAX)
                + "' took what was meant for the bucket; delete it, or take the bucket's subjects from it");
    }

    /** Candidates that write to two buckets do not exclude each other. */
    private ElectionException ofAnother(Object what, Bucket bucket, Entry entry) {
        return new StoreSetupException(start(what)
                + "the record was written for a bucket of this name that was made at "
                + Excerpt.line(entry.bucket(), Causes.LINE_MAX) + ", and this one was made at " + bucket.created()
                + ": candidates use two buckets, and each could have a leader. Let all of them use the servers of one"
                + " cluster and JetStream domain, and delete the other bucket");
    }

    private ElectionException strange(Object what) {
        return new StoreUnavailableException(start(what) + "unexpected reply, not from JetStream");
    }

    private String start(Object what) {
        return link.settings().name() + ": " + what + ": ";
    }
}
