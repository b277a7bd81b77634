package dev.mandate.nats;

/** How a bucket is called as a stream, and its keys as subjects. */
final class Subjects {
    /** What the requests of JetStream's interface begin with. */
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
