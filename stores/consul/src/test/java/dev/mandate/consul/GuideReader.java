package dev.mandate.consul;

import dev.mandate.testkit.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The discovering client of Consul's guide: it reads the key and nothing else. No session means no leader; else the
 * value says who it is.
 */
final class GuideReader implements AutoCloseable {
    private static final Pattern VALUE = Pattern.compile("\"Value\": *\"([^\"]*)\"");

    private final ServerProcess consul;
    private final String key;

    GuideReader(ServerProcess consul, String key) {
        this.consul = consul;
        this.key = key;
    }

    Optional<String> leader() throws IOException, InterruptedException {
        String seen = ConsulServer.get(consul, "/v1/kv/" + key);
        Matcher value = VALUE.matcher(seen);
        return seen.contains("\"Session\"") && value.find()
                ? Optional.of(new String(Base64.getDecoder().decode(value.group(1)), StandardCharsets.UTF_8))
                : Optional.empty();
    }

    @Override
    public void close() {}
}
