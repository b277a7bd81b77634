package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConformancePresenceTest {
    private static final Path ROOT = Path.of("..");

    @TempDir
    Path module;

    @Test
    void everyStoreOfThisRepositoryIsProved() {
        List<Path> stores = ConformancePresence.stores(ROOT);

        assertThat(stores).contains(ROOT.resolve("core"));
        for (Path store : stores) {
            // The core can't depend on the testkit, so its store is proved here.
            assertThat(ConformancePresence.of(store).testedIn(testsOf(store)).problems())
                    .isEmpty();
        }
    }

    private static Path testsOf(Path store) {
        return store.equals(ROOT.resolve("core")) ? ROOT.resolve("testkit") : store;
    }

    @Test
    void aModuleWithoutStoreNeedsNothing() {
        assertThat(ConformancePresence.of(module).problems()).isEmpty();
        assertThat(ConformancePresence.stores(module)).isEmpty();
    }

    @Test
    void aStoreWithoutConformanceClassIsAProblem() throws IOException {
        offerStore();
        test("OtherTest", "class OtherTest extends Object {}");

        assertThat(ConformancePresence.stores(module)).containsExactly(module);
        assertThat(ConformancePresence.of(module).problems())
                .singleElement()
                .asString()
                .contains(module.toString(), "no conformance test", "StoreConformance");
    }

    @Test
    void anAbstractClassProvesNothing() throws IOException {
        offerStore();
        test("AcmeTest", "abstract class AcmeTest extends StoreConformance {}");

        assertThat(ConformancePresence.of(module).problems())
                .singleElement()
                .asString()
                .contains("no conformance test");
    }

    @Test
    void aNameTheRunnerPassesOverIsAProblem() throws IOException {
        offerStore();
        test("AcmeConformance", "public final class AcmeConformance extends StoreConformance {}");

        assertThat(ConformancePresence.of(module).problems())
                .singleElement()
                .asString()
                .contains("AcmeConformance", "passes it over");
    }

    @Test
    void aDisabledClassIsAProblem() throws IOException {
        offerStore();
        test("AcmeTest", "@Disabled(\"slow\")\nclass AcmeTest extends StoreConformance {}");

        assertThat(ConformancePresence.of(module).problems())
                .singleElement()
                .asString()
                .contains("is disabled");
    }

    @Test
    void aGrandchildWithARunnableNameIsFine() throws IOException {
        offerStore();
        test("AcmeSuite", "abstract class AcmeSuite extends dev.mandate.testkit.StoreConformance {}");
        test("AcmeServerIT", "final class AcmeServerIT extends AcmeSuite {}");

        assertThat(ConformancePresence.of(module).problems()).isEmpty();
    }

    private void offerStore() throws IOException {
        Path services = Files.createDirectories(module.resolve("src/main/resources/META-INF/services"));
        Files.writeString(services.resolve("dev.mandate.spi.ElectionStoreProvider"), "com.acme.AcmeStoreProvider\n");
    }

    private void test(String name, String declaration) throws IOException {
        Path tests = Files.createDirectories(module.resolve("src/test/java/com/acme"));
        Files.writeString(tests.resolve(name + ".java"), "package com.acme;\n\n" + declaration + "\n");
    }
}
