package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Gathers the fields of one {@link KvEntry} as a parser comes across them. */
final class KvFields {
    private String path = "";
    private String encoded = "";
    private String session = "";
    private long modifyIndex;

    void clear() {
        path = "";
        encoded = "";
        session = "";
        modifyIndex = 0;
    }

    /** {@code parser} stands at the scalar {@code token}, which is the value of {@code field}. */
    void take(String field, JsonToken token, JsonParser parser) throws IOException {
        if (token == JsonToken.VALUE_STRING) {
            switch (field) {
                case "Key" -> path = parser.getText();
                case "Value" -> encoded = parser.getText();
                case "Session" -> session = parser.getText();
                default -> {}
            }
        } else if (token == JsonToken.VALUE_NUMBER_INT && field.equals("ModifyIndex")) {
            modifyIndex = parser.getLongValue();
        }
    }

    KvEntry entry() throws IOException {
        if (path.isEmpty() || modifyIndex <= 0) {
            throw new MalformedAnswerException("an entry without Key or ModifyIndex");
        }
        return new KvEntry(path, encoded, session, modifyIndex);
    }
}
