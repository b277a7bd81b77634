package dev.mandate.spring;

import dev.mandate.ElectionClient;
import dev.mandate.micrometer.MandateMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The meters of {@code mandate-micrometer}, where the application has it; Spring Boot binds them to its registries. */
@AutoConfiguration(after = MandateAutoConfiguration.class)
@ConditionalOnClass({MeterBinder.class, MandateMetrics.class})
class MandateMetricsAutoConfiguration {
    @Bean(destroyMethod = "close")
    @ConditionalOnSingleCandidate(ElectionClient.class)
    @ConditionalOnMissingBean
    MandateMetrics mandateMetrics(ElectionClient client) {
        return new MandateMetrics(client);
    }
}
