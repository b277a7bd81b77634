package dev.mandate.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.testkit.CandidateProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A project outside the checkout. Its local repository has what was installed, and nothing else; what others made comes
 * from this build's local repository, as from a remote one.
 */
class StrangersProjectIT {
    private static final String VERSION = System.getProperty("mandate.version");
    /** Parts of test libraries, and of what would log or check for us. */
    private static final Pattern UNWANTED =
            Pattern.compile(".*(junit|assertj|opentest4j|apiguardian|testkit|mandate-test|slf4j-nop).*");

    @TempDir
    private Path temp;

    private Path project;

    @BeforeEach
    void install() throws IOException {
        project = Files.createDirectories(temp.resolve("shop"));
        install(Project.rootPom(), Project.ROOT);
        install(Pom.read(Project.ROOT.resolve("bom/pom.xml")), Project.ROOT.resolve("bom"));
        for (Pom library : Project.libraries()) {
            install(library, library.file().getParent());
        }
        Files.writeString(temp.resolve("settings.xml"), """
                <settings>
                  <localRepository>%s</localRepository>
                  <mirrors><mirror><id>build</id><mirrorOf>*</mirrorOf><url>%s</url></mirror></mirrors>
                </settings>
                """.formatted(
                        temp.resolve("repository"),
                        Path.of(System.getProperty("mandate.repository")).toUri()));
    }

    /** As {@code mvn install} would: the POM as it is and, where it was built, the jar. */
    private void install(Pom pom, Path module) throws IOException {
        String name = pom.artifact() + "-" + VERSION;
        Path folder = Files.createDirectories(
                temp.resolve("repository/dev/mandate").resolve(pom.artifact()).resolve(VERSION));
        Files.copy(pom.file(), folder.resolve(name + ".pom"));
        Path jar = module.resolve("target").resolve(name + ".jar");
        if (Files.exists(jar)) {
            Files.copy(jar, folder.resolve(name + ".jar"));
        }
    }

    /** The dependencies are those that docs/install.md tells users to write. */
    private void write(String dependencies) throws IOException {
        Pom root = Project.rootPom();
        String plugins = Stream.of("compiler", "dependency", "enforcer")
                .map(name -> "maven-" + name + "-plugin")
                .map(name -> "<plugin><artifactId>" + name + "</artifactId><version>"
                        + root.text("/project/build/pluginManagement/plugins/plugin[artifactId='" + name + "']/version")
                        + "</version></plugin>")
                .collect(Collectors.joining("\n"));
        Files.writeString(project.resolve("pom.xml"), """
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>shop</groupId>
                  <artifactId>shop</artifactId>
                  <version>1</version>
                  <properties>
                    <maven.compiler.release>17</maven.compiler.release>
                    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
                  </properties>
                  %s
                  <build><plugins>%s</plugins></build>
                </project>
                """.formatted(dependencies, plugins));
    }

    private static String documented() {
        Matcher block =
                Pattern.compile("(?s)```xml\n(<dependencyManagement>.*?)```").matcher(Project.read("docs/install.md"));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private List<Path> maven(String... goals) throws IOException {
        Path classPath = temp.resolve("classpath");
        List<String> command = Stream.concat(
                        Stream.of(
                                "mvn",
                                "-B",
                                "-ntp",
                                "-q",
                                "-s",
                                temp.resolve("settings.xml").toString()),
                        Stream.concat(
                                Stream.of(goals),
                                Stream.of("dependency:build-classpath", "-Dmdep.outputFile=" + classPath)))
                .toList();
        try (CandidateProcess maven = CandidateProcess.command(command.toArray(String[]::new))
                .directory(project)
                .environment("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
                .environment("MAVEN_ARGS", "")
                .start()) {
            assertThat(maven.awaitExit(Unpacked.PATIENCE)).as("%s", maven.log()).isZero();
        }
        return Stream.of(Files.readString(classPath).strip().split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }

    @Test
    void leadsOnTheClassPathAndOnTheModulePath() throws Exception {
        write(documented());
        source("module-info.java", "module shop { requires dev.mandate; }");
        source("shop/Main.java", """
                package shop;

                import dev.mandate.ElectionClient;
                import dev.mandate.Leadership;

                public final class Main {
                    public static void main(String[] args) throws InterruptedException {
                        try (ElectionClient client = ElectionClient.connect(args[0]);
                                Leadership led = client.election("invoices").campaign("10.0.0.7:8080")) {
                            System.out.println(Main.class.getModule() + " leads: " + led.isValid());
                        }
                    }
                }
                """);

        List<Path> libraries = maven("compiler:compile");

        assertThat(libraries)
                .allSatisfy(jar -> assertThat(jar).startsWith(temp))
                .extracting(jar -> jar.getFileName().toString())
                .contains("mandate-core-" + VERSION + ".jar", "mandate-jdbc-" + VERSION + ".jar")
                .noneMatch(name -> name.contains("jspecify"))
                .noneMatch(name -> UNWANTED.matcher(name).matches());
        String path = Stream.concat(Stream.of(project.resolve("target/classes")), libraries.stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(java("-cp", path, "shop.Main")).contains("leads: true").startsWith("unnamed module");
        assertThat(java("-p", path, "-m", "shop/shop.Main")).isEqualTo("module shop leads: true");
    }

    private void source(String name, String text) throws IOException {
        Path file = project.resolve("src/main/java").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String java(String... arguments) {
        List<String> command = Stream.of(
                        Stream.of(System.getProperty("java.home") + "/bin/java"),
                        Stream.of(arguments),
                        Stream.of("sqlite:" + temp.resolve("store.db")))
                .flatMap(words -> words)
                .toList();
        try (CandidateProcess java =
                CandidateProcess.command(command.toArray(String[]::new)).start()) {
            assertThat(java.awaitExit(Unpacked.PATIENCE)).as("%s", java.log()).isZero();
            return java.lines().get(0);
        }
    }

    /** Whichever store a stranger adds, even all of them: one version of each library, none of it for tests. */
    @Test
    void allLibrariesOfTheCommandLineAgreeOnVersions() throws Exception {
        List<String> ours = Project.libraries().stream().map(Pom::artifact).toList();
        String bundled = Project.read("distribution/target/bundled");
        List<String> used = ours.stream()
                .filter(name -> Stream.of(bundled.strip().split(File.pathSeparator))
                        .anyMatch(jar -> jar.endsWith(name + "-" + VERSION + ".jar")))
                .toList();
        assertThat(used).contains("mandate-etcd", "mandate-azure-blob").hasSizeGreaterThan(7);
        Matcher bom = Pattern.compile("(?s)<dependencyManagement>.*?</dependencyManagement>")
                .matcher(documented());
        assertThat(bom.find()).isTrue();
        write(bom.group()
                + used.stream()
                        .map(name -> "<dependency><groupId>dev.mandate</groupId><artifactId>" + name
                                + "</artifactId></dependency>")
                        .collect(Collectors.joining("\n", "<dependencies>", "</dependencies>")));

        List<Path> libraries = maven("enforcer:enforce", "-Denforcer.rules=dependencyConvergence");

        assertThat(libraries)
                .hasSizeGreaterThan(20)
                .extracting(jar -> jar.getFileName().toString())
                .noneMatch(name -> UNWANTED.matcher(name).matches());
    }
}
