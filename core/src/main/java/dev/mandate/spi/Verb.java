package dev.mandate.spi;

/** The operations of a store, which it may grant or refuse separately. */
public enum Verb {
    /** {@link ElectionStore#read}. */
    READ("reading"),
    /** {@link ElectionStore#list}. */
    LIST("listing"),
    /** {@link ElectionStore#watch}. */
    WATCH("watching"),
    /** {@link ElectionStore#openSession}, and renewing and ending the session. */
    SESSION("opening and renewing a session"),
    /** {@link ElectionStore#acquire}. */
    ACQUIRE("acquiring"),
    /** {@link ElectionStore#update}. */
    UPDATE("updating"),
    /** {@link ElectionStore#release}. */
    RELEASE("releasing"),
    /** {@link ElectionStore#erase}. */
    ERASE("erasing");

    private final String words;

    Verb(String words) {
        this.words = words;
    }

    /** How messages call it: {@code acquiring}. */
    public String words() {
        return words;
    }
}
