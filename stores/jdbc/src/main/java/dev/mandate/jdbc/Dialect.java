package dev.mandate.jdbc;

/** The supported databases. */
public enum Dialect {
    /** SQLite 3.35 or newer: one file on a local disk, shared by processes of one machine. */
    SQLITE("SQLite"),
    /** PostgreSQL 10 or newer: one primary. */
    POSTGRESQL("PostgreSQL");

    private final String title;

    Dialect(String title) {
        this.title = title;
    }

    /** Its name in messages. */
    public String title() {
        return title;
    }
}
