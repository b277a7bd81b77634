/**
 * Elections for tests of your own program: {@link dev.mandate.test.TestElection} is led, lost and cut off as the test
 * says, in virtual time. It is the real client on a store in memory, so your program sees what it will see in
 * production.
 */
@NullMarked
package dev.mandate.test;

import org.jspecify.annotations.NullMarked;
