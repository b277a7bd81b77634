/**
 * For authors of stores, and for tests that need real faults.
 *
 * <p><strong>To test a store</strong>, write one class named {@code …ConformanceTest}, or {@code …ServerIT} if it needs
 * a server (the test runner selects by name):
 *
 * <pre>{@code
 * class AcmeConformanceTest extends StoreConformance {
 *     @Override
 *     protected ElectionStore open() {
 *         return new AcmeStoreProvider().open(StoreUrl.parse("acme://localhost/test"));
 *     }
 *
 *     @Override
 *     protected Duration shortestLease() { // optional: for the cases that wait for leases to expire
 *         return Duration.ofSeconds(2);
 *     }
 * }
 * }</pre>
 *
 * <p>The cases adapt to the store by its {@link dev.mandate.spi.StoreTraits traits} alone. Three more methods can be
 * overridden to cover what only the author knows: {@code broken()} opens a store with a permanent fault,
 * {@code badUrls()} lists malformed URLs, and {@code writeForeign()} writes what another program would. Override a case
 * that does not fit with {@link dev.mandate.testkit.Deviation}; every build prints its reason.
 *
 * <p><strong>To try it under faults</strong>, extend {@link dev.mandate.testkit.CandidateTrials} and
 * {@link dev.mandate.testkit.ServerTrials}: processes campaign in real elections while they, their networks and their
 * servers fail, and their histories are judged.
 *
 * <p><strong>Beside the suite:</strong> {@link dev.mandate.testkit.ConformancePresence} fails a build that has a store
 * and no conformance class, {@link dev.mandate.testkit.FaultProxy} misbehaves between client and server,
 * {@link dev.mandate.testkit.CandidateProcess} is a process to kill and freeze,
 * {@link dev.mandate.testkit.ServerExtension} gives tests a real server, which is a
 * {@link dev.mandate.testkit.ServerProcess} of a {@link dev.mandate.testkit.ServerBinary},
 * {@link dev.mandate.testkit.ServerFixture} reports whether it was found, {@link dev.mandate.testkit.StoreClient} calls
 * a store and blocks, {@link dev.mandate.testkit.Certificates} makes certificates, and
 * {@link dev.mandate.testkit.Await} waits for conditions.
 */
@NullMarked
package dev.mandate.testkit;

import org.jspecify.annotations.NullMarked;
