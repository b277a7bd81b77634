package dev.mandate.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion of an unpacked archive, in real shells. */
class CompletionIT {
    @TempDir
    private Path temp;

    private Unpacked unpacked;
    private String store;

    @BeforeEach
    void unpack() throws IOException {
        unpacked = Unpacked.of("tar.gz", temp.resolve("here"));
        store = "sqlite:" + temp.resolve("store.db") + "?connectTimeout=" + Unpacked.PATIENCE.toSeconds()
                + "s&lease=2m";
    }

    @AfterEach
    void makeWritable() {
        unpacked.makeWritable();
    }

    /** What bash would offer for this line, by the function that it would call. */
    private List<String> offered(String store, String line) {
        String program = unpacked.launcher().toString();
        String full = line.replaceFirst("^mandate", program);
        // Words are split as bash splits them, at its COMP_WORDBREAKS.
        String script = """
                source "$1"
                compopt() { :; } # works in a completion alone
                COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=()
                rest=${COMP_LINE//:/ : } rest=${rest//=/ = }
                read -ra COMP_WORDS <<<"$rest"
                [[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _mandate "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """;
        String completion = unpacked.folder().resolve("completion/mandate.bash").toString();
        try (CandidateProcess bash = Unpacked.command(Path.of("bash"), temp, "-c", script, "bash", completion, full)
                .environment("MANDATE_STORE", store)
                .start()) {
            assertThat(bash.awaitExit(Unpacked.PATIENCE)).as("%s", bash.log()).isZero();
            return bash.log().stream().filter(offer -> !offer.isEmpty()).toList();
        }
    }

    @Test
    void bashOffersCommandsAndOptions() {
        assertThat(offered(store, "mandate st")).containsExactly("status");
        assertThat(offered(store, "mandate ")).contains("run", "observe", "completion");
        assertThat(offered(store, "mandate status --ver")).containsExactly("--verify");
        assertThat(offered(store, "mandate bench ")).contains("registry", "arrival", "serve");
        assertThat(offered(store, "mandate run --election e -- stat")).isEmpty();
    }

    @Test
    void bashOffersTheElectionsOfTheStore() throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership invoices = client.election("invoices").campaign("");
                Leadership inventory = client.election("inventory").campaign("");
                Leadership tenant = client.election("tenant:7").campaign("")) {
            assertThat(Stream.of(invoices, inventory, tenant)).allMatch(Leadership::isValid);

            assertThat(offered(store, "mandate leader inv")).containsExactly("inventory", "invoices");
            assertThat(offered(store, "mandate run --election invo")).containsExactly("invoices");
            assertThat(offered(store, "mandate run --election=invo")).containsExactly("invoices");
            // Bash replaces what follows the colon.
            assertThat(offered(store, "mandate observe invoices tenant:")).containsExactly("7");
            assertThat(offered("", "mandate status --store '" + store + "' --exact inve"))
                    .containsExactly("inventory");
            assertThat(offered(store, "mandate leader invoices --wait ")).isEmpty();
        }
    }

    /** Whoever may create an election chooses its name, and others press the key. */
    @Test
    void namesThatWouldRunSomethingAreEscapedOrLeftOut() throws InterruptedException {
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership single = client.election("odd';touch x;'").campaign("");
                Leadership command = client.election("odd$(touch x)").campaign("");
                Leadership tame = client.election("oddest").campaign("");
                Leadership option = client.election("--force").campaign("")) {
            assertThat(Stream.of(single, command, tame, option)).allMatch(Leadership::isValid);

            assertThat(offered(store, "mandate leader 'odd")).containsExactly("odd$(touch x)", "oddest");
            assertThat(offered(store, "mandate leader \"odd")).containsExactly("odd';touch x;'", "oddest");
            assertThat(offered(store, "mandate leader odd"))
                    .containsExactly("odd\\$\\(touch\\ x\\)", "odd\\'\\;touch\\ x\\;\\'", "oddest");
            assertThat(offered(store, "mandate leader "))
                    .doesNotContain("--force")
                    .contains("oddest");
        }
    }

    /** Refused, silent, or missing: nobody who presses a key wants to read it. */
    @Test
    void aStoreThatIsAwayOffersNothingAndSaysNothing() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(offered("etcd://127.0.0.1:1", "mandate leader inv")).isEmpty();
            assertThat(offered(
                            "etcd://127.0.0.1:" + silent.getLocalPort() + "?connectTimeout=2s", "mandate leader inv"))
                    .isEmpty();
            assertThat(offered("sqlite:" + temp.resolve("missing.db"), "mandate leader inv"))
                    .isEmpty();
        }
        assertThat(temp.resolve("missing.db")).doesNotExist();
    }

    /** At a terminal, by the key itself. */
    @Test
    void theTabKeyCompletesAnElection() throws Exception {
        Path script = Path.of("/usr/bin/script");
        assumeThat(script).as("makes a terminal").isExecutable();
        Path bin = Files.createDirectory(temp.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("mandate"), unpacked.launcher());
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("invoices").campaign("10.0.0.7:8080");
                CandidateProcess bash = Unpacked.command(
                                script, temp, "-qec", "bash --norc --noprofile -i", "/dev/null")
                        .environment("PATH", bin + ":" + System.getenv("PATH"))
                        .environment("MANDATE_STORE", store)
                        .environment("TERM", "dumb")
                        .start()) {
            assertThat(led.isValid()).isTrue();
            bash.send("source <(mandate completion bash); echo ready=$?");
            bash.await("the shell", Unpacked.PATIENCE, line -> line.strip().equals("ready=0"));

            bash.send("mandate leader invo\t");

            bash.await("the address", Unpacked.PATIENCE, line -> line.strip().equals("10.0.0.7:8080"));
        }
    }

    @Test
    void zshOffersTheElectionsOfTheStore() throws InterruptedException {
        boolean isThere = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "zsh")));
        assumeThat(isThere).as("zsh is installed").isTrue();
        try (ElectionClient client = ElectionClient.connect(store);
                Leadership led = client.election("invoices").campaign("")) {
            assertThat(led.isValid()).isTrue();
            // As bashcompinit calls it: in emulation of ksh, whose arrays begin with 0.
            String call = """
                    source "$1"
                    emulate -L ksh
                    COMP_LINE=$2 COMP_POINT=${#2}
                    COMP_WORDS=($2) COMP_CWORD=2 COMPREPLY=()
                    _mandate "${COMP_WORDS[0]}" "${COMP_WORDS[2]}" "${COMP_WORDS[1]}"
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """;
            String line = unpacked.launcher() + " leader invo";
            String completion =
                    unpacked.folder().resolve("completion/mandate.zsh").toString();
            try (CandidateProcess zsh = Unpacked.command(Path.of("zsh"), temp, "-fc", call, "zsh", completion, line)
                    .environment("MANDATE_STORE", store)
                    .start()) {
                assertThat(zsh.awaitExit(Unpacked.PATIENCE)).as("%s", zsh.log()).isZero();
                assertThat(zsh.lines()).containsExactly("invoices");
            }
        }
    }

    @Test
    void anUnknownShellIsRefusedInOneSentence() {
        try (CandidateProcess process = Unpacked.command(unpacked.launcher(), temp, "completion", "fish")
                .start()) {
            assertThat(process.awaitExit(Unpacked.PATIENCE)).isEqualTo(2);
            assertThat(process.log())
                    .containsExactly("err: mandate: there is no completion for 'fish'; give bash or zsh");
        }
    }
}
