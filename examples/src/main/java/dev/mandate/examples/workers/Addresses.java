package dev.mandate.examples.workers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringJoiner;

/**
 * The store's URL for observers and for each worker. It is the same for all, except in a group without a store, where
 * each worker is a member.
 *
 * @param guest for observers
 * @param workers by place
 */
record Addresses(String guest, List<String> workers) {
    private static final String HOST = "127.0.0.1";

    /**
     * The addresses for an existing store, or for {@code peers}, {@code bully} or {@code ring} those of a new group
     * with its state in {@code folder}.
     */
    static Addresses of(String store, int count, Path folder) throws IOException {
        String[] parts = store.split("\\?", 2);
        if (!List.of("peers", "bully", "ring").contains(parts[0])) {
            return new Addresses(store, Collections.nCopies(count, store));
        }
        List<String> members = free(count);
        String parameters = parts.length == 1 ? "" : "&" + parts[1];
        String url = parts[0] + "://" + String.join(",", members) + "?";
        List<String> workers = new ArrayList<>();
        for (String member : members) {
            workers.add(url + "self=" + member + "&state=" + folder.resolve("member-" + members.indexOf(member))
                    + parameters);
        }
        return new Addresses(url + "connectTimeout=60s" + parameters, workers);
    }

    /** Whether the workers form a group without a store. */
    boolean isGroup() {
        return !workers.contains(guest);
    }

    private static List<String> free(int count) throws IOException {
        List<ServerSocket> open = new ArrayList<>();
        try {
            List<String> members = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST));
                open.add(socket);
                members.add(new StringJoiner(":")
                        .add(HOST)
                        .add(Integer.toString(socket.getLocalPort()))
                        .toString());
            }
            return members;
        } finally {
            for (ServerSocket socket : open) {
                socket.close();
            }
        }
    }
}
