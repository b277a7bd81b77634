package dev.mandate.spring;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.scheduling.annotation.SchedulingConfiguration;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

/** Puts {@link TermScheduling} where {@code @EnableScheduling} has put Spring's own. Leaves an application's alone. */
final class TermSchedulingRegistrar implements BeanDefinitionRegistryPostProcessor {
    private static final String NAME = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME;

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (!registry.containsBeanDefinition(NAME)) {
            return;
        }
        BeanDefinition there = registry.getBeanDefinition(NAME);
        if (SchedulingConfiguration.class.getName().equals(there.getFactoryBeanName())) {
            RootBeanDefinition own = new RootBeanDefinition(TermScheduling.class);
            own.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.removeBeanDefinition(NAME);
            registry.registerBeanDefinition(NAME, own);
        }
    }
}
