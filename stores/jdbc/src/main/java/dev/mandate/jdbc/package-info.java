/**
 * Elections in a SQL database: an SQLite file, where there is no server at all, or PostgreSQL; and a guard that lets
 * only the newest token write to the user's own tables.
 *
 * <p>What is <em>not</em> promised, first. A database on a network file system is refused where it is recognised and
 * unsafe where it is not. A process frozen by the system in the middle of a write statement keeps every other writer of
 * an SQLite file waiting until it goes on or is killed. PostgreSQL is one primary: a failover that loses confirmed
 * transactions loses elections, too.
 */
@NullMarked
package dev.mandate.jdbc;

import org.jspecify.annotations.NullMarked;
