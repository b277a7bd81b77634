package dev.mandate.spring;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.EmbeddedValueResolverAware;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Puts the check of {@link LeaderOnly} around beans, outside transactions: one has ended when its call has. Inside
 * {@code @Async}: the check happens on the thread that does the work.
 */
final class LeaderOnlyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements EmbeddedValueResolverAware, SmartInitializingSingleton {
    private static final long serialVersionUID = 1;

    private final transient Campaigns campaigns = new Campaigns();
    private final transient LeaderOnlyInterceptor interceptor = new LeaderOnlyInterceptor();
    private final transient Set<Class<?>> seen = ConcurrentHashMap.newKeySet();
    private transient @Nullable StringValueResolver resolver;
    private transient @Nullable ConfigurableListableBeanFactory beans;

    LeaderOnlyPostProcessor() {
        setBeforeExistingAdvisors(true);
        setProxyTargetClass(true);
        // Before those of @Async, which puts itself around all that is there, and @Scheduled, which calls it.
        setOrder(Ordered.LOWEST_PRECEDENCE - 1);
        this.advisor =
                new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, LeaderOnly.class, true), interceptor);
    }

    Campaigns campaigns() {
        return campaigns;
    }

    @Override
    public void setEmbeddedValueResolver(StringValueResolver texts) {
        this.resolver = texts;
    }

    @Override
    public void setBeanFactory(BeanFactory factory) {
        super.setBeanFactory(factory);
        this.beans = factory instanceof ConfigurableListableBeanFactory listable ? listable : null;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        check(userClass(bean));
        return bean;
    }

    /** Also what a {@code FactoryBean} made, which Spring shows to processors only here. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (!(bean instanceof AopInfrastructureBean)) {
            check(userClass(bean));
        }
        return super.postProcessAfterInitialization(bean, name);
    }

    private void check(Class<?> type) {
        if (!seen.contains(type)) {
            methods(type)
                    .forEach((method, annotation) -> interceptor.add(
                            type, method, LeaderOnlyMethod.of(type, method, annotation, this::resolved, campaigns)));
            // Not before: a class that was refused is refused again when its next bean is made.
            seen.add(type);
        }
    }

    private static Class<?> userClass(Object bean) {
        return ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
    }

    private static Map<Method, LeaderOnly> methods(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, LeaderOnly.class)
                ? MethodIntrospector.selectMethods(
                        type, (MethodIntrospector.MetadataLookup<LeaderOnly>) LeaderOnlyMethod::annotation)
                : Map.of();
    }

    private String resolved(String text) {
        String value = resolver == null ? text : resolver.resolveStringValue(text);
        return value == null ? "" : value;
    }

    /** Beans made before this processor have no proxy: a call of theirs would not be checked. */
    @Override
    public void afterSingletonsInstantiated() {
        if (beans == null) {
            return;
        }
        for (String name : beans.getSingletonNames()) {
            Object bean = beans.getSingleton(name);
            if (bean == null) {
                continue;
            }
            Class<?> type = userClass(bean);
            if (!seen.contains(type) && !methods(type).isEmpty()) {
                throw new MandateStartException(
                        "The bean '" + name + "' has methods with @LeaderOnly, but is made too early to be guarded.",
                        "Take it out of what a BeanPostProcessor needs.");
            }
        }
    }
}
