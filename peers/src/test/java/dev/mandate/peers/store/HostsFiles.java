package dev.mandate.peers.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** For each member, where the names of all lead. */
final class HostsFiles {
    /** The address of member {@code to}, as {@code from} sees it. */
    interface Addresses {
        String address(int from, int to);
    }

    private final Path folder;
    private final int members;
    private final Addresses addresses;

    HostsFiles(Path folder, int members, Addresses addresses) {
        this.folder = folder;
        this.members = members;
        this.addresses = addresses;
    }

    static String name(int place) {
        return "m" + place;
    }

    Path of(int place) {
        return folder.resolve("hosts" + place);
    }

    void write() throws IOException {
        for (int from = 0; from < members; from++) {
            List<String> lines = new ArrayList<>();
            for (int to = 0; to < members; to++) {
                lines.add(addresses.address(from, to) + " " + name(to));
            }
            // Replaced at once: a JVM may be reading it.
            Path fresh = folder.resolve("hosts" + from + ".new");
            Files.write(fresh, lines, StandardCharsets.US_ASCII);
            Files.move(fresh, of(from), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
