package dev.mandate.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Refuses properties under {@code mandate} that do not exist: a setting with a typing error would silently have its
 * default. Environment variables and system properties are not checked: other programs share them.
 */
final class UnknownProperties implements BeanFactoryPostProcessor {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("mandate");
    private static final String SETTER = "set";

    private final Environment environment;

    UnknownProperties(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && !isShared(source)) {
                names.stream().filter(PREFIX::isAncestorOf).forEach(UnknownProperties::requireKnown);
            }
        }
    }

    private static boolean isShared(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && (underlying.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                        || underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME));
    }

    private static void requireKnown(ConfigurationPropertyName name) {
        if (known().stream().noneMatch(name::equals)) {
            throw new MandateStartException(
                    "The property '" + name + "' does not exist.", "Did you mean '" + nearest(name.toString()) + "'?");
        }
    }

    /** The names of all properties. */
    static List<ConfigurationPropertyName> known() {
        return Arrays.stream(MandateProperties.class.getMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith(SETTER))
                .map(name -> PREFIX.append(kebab(name.substring(SETTER.length()))))
                .toList();
    }

    private static String kebab(String camel) {
        return camel.replaceAll("(?<!^)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String nearest(String wrong) {
        return known().stream()
                .map(ConfigurationPropertyName::toString)
                .min(Comparator.comparingInt(each -> distance(wrong, each)))
                .orElseThrow();
    }

    /** How many letters must be added, removed or replaced to make one of the other. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
