/** What a library offers, for the tests of this project that compare it with a file. Not exported. */
@NullMarked
package dev.mandate.testkit.api;

import org.jspecify.annotations.NullMarked;
