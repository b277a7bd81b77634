package dev.mandate.jdbc;

/** The statements that create the tables, as text for people. */
final class Ddl {
    private Ddl() {}

    static String text(Sql sql) {
        return String.join(";\n", sql.create()) + ";";
    }
}
