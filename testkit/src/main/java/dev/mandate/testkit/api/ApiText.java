package dev.mandate.testkit.api;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a module offers to everybody, as text: the public and protected types of the packages it exports to all, and
 * their public and protected members, sorted. Reads compiled classes.
 */
public final class ApiText {
    private static final String INDENT = "    ";

    private final StringBuilder text = new StringBuilder();

    private ApiText() {}

    /** The text of that module, whose classes are on the class path. */
    public static String of(ModuleReference module) throws IOException, ReflectiveOperationException {
        ApiText api = new ApiText();
        api.descriptor(module.descriptor());
        for (Class<?> type : types(module)) {
            api.type(type);
        }
        return api.text.toString();
    }

    private static List<Class<?>> types(ModuleReference module) throws IOException, ReflectiveOperationException {
        Set<String> packages = module.descriptor().exports().stream()
                .filter(e -> !e.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet());
        Set<String> names = new TreeSet<>();
        try (ModuleReader reader = module.open();
                Stream<String> files = reader.list()) {
            files.filter(f -> f.endsWith(".class") && !f.endsWith("-info.class"))
                    .map(f -> f.substring(0, f.length() - ".class".length()).replace('/', '.'))
                    .filter(n -> packages.contains(n.substring(0, n.lastIndexOf('.'))))
                    .forEach(names::add);
        }
        List<Class<?>> types = new ArrayList<>();
        for (String name : names) {
            Class<?> type = Class.forName(name, false, ApiText.class.getClassLoader());
            if (isVisible(type)) {
                types.add(type);
            }
        }
        return types;
    }

    private static boolean isVisible(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return isVisible(type.getModifiers()) && !type.isAnonymousClass() && (outer == null || isVisible(outer));
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private void descriptor(ModuleDescriptor module) {
        text.append("module ").append(module.name()).append('\n');
        Set<String> lines = new TreeSet<>();
        module.exports().stream().filter(e -> !e.isQualified()).forEach(e -> lines.add("exports " + e.source()));
        module.requires().stream()
                .filter(r -> r.modifiers().contains(ModuleDescriptor.Requires.Modifier.TRANSITIVE))
                .forEach(r -> lines.add("requires "
                        + (r.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC) ? "static " : "")
                        + "transitive " + r.name()));
        module.provides().forEach(p -> lines.add("provides " + p.service()));
        lines.forEach(this::member);
    }

    private void type(Class<?> type) {
        text.append('\n').append(head(type)).append('\n');
        Set<String> fields = new TreeSet<>();
        Set<String> constructors = new TreeSet<>();
        Map<String, String> methods = new TreeMap<>();
        for (Field each : type.getDeclaredFields()) {
            if (isVisible(each.getModifiers()) && !each.isSynthetic()) {
                fields.add(each.isEnumConstant() ? each.getName() : field(each));
            }
        }
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            if (isVisible(each.getModifiers()) && !each.isSynthetic()) {
                constructors.add(
                        modifiers(each) + spaced(each.getTypeParameters()) + type.getSimpleName() + call(each));
            }
        }
        // Also what it inherits from a class that nobody sees.
        Class<?> from = type;
        do {
            Stream.of(from.getDeclaredMethods())
                    .filter(m -> isVisible(m.getModifiers()) && !m.isSynthetic() && !isMade(type, m))
                    .forEach(m -> methods.put(m.getName() + method(m), method(m)));
            from = from.getSuperclass();
        } while (from != null && !Modifier.isPublic(from.getModifiers()));
        fields.forEach(this::member);
        constructors.forEach(this::member);
        methods.values().forEach(this::member);
    }

    /** What every enum and record has. */
    private static boolean isMade(Class<?> type, Method method) {
        String name = method.getName();
        if (type.isEnum()) {
            return name.equals("values") || name.equals("valueOf");
        }
        return type.isRecord() && (name.equals("equals") || name.equals("hashCode") || name.equals("toString"));
    }

    private void member(String line) {
        text.append(INDENT).append(line).append('\n');
    }

    private static String head(Class<?> type) {
        int ignored = Modifier.STATIC
                | (type.isInterface() ? Modifier.ABSTRACT | Modifier.INTERFACE : 0)
                | (type.isEnum() || type.isRecord() ? Modifier.FINAL | Modifier.ABSTRACT : 0);
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        StringBuilder head = new StringBuilder(Modifier.toString(type.getModifiers() & ~ignored))
                .append(type.isSealed() && !type.isEnum() ? " sealed " : " ")
                .append(kind)
                .append(' ')
                .append(type.getName().replace('$', '.'))
                .append(typeParameters(type.getTypeParameters()));
        if (type.isRecord()) {
            head.append(Stream.of(type.getRecordComponents())
                    .map(ApiText::component)
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        Type parent = type.getGenericSuperclass();
        if (parent != null && parent != Object.class && !type.isEnum() && !type.isRecord()) {
            head.append(" extends ").append(name(parent));
        }
        if (type.getInterfaces().length > 0) {
            head.append(type.isInterface() ? " extends " : " implements ")
                    .append(Stream.of(type.getGenericInterfaces())
                            .map(ApiText::name)
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        return head.toString();
    }

    private static String component(RecordComponent component) {
        return name(component.getAnnotatedType()) + " " + component.getName();
    }

    private static String field(Field field) {
        String constant = "";
        if (Modifier.isStatic(field.getModifiers())
                && Modifier.isFinal(field.getModifiers())
                && (field.getType().isPrimitive() || field.getType() == String.class)) {
            try {
                constant = " = " + field.get(null);
            } catch (IllegalAccessException e) {
                constant = " = ?";
            }
        }
        return Modifier.toString(field.getModifiers()) + " " + name(field.getAnnotatedType()) + " " + field.getName()
                + constant;
    }

    private static String method(Method method) {
        return modifiers(method) + (method.isDefault() ? "default " : "")
                + spaced(method.getTypeParameters()) + name(method.getAnnotatedReturnType()) + " "
                + method.getName() + call(method);
    }

    private static String modifiers(Executable method) {
        int ignored = Modifier.TRANSIENT
                | Modifier.VOLATILE
                | Modifier.SYNCHRONIZED
                | Modifier.STRICT
                | (method.getDeclaringClass().isInterface() ? Modifier.PUBLIC | Modifier.ABSTRACT : 0);
        String modifiers = Modifier.toString(method.getModifiers() & ~ignored);
        return modifiers.isEmpty() ? "" : modifiers + " ";
    }

    private static String call(Executable method) {
        String parameters = Arrays.stream(method.getAnnotatedParameterTypes())
                .map(ApiText::name)
                .collect(Collectors.joining(", ", "(", ")"));
        String thrown = Arrays.stream(method.getGenericExceptionTypes())
                .map(ApiText::name)
                .sorted()
                .collect(Collectors.joining(", "));
        return (method.isVarArgs() ? parameters.replaceFirst("\\[\\]\\)$", "...)") : parameters)
                + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String spaced(TypeVariable<?>[] variables) {
        return variables.length == 0 ? "" : typeParameters(variables) + " ";
    }

    private static String typeParameters(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Stream.of(variables)
                        .map(v -> v.getBounds()[0] == Object.class
                                ? v.getName()
                                : v.getName() + " extends "
                                        + Stream.of(v.getBounds())
                                                .map(ApiText::name)
                                                .collect(Collectors.joining(" & ")))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String name(AnnotatedType type) {
        return (type.isAnnotationPresent(Nullable.class) ? "@Nullable " : "") + name(type.getType());
    }

    /** Without the packages that every reader knows. */
    private static String name(Type type) {
        return type.getTypeName()
                .replace('$', '.')
                .replaceAll(
                        "\\b(java\\.(lang|time|util(\\.function|\\.concurrent)?)|dev\\.mandate(\\.[a-z]+)*)\\.(?=[A-Z])",
                        "");
    }
}
