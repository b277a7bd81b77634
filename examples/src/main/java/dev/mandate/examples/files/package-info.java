/**
 * A store on plain files: what it takes to add a store to Mandate, and no more. For one machine; use {@code sqlite:} in
 * production.
 */
@NullMarked
package dev.mandate.examples.files;

import org.jspecify.annotations.NullMarked;
