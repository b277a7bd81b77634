package dev.mandate.spi;

/** The position where a paged listing continues. Opaque to everybody but the store that made it. */
public record Cursor(String opaque) {
    /** The beginning. */
    public static final Cursor START = new Cursor("");
}
