package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Parses an array of entries as it arrives, and passes each on when complete, so that only one is in memory here. */
final class KvStream {
    private final Consumer<KvEntry> sink;
    private final JsonParser parser;
    private final KvFields fields = new KvFields();
    private int depth;
    private String field = "";
    private boolean isOver;

    KvStream(Consumer<KvEntry> sink) throws IOException {
        this.sink = sink;
        this.parser = ConsulJson.FACTORY.createNonBlockingByteArrayParser();
    }

    /** Parses a whole array. */
    static List<KvEntry> entries(byte[] body) throws IOException {
        List<KvEntry> entries = new ArrayList<>();
        KvStream stream = new KvStream(entries::add);
        stream.feed(body, body.length);
        stream.end();
        return entries;
    }

    void feed(byte[] bytes, int length) throws IOException {
        if (length > 0) {
            ((ByteArrayFeeder) parser.getNonBlockingInputFeeder()).feedInput(bytes, 0, length);
            drain();
        }
    }

    /** The body has ended. */
    void end() throws IOException {
        ((ByteArrayFeeder) parser.getNonBlockingInputFeeder()).endOfInput();
        drain();
        if (!isOver) {
            throw new MalformedAnswerException("it ends too early");
        }
    }

    private void drain() throws IOException {
        JsonToken token = parser.nextToken();
        while (token != null && token != JsonToken.NOT_AVAILABLE) {
            take(token);
            token = parser.nextToken();
        }
    }

    private void take(JsonToken token) throws IOException {
        switch (token) {
            case START_ARRAY -> enter(0);
            case START_OBJECT -> {
                enter(1);
                fields.clear();
            }
            case END_OBJECT -> {
                depth--;
                sink.accept(fields.entry());
            }
            case END_ARRAY -> {
                depth--;
                isOver = true;
            }
            case FIELD_NAME -> field = parser.currentName();
            default -> {
                if (depth != 2) {
                    throw new MalformedAnswerException("it is no array of entries");
                }
                fields.take(field, token, parser);
            }
        }
    }

    private void enter(int expected) throws IOException {
        if (depth != expected || isOver) {
            throw new MalformedAnswerException("it is no array of entries");
        }
        depth++;
    }
}
