package dev.mandate.nats;

/** Names the stream of a bucket and the subjects of its keys. */
final class Subjects {
    /** The prefix of all requests to JetStream. */
    static final String API = "$JS.API.";

    private Subjects() {}

    static String stream(String bucket) {
        return "KV_" + bucket;
    }

    static String prefix(String bucket) {
        return "$KV." + bucket + ".";
    }

    /** All keys of a bucket. */
    static String all(String bucket) {
        return prefix(bucket) + ">";
    }
}
