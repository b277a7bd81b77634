/** JSON: what records and registrations are written in. Shared with the stores' support, and with nobody else. */
@NullMarked
package dev.mandate.json;

import org.jspecify.annotations.NullMarked;
