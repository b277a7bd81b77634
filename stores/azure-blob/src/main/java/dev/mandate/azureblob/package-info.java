/**
 * Elections by leases of Azure blobs.
 *
 * <p>What is <em>not</em> promised, first. The real service was never tried: all tests ran on its emulator. Between the end of a term
 * and the first write of the next one, readers may see the record of the former leader. Whoever may write to the blob may break its lease, and
 * the leader learns of that with its next renewal.
 */
@NullMarked
package dev.mandate.azureblob;

import org.jspecify.annotations.NullMarked;
