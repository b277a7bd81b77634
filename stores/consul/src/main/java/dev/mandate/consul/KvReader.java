package dev.mandate.consul;

import dev.mandate.spi.CallContext;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.support.ForeignLeases;
import dev.mandate.support.Interest;
import dev.mandate.support.KeyTemplate;
import dev.mandate.support.StoreCalls.Turn;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Reads records consistently, and sends transactions. */
final class KvReader {
    /** As many records as eight transactions read. */
    private static final int PAGE_ITEMS = 512;

    /** How often a record in two keys is read if it changes meanwhile. */
    private static final int TRIES = 4;

    private final Records records;
    private final ConsulHttp http;
    private final Interest interest;
    private final ForeignLeases leases;

    KvReader(Records records, ConsulHttp http, Interest interest, ForeignLeases leases) {
        this.records = records;
        this.http = http;
        this.interest = interest;
        this.leases = leases;
    }

    /** Encodes {@code path} for a URL. */
    static String encoded(String path) {
        String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8);
        return encoded.replace("+", "%20").replace("%2F", "/");
    }

    CompletionStage<Observation> read(RecordKey key, CallContext call) {
        String path = records.path(key);
        CompletionStage<Observation> read = records.isRaw()
                ? readBoth(key, path, TRIES, call)
                : readOne(path, call).thenApply(main -> records.observe(key, main.orElse(null), null));
        return read.thenCompose(seen -> leases.completed(seen, call));
    }

    private CompletionStage<Optional<KvEntry>> readOne(String path, CallContext call) {
        String what = "reading " + path;
        return http.get(what, "kv/" + encoded(path), "consistent", Turn.ORDINARY, call)
                .thenApply(answer -> {
                    if (answer.status() == 404 && answer.hasIndex()) {
                        http.metConsul();
                        return Optional.empty();
                    }
                    return entries(what, answer).stream()
                            .filter(entry -> entry.path().equals(path))
                            .findFirst();
                });
    }

    /** One transaction reads both keys at the same moment, but only if both exist. */
    private CompletionStage<Observation> readBoth(RecordKey key, String path, int tries, CallContext call) {
        String beside = records.beside(path);
        return send("reading " + path, new Txn().get(path).get(beside), call).thenCompose(reply -> {
            if (reply.failures().isEmpty()) {
                return CompletableFuture.completedStage(records.observe(
                        key,
                        named(reply, path).orElse(null),
                        named(reply, beside).orElse(null)));
            }
            if (reply.missing().contains(0)) {
                return CompletableFuture.completedStage(Records.vacant(key, 0));
            }
            return readOne(path, call).thenCompose(main -> {
                boolean isLocked = main.isPresent() && main.get().isLocked();
                boolean isSettled = tries <= 1 || !isLocked;
                return isSettled
                        ? CompletableFuture.completedStage(records.observe(key, main.orElse(null), null))
                        : confirmAlone(key, path, main.get(), tries, call);
            });
        });
    }

    /** A locked key was seen, and later none beside it: it is foreign only if both are true at one moment. */
    private CompletionStage<Observation> confirmAlone(
            RecordKey key, String path, KvEntry main, int tries, CallContext call) {
        return send("reading " + path, new Txn().get(path).expect(records.beside(path), 0), call)
                .thenCompose(reply -> {
                    boolean isAlone = reply.failures().isEmpty() && reply.indexOf(path) == main.modifyIndex();
                    return isAlone
                            ? CompletableFuture.completedStage(records.observe(key, main, null))
                            : readBoth(key, path, tries - 1, call);
                });
    }

    private static Optional<KvEntry> named(TxnReply reply, String path) {
        return reply.results().stream()
                .filter(entry -> entry.path().equals(path))
                .findFirst();
    }

    List<KvEntry> entries(String what, Answer answer) {
        if (!answer.isOk()) {
            throw new CompletionException(
                    answer.status() == 404
                            ? Fault.noConsul(http.name(), what, "it answers with HTTP status 404", http.wasConsul())
                            : http.fault(what, answer));
        }
        if (!answer.hasIndex()) {
            throw new CompletionException(
                    Fault.noConsul(http.name(), what, "it has no X-Consul-Index", http.wasConsul()));
        }
        try {
            List<KvEntry> entries = KvStream.entries(answer.body());
            http.metConsul();
            return entries;
        } catch (IOException e) {
            throw new CompletionException(http.fault(what, e));
        }
    }

    /** Sends a transaction. The stage fails if there is no reply or a right is missing. */
    CompletionStage<TxnReply> send(String what, Txn txn, CallContext call) {
        return http.put(what, "txn", "consistent", txn.json(), Turn.ORDINARY, call)
                .thenApply(answer -> {
                    if (!answer.isOk() && answer.status() != 409) {
                        throw new CompletionException(
                                answer.status() == 404
                                        ? Fault.noConsul(
                                                http.name(), what, "it answers with HTTP status 404", http.wasConsul())
                                        : http.fault(what, answer));
                    }
                    TxnReply reply = reply(what, answer);
                    if (reply.isDenied()) {
                        throw new CompletionException(Fault.denied(http.name(), what, "Permission denied"));
                    }
                    return reply;
                });
    }

    private TxnReply reply(String what, Answer answer) {
        try {
            TxnReply reply = ConsulJson.txn(answer.body());
            if (answer.isOk() != reply.failures().isEmpty()) {
                throw new MalformedAnswerException("its status contradicts its body");
            }
            http.metConsul();
            return reply;
        } catch (IOException e) {
            throw new CompletionException(http.fault(what, e));
        }
    }

    /** The records at or below {@code prefix} after {@code from}, ordered by path. */
    CompletionStage<Page<Observation>> list(RecordKey prefix, Cursor from, CallContext call) {
        boolean isWithItself =
                from.equals(Cursor.START) && records.keys().apart(prefix).isPresent();
        CompletionStage<Page<Observation>> below = below(prefix, from, call);
        return !isWithItself
                ? below
                : read(prefix, call).thenCombine(below, (itself, page) -> {
                    if (itself.basis().equals(FreeAt.NOWHERE)) {
                        return page;
                    }
                    List<Observation> items = new ArrayList<>(List.of(itself));
                    items.addAll(page.items());
                    return new Page<>(items, page.after());
                });
    }

    private CompletionStage<Page<Observation>> below(RecordKey prefix, Cursor from, CallContext call) {
        String what = "listing " + prefix;
        String start = records.keys().below(prefix);
        return http.get(what, "kv/" + encoded(start), "keys&consistent", Turn.ORDINARY, call)
                .thenCompose(answer -> {
                    List<String> wanted = wanted(what, answer, prefix, from.opaque());
                    boolean isLast = wanted.size() <= PAGE_ITEMS;
                    List<String> paths = isLast ? wanted : wanted.subList(0, PAGE_ITEMS);
                    Cursor after = isLast ? null : new Cursor(paths.get(PAGE_ITEMS - 1));
                    return records(what, paths, call).thenApply(entries -> {
                        List<Observation> items = new ArrayList<>();
                        for (String path : paths) {
                            KvEntry main = entries.get(path);
                            RecordKey key =
                                    interest.same(records.keys().key(path).orElseThrow());
                            if (main != null) {
                                items.add(records.observe(key, main, entries.get(records.beside(path))));
                            }
                        }
                        return new Page<>(items, after);
                    });
                });
    }

    private List<String> wanted(String what, Answer answer, RecordKey prefix, String after) {
        if (answer.status() == 404 && answer.hasIndex()) {
            http.metConsul();
            return List.of();
        }
        if (!answer.isOk() || !answer.hasIndex()) {
            throw new CompletionException(
                    answer.isOk()
                            ? Fault.noConsul(http.name(), what, "it has no X-Consul-Index", http.wasConsul())
                            : http.fault(what, answer));
        }
        try {
            KeyTemplate keys = records.keys();
            List<String> names = ConsulJson.strings(answer.body());
            http.metConsul();
            return names.stream()
                    .filter(path -> path.compareTo(after) > 0
                            && keys.key(path).filter(key -> key.isBelow(prefix)).isPresent())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new CompletionException(http.fault(what, e));
        }
    }

    /** The entries at {@code paths} and, in raw format, beside them, by path; those gone meanwhile are left out. */
    private CompletionStage<Map<String, KvEntry>> records(String what, List<String> paths, CallContext call) {
        int each = records.isRaw() ? Txn.OPERATIONS_MAX / 2 : Txn.OPERATIONS_MAX;
        Map<String, KvEntry> all = new HashMap<>();
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (int i = 0; i < paths.size(); i += each) {
            List<String> part = new ArrayList<>();
            for (String path : paths.subList(i, Math.min(paths.size(), i + each))) {
                part.add(path);
                if (records.isRaw()) {
                    part.add(records.beside(path));
                }
            }
            parts.add(get(what, part, TRIES, call)
                    .thenAccept(reply -> {
                        synchronized (all) {
                            reply.results().forEach(entry -> all.put(entry.path(), entry));
                        }
                    })
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply(done -> {
            synchronized (all) {
                return Map.copyOf(all);
            }
        });
    }

    private CompletionStage<TxnReply> get(String what, List<String> paths, int tries, CallContext call) {
        if (paths.isEmpty()) {
            return CompletableFuture.completedStage(new TxnReply(List.of(), List.of()));
        }
        Txn txn = new Txn();
        paths.forEach(txn::get);
        return send(what, txn, call).thenCompose(reply -> {
            if (reply.failures().isEmpty()) {
                return CompletableFuture.completedStage(reply);
            }
            if (!reply.onlyMisses() || tries <= 1) {
                return CompletableFuture.failedStage(http.fault(
                        what,
                        new IOException("it says: " + reply.failures().get(0).what())));
            }
            Set<Integer> missing = reply.missing();
            List<String> left = new ArrayList<>();
            for (int i = 0; i < paths.size(); i++) {
                if (!missing.contains(i)) {
                    left.add(paths.get(i));
                }
            }
            return get(what, left, tries - 1, call);
        });
    }
}
