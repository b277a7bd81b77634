package dev.mandate.spring;

import dev.mandate.ElectionClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code mandate}, unless {@code management.health.mandate.enabled} is false. */
@AutoConfiguration(after = MandateAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
class MandateHealthAutoConfiguration {
    @Bean
    @ConditionalOnSingleCandidate(ElectionClient.class)
    @ConditionalOnEnabledHealthIndicator("mandate")
    @ConditionalOnMissingBean(name = "mandateHealthIndicator")
    HealthIndicator mandateHealthIndicator(ElectionClient client) {
        return new MandateHealthIndicator(client);
    }
}
