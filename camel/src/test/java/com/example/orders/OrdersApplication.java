package com.example.orders;

import dev.mandate.camel.MandateClusterService;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.cluster.ClusteredRoutePolicy;
import org.apache.camel.main.Main;

/** Consumes the files of a folder on one instance at a time. */
public final class OrdersApplication {
    private OrdersApplication() {}

    /** Starts it. Arguments: the store's URL and the folder. */
    public static void main(String[] arguments) throws Exception {
        MandateClusterService cluster = new MandateClusterService();
        cluster.setUrl(arguments[0]); // "sqlite:/var/lib/mandate.db"

        Main main = new Main();
        main.bind("cluster", cluster);
        main.configure().addRoutesBuilder(new RouteBuilder() {
            @Override
            public void configure() throws Exception {
                from("file:" + arguments[1] + "?move=.done")
                        .routePolicy(ClusteredRoutePolicy.forNamespace("orders"))
                        .process(exchange -> System.out.println("consuming " + exchange.getMessage()));
            }
        });
        main.run();
    }
}
