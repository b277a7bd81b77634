package dev.mandate.spi;

/** Where a paged listing goes on. Opaque to everybody but the store that made it. */
public record Cursor(String opaque) {
    /** The beginning. */
    public static final Cursor START = new Cursor("");
}
