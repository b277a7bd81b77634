package dev.mandate.peers.store;

import dev.mandate.testkit.CandidateProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace for each member, and one more that routes between them: what is cut is lost without a word, by
 * connections that stay open. Needs Linux, iproute2, and the right to make such namespaces, which vanish with the
 * processes that hold them.
 */
final class RoutedLinks implements Links {
    private static final int PORT = 7401;

    /** The rules of the router that lose something. */
    private static final int PREFERENCE = 100;

    private final List<String> members = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final CandidateProcess router = namespace();
    private final List<CandidateProcess> homes = new ArrayList<>();
    private final HostsFiles hosts;

    RoutedLinks(Path folder, int members) throws IOException {
        this.hosts = new HostsFiles(folder, members, (from, to) -> addresses.get(to));
        in(router, "ip link set lo up; echo 1 > /proc/sys/net/ipv4/ip_forward");
        for (int i = 0; i < members; i++) {
            CandidateProcess home = namespace();
            homes.add(home);
            this.members.add(HostsFiles.name(i) + ":" + PORT);
            in(
                    router,
                    "ip link add p" + i + " type veth peer name eth0 netns " + home.pid() + "; ip link set p" + i
                            + " up");
            in(home, "ip link set lo up; ip link set eth0 up");
            addresses.add("");
            settle(i, "10.77." + i);
        }
        hosts.write();
    }

    /** Whether this user may make such namespaces here. */
    static boolean areAllowed() {
        return run("unshare", "--net", "ip", "rule", "add", "pref", "1", "from", "10.77.0.2", "blackhole") == 0;
    }

    /** Its process leads no group of the tests: what it holds goes when it is closed, or when they are killed. */
    private static CandidateProcess namespace() {
        CandidateProcess holder = CandidateProcess.command("unshare", "--net", "sh", "-c", "echo up; exec sleep 3600")
                .start();
        holder.await("its namespace", java.time.Duration.ofSeconds(20), "up"::equals);
        return holder;
    }

    private static List<String> inside(CandidateProcess namespace) {
        return List.of("nsenter", "-t", Long.toString(namespace.pid()), "-n");
    }

    private static void in(CandidateProcess namespace, String script) throws IOException {
        List<String> command = new ArrayList<>(inside(namespace));
        command.addAll(List.of("sh", "-ec", script));
        int code = run(command.toArray(String[]::new));
        if (code != 0) {
            throw new IOException("'" + script + "' ended with " + code);
        }
    }

    private static int run(String... command) {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException e) {
            return 127;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 130;
        }
    }

    private void settle(int place, String network) throws IOException {
        in(router, "ip addr add " + network + ".1/24 dev p" + place);
        in(
                homes.get(place),
                "ip addr flush dev eth0; ip addr add " + network + ".2/24 dev eth0; ip route add default via " + network
                        + ".1");
        addresses.set(place, network + ".2");
    }

    @Override
    public List<String> members() {
        return members;
    }

    @Override
    public String bind(int place) {
        return "0.0.0.0:" + PORT;
    }

    @Override
    public Path hosts(int place) {
        return hosts.of(place);
    }

    @Override
    public List<String> launcher(int place) {
        return inside(homes.get(place));
    }

    @Override
    public void cutOneWay(int from, int to) throws IOException {
        in(
                router,
                "ip rule add pref " + PREFERENCE + " from " + addresses.get(from) + " to " + addresses.get(to)
                        + " blackhole");
    }

    @Override
    public void move(int place) throws IOException {
        settle(place, "10.78." + place);
        hosts.write();
    }

    @Override
    public void pass() throws IOException {
        in(router, "while ip rule del pref " + PREFERENCE + " 2>/dev/null; do :; done");
    }

    @Override
    public void close() {
        homes.forEach(CandidateProcess::close);
        router.close();
    }

    @Override
    public String toString() {
        return "a network namespace for each member";
    }
}
