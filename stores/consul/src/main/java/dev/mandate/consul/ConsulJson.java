package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parses Consul's answers, with limits on depth and string length. */
final class ConsulJson {
    private static final int DEPTH_MAX = 16;
    /** For a value in base64; by default Consul itself accepts values of 512 KiB. */
    private static final int STRING_MAX = 4 << 20;

    static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxStringLength(STRING_MAX)
                    .build())
            .build();

    private ConsulJson() {}

    /** Parses an array of strings. */
    static List<String> strings(byte[] body) throws IOException {
        List<String> strings = new ArrayList<>();
        try (JsonParser parser = FACTORY.createParser(body)) {
            need(parser.nextToken() == JsonToken.START_ARRAY);
            for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                need(token == JsonToken.VALUE_STRING);
                strings.add(parser.getText());
            }
        }
        return strings;
    }

    /** The first string value of {@code field}, at any depth; empty if there is none. */
    static String field(byte[] body, String field) throws IOException {
        try (JsonParser parser = FACTORY.createParser(body)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING && field.equals(parser.currentName())) {
                    return parser.getText();
                }
            }
        }
        return "";
    }

    /** The first scalar value of each of these fields, at any depth, as text; fields without one are left out. */
    static Map<String, String> scalars(byte[] body, Set<String> names) throws IOException {
        Map<String, String> found = new HashMap<>();
        try (JsonParser parser = FACTORY.createParser(body)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isScalarValue() && parser.currentName() != null && names.contains(parser.currentName())) {
                    found.putIfAbsent(parser.currentName(), parser.getText());
                }
            }
        }
        return found;
    }

    /** Parses the answer to a transaction. */
    static TxnReply txn(byte[] body) throws IOException {
        List<KvEntry> results = new ArrayList<>();
        List<TxnReply.Failure> failures = new ArrayList<>();
        try (JsonParser parser = FACTORY.createParser(body)) {
            need(parser.nextToken() == JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (token == JsonToken.START_ARRAY && name.equals("Results")) {
                    results(parser, results);
                } else if (token == JsonToken.START_ARRAY && name.equals("Errors")) {
                    failures(parser, failures);
                } else {
                    parser.skipChildren();
                }
            }
            need(parser.currentToken() == JsonToken.END_OBJECT);
        }
        return new TxnReply(results, failures);
    }

    private static void results(JsonParser parser, List<KvEntry> into) throws IOException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean isEntry = parser.currentName().equals("KV");
                if (parser.nextToken() == JsonToken.START_OBJECT && isEntry) {
                    into.add(entry(parser));
                } else {
                    parser.skipChildren();
                }
            }
        }
        need(parser.currentToken() == JsonToken.END_ARRAY);
    }

    private static KvEntry entry(JsonParser parser) throws IOException {
        KvFields fields = new KvFields();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            if (token.isScalarValue()) {
                fields.take(name, token, parser);
            } else {
                parser.skipChildren();
            }
        }
        return fields.entry();
    }

    private static void failures(JsonParser parser, List<TxnReply.Failure> into) throws IOException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            int operation = -1;
            String what = "";
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (token == JsonToken.VALUE_NUMBER_INT && name.equals("OpIndex")) {
                    operation = parser.getIntValue();
                } else if (token == JsonToken.VALUE_STRING && name.equals("What")) {
                    what = parser.getText();
                } else {
                    parser.skipChildren();
                }
            }
            into.add(new TxnReply.Failure(operation, what));
        }
        need(parser.currentToken() == JsonToken.END_ARRAY);
    }

    private static void need(boolean isAsExpected) throws IOException {
        if (!isAsExpected) {
            throw new MalformedAnswerException("it is not what was asked for");
        }
    }
}
