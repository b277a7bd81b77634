package dev.mandate.spring;

import dev.mandate.ElectionClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** The client of {@code mandate.url}, unless the application has one, and what runs {@link LeaderOnly} methods. */
@AutoConfiguration
@EnableConfigurationProperties(MandateProperties.class)
class MandateAutoConfiguration {
    @Bean
    static UnknownProperties mandateUnknownProperties(Environment environment) {
        return new UnknownProperties(environment);
    }

    @Bean
    static TermSchedulingRegistrar mandateTermSchedulingRegistrar() {
        return new TermSchedulingRegistrar();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LeaderOnlyPostProcessor mandateLeaderOnlyPostProcessor() {
        return new LeaderOnlyPostProcessor();
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @ConditionalOnProperty("mandate.url")
    ElectionClient mandateElectionClient(MandateProperties properties) {
        return Connecting.connect(properties);
    }

    @Bean
    CampaignLifecycle mandateCampaignLifecycle(
            LeaderOnlyPostProcessor methods, ObjectProvider<ElectionClient> client, MandateProperties properties) {
        return new CampaignLifecycle(methods.campaigns(), client, properties);
    }
}
