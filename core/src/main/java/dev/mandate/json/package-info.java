/** JSON, the format of records and registrations. Shared only with the support module for stores. */
@NullMarked
package dev.mandate.json;

import org.jspecify.annotations.NullMarked;
