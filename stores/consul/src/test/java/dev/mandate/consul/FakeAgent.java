package dev.mandate.consul;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Listens, and says to every request what the test wants said; it ends each connection after its answer. */
final class FakeAgent implements AutoCloseable {
    private final ServerSocket socket;
    private final UnaryOperator<String> answers;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /**
     * @param answers from the first line of a request, with its headers after it, to all that is said; where that
     *     is to go on for ever, it ends
     *     in {@code …}
     */
    FakeAgent(UnaryOperator<String> answers) throws IOException {
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.answers = answers;
        start(this::listen);
    }

    /** An answer in the form of HTTP. */
    static String http(int status, String headers, String body) {
        return "HTTP/1.1 " + status + " x\r\n" + headers + "Content-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\nConnection: close\r\n\r\n" + body;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "fake-agent");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return socket.getLocalPort();
    }

    /** What it was asked so far. */
    List<String> requests() {
        return requests;
    }

    private void listen() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                start(() -> serve(client));
            } catch (IOException e) {
                // The test is over.
            }
        }
    }

    private void serve(Socket client) {
        open.add(client);
        try (client) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder head = new StringBuilder();
            int body = 0;
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                head.append(line).append('\n');
                if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                    body = Integer.parseInt(line.substring(15).strip());
                }
            }
            char[] text = new char[body];
            for (int read = 0; read < body; ) {
                int more = in.read(text, read, body - read);
                if (more < 0) {
                    return;
                }
                read += more;
            }
            if (head.length() == 0) {
                return;
            }
            requests.add(head + new String(text));
            say(client.getOutputStream(), answers.apply(head.toString()));
        } catch (IOException e) {
            // It was told enough.
        } finally {
            open.remove(client);
        }
    }

    private static void say(OutputStream out, String answer) throws IOException {
        boolean isEndless = answer.endsWith("…");
        String once = isEndless ? answer.substring(0, answer.length() - 1) : answer;
        out.write(once.getBytes(StandardCharsets.UTF_8));
        out.flush();
        byte[] more = " ".repeat(8_192).getBytes(StandardCharsets.UTF_8);
        while (isEndless) {
            out.write(more);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket client : open) {
            client.close();
        }
    }
}
