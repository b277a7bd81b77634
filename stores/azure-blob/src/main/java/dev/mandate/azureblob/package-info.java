/**
 * Elections by leases of Azure blobs.
 *
 * <p>{@code AzureBlobElectionStore} has the calls, {@code Records} what is in a blob, {@code BlobConnection} sends
 * requests, {@code BlobWatch} polls for changes, and {@code Fault} has the error messages.
 *
 * <p>What is <em>not</em> promised: the real service was never tested, only its emulator. Between the end of a term and
 * the first write of the next, readers may see the former leader's record. Anyone who may write to the blob may break
 * its lease; the leader learns of that at its next renewal.
 */
@NullMarked
package dev.mandate.azureblob;

import org.jspecify.annotations.NullMarked;
