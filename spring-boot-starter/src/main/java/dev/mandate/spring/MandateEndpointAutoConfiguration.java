package dev.mandate.spring;

import dev.mandate.ElectionClient;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code mandate}, where it is exposed. */
@AutoConfiguration(after = MandateAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
class MandateEndpointAutoConfiguration {
    @Bean
    @ConditionalOnSingleCandidate(ElectionClient.class)
    @ConditionalOnAvailableEndpoint(MandateEndpoint.class)
    MandateEndpoint mandateEndpoint(ElectionClient client) {
        return new MandateEndpoint(client);
    }
}
