/**
 * Planted bugs: known mistakes, made one at a time by an edit of the real source, which a test must find. So a test that no longer notices
 * anything is noticed.
 *
 * <p>{@link dev.mandate.testkit.bugs.StoreBugs} plants them in a store and runs the tests that must fail. {@link
 * dev.mandate.testkit.bugs.EditedSources} makes and compiles the edits for other finders, and {@link
 * dev.mandate.testkit.bugs.EditedClasses} loads them.
 */
@NullMarked
package dev.mandate.testkit.bugs;

import org.jspecify.annotations.NullMarked;
