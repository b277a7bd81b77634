/**
 * Planted bugs: known mistakes, each made by an edit of the real source, which a test must find. They expose tests that
 * no longer detect anything.
 *
 * <p>{@link dev.mandate.testkit.bugs.StoreBugs} plants them in a store and runs the tests that must fail.
 * {@link dev.mandate.testkit.bugs.EditedSources} applies and compiles the edits for other uses, and
 * {@link dev.mandate.testkit.bugs.EditedClasses} loads them.
 */
@NullMarked
package dev.mandate.testkit.bugs;

import org.jspecify.annotations.NullMarked;
