/**
 * Elections in a SQL database: an SQLite file, without any server, or PostgreSQL; and a fence that lets only the newest
 * token write to the user's own tables.
 *
 * <p>{@code JdbcElectionStore} has the calls and {@code Sql} their statements. {@code SqliteDatabase} and {@code
 * PostgresDatabase} have what differs, such as the meaning of error codes. The fence is {@link
 * dev.mandate.jdbc.SqlFence}, statements included.
 *
 * <p>What is <em>not</em> promised: an SQLite file on a network file system is rejected if the file system is
 * recognized, and unsafe if not. A process frozen inside a write statement keeps all other writers of an SQLite file
 * waiting until it resumes or is killed. PostgreSQL means one primary: a failover that loses confirmed transactions
 * loses elections, too.
 */
@NullMarked
package dev.mandate.jdbc;

import org.jspecify.annotations.NullMarked;
