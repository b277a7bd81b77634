package dev.mandate.azureblob;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A container whose listing has one blob on each page. It has no blob for anybody who asks for one by its name. */
final class FakeListing implements AutoCloseable {
    private static final String ROOT = "/" + Azurite.ACCOUNT + "/" + Azurite.CONTAINER;

    private final HttpServer server;

    /** By their names, their properties. */
    private final Map<String, String> blobs = new ConcurrentSkipListMap<>();

    private final List<Asked> pages = new CopyOnWriteArrayList<>();
    private final List<String> names = new CopyOnWriteArrayList<>();

    /** A request for a page, which may be the first of a round. */
    record Asked(boolean isFirst, long nanos) {}

    FakeListing() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return Azurite.url(server.getAddress().getPort());
    }

    /** Nobody has a lease of it. */
    void put(String name, String etag) {
        put(name, etag, "<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState>");
    }

    /** Somebody has taken its lease, and written no record yet. */
    void putTaken(String name, String etag) {
        put(
                name,
                etag,
                "<LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>fixed</LeaseDuration>");
    }

    private void put(String name, String etag, String lease) {
        blobs.put(
                name,
                "<Last-Modified>Mon, 01 Jan 2024 00:00:00 GMT</Last-Modified><Etag>" + etag + "</Etag>"
                        + "<Content-Length>0</Content-Length><BlobType>BlockBlob</BlobType>" + lease);
    }

    void remove(String name) {
        blobs.remove(name);
    }

    /** The pages that were asked for. */
    List<Asked> pages() {
        return pages;
    }

    /** What was asked for that is no page of the listing. */
    List<String> names() {
        return names;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        exchange.getResponseHeaders().add("x-ms-request-id", "1");
        if (!exchange.getRequestURI().getPath().equals(ROOT) || !query.contains("comp=list")) {
            names.add(exchange.getRequestURI().getPath());
            exchange.getResponseHeaders().add("x-ms-error-code", "BlobNotFound");
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
            return;
        }
        byte[] page =
                page(parameter(query, "prefix"), parameter(query, "marker")).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/xml");
        exchange.sendResponseHeaders(200, page.length);
        exchange.getResponseBody().write(page);
        exchange.close();
    }

    private String page(String prefix, String marker) {
        pages.add(new Asked(marker.isEmpty(), System.nanoTime()));
        List<Map.Entry<String, String>> listed = new ArrayList<>();
        blobs.entrySet().stream()
                .filter(blob ->
                        blob.getKey().startsWith(prefix) && blob.getKey().compareTo(marker) >= 0)
                .limit(2)
                .forEach(listed::add);
        StringBuilder page = new StringBuilder("<?xml version=\"1.0\" encoding=\"utf-8\"?>"
                + "<EnumerationResults ServiceEndpoint=\"x\" ContainerName=\"leases\"><Blobs>");
        if (!listed.isEmpty()) {
            page.append("<Blob><Name>")
                    .append(listed.get(0).getKey())
                    .append("</Name><Properties>")
                    .append(listed.get(0).getValue())
                    .append("</Properties></Blob>");
        }
        String next = listed.size() < 2 ? "" : listed.get(1).getKey();
        return page.append("</Blobs><NextMarker>")
                .append(next)
                .append("</NextMarker></EnumerationResults>")
                .toString();
    }

    private static String parameter(String query, String name) {
        for (String part : query.split("&")) {
            if (part.startsWith(name + "=")) {
                return part.substring(name.length() + 1);
            }
        }
        return "";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
