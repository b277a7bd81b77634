/**
 * What most stores need beside the contract: keys and templates, the JSON of a record, TLS and secrets, an HTTP
 * client, a limit of concurrent calls, hints and the keys a client is interested in.
 */
@NullMarked
package dev.mandate.support;

import org.jspecify.annotations.NullMarked;
