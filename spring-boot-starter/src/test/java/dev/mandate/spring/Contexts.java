package dev.mandate.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Real applications for tests, without a web server unless they ask for one. */
final class Contexts {
    private static final AtomicInteger STORES = new AtomicInteger();

    private Contexts() {}

    /** An application without beans of its own. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}

    /** The URL of a store that no other test uses. */
    static String store() {
        return "memory:spring-" + STORES.incrementAndGet();
    }

    /** Starts {@code application} on that store, with properties such as {@code mandate.lease=2s}. */
    static ConfigurableApplicationContext start(Class<?> application, String url, String... properties) {
        List<String> all = new ArrayList<>(List.of("mandate.url=" + url));
        all.addAll(List.of(properties));
        return startBare(application, all.toArray(new String[0]));
    }

    /** Starts {@code application} with those properties only. */
    static ConfigurableApplicationContext startBare(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of("--logging.level.root=off", "--spring.main.banner-mode=off"));
        boolean isWeb = false;
        for (String each : properties) {
            all.add("--" + each);
            isWeb |= each.startsWith("server.port=");
        }
        return new SpringApplicationBuilder(application)
                .web(isWeb ? WebApplicationType.SERVLET : WebApplicationType.NONE)
                .registerShutdownHook(false)
                .run(all.toArray(new String[0]));
    }
}
