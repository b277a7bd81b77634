package dev.mandate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The POMs that are installed: complete, in agreement with each other, and without addresses of machines. */
class PomsTest {
    private static final Pom ROOT = Project.rootPom();
    private static final Pom BOM = Pom.read(Project.ROOT.resolve("bom/pom.xml"));

    private static List<Pom> all() {
        return Stream.concat(
                        Stream.of(ROOT), Project.modules().stream().map(module -> Pom.read(module.resolve("pom.xml"))))
                .toList();
    }

    @Test
    void theBomListsTheLibrariesAndNothingElse() {
        List<String> libraries =
                Project.libraries().stream().map(Pom::artifact).sorted().toList();

        assertThat(libraries).hasSizeGreaterThan(10);
        assertThat(BOM.texts("/project/dependencyManagement/dependencies/dependency/artifactId"))
                .containsExactlyElementsOf(libraries);
        assertThat(BOM.texts("/project/dependencyManagement/dependencies/dependency/groupId"))
                .containsOnly("dev.mandate");
        assertThat(BOM.texts("/project/dependencyManagement/dependencies/dependency/version"))
                .containsOnly("${project.version}");
    }

    /** With a parent, it would manage third-party versions of whoever imports it. */
    @Test
    void theBomHasNoParentAndAgreesWithTheRoot() {
        assertThat(BOM.texts("/project/parent")).isEmpty();
        for (String path : List.of(
                "groupId",
                "version",
                "inceptionYear",
                "licenses/license/name",
                "licenses/license/url",
                "developers/developer/name",
                "scm/connection",
                "scm/developerConnection",
                "scm/tag")) {
            assertThat(BOM.text("/project/" + path)).as(path).isNotEmpty().isEqualTo(ROOT.text("/project/" + path));
        }
        String plugin = "//plugin[artifactId='%s']/version";
        for (String name : BOM.texts("//plugin/artifactId")) {
            assertThat(BOM.text(plugin.formatted(name)))
                    .as(name)
                    .isEqualTo(ROOT.text("/project/build/pluginManagement/plugins" + plugin.formatted(name)));
        }
    }

    @Test
    void everyModuleHasANameADescriptionAndTheVersionOfTheRoot() {
        for (Pom pom : all()) {
            assertThat(pom.text("/project/name")).as("%s", pom.file()).startsWith("Mandate");
            assertThat(pom.text("/project/description")).as("%s", pom.file()).endsWith(".");
            assertThat(List.of(pom.text("/project/version"), pom.text("/project/parent/version")))
                    .as("%s", pom.file())
                    .contains(ROOT.text("/project/version"));
        }
    }

    @Test
    void noPomSaysWhereToFetchOrToPublish() {
        for (Pom pom : all()) {
            for (String element : List.of("repository", "pluginRepository", "distributionManagement", "mirror")) {
                assertThat(pom.texts("//" + element)).as("%s", pom.file()).isEmpty();
            }
            assertThat(pom.texts("//*[contains(text(), '://')]"))
                    .as("%s", pom.file())
                    .allSatisfy(url -> assertThat(url).startsWith("https://www.apache.org/licenses/"));
            assertThat(pom.texts("/project/scm/*")).as("%s", pom.file()).noneMatch(text -> text.contains("//"));
        }
    }
}
