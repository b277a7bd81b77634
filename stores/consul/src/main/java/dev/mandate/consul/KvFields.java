package dev.mandate.consul;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Collects the fields of one {@link KvEntry} while it is parsed. */
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

    /** Takes the scalar {@code token}, at which {@code parser} is, as the value of {@code field}. */
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
