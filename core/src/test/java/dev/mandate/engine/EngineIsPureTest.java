package dev.mandate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the compiled classes of the engine may touch. "{@code dev.mandate.engine}: pure state machines: no clock,
 * thread, socket, logger, randomness of their own", and "dependencies point down only" (section 3 of the architecture).
 *
 * <p>It is a list of what is allowed, not of what is forbidden: a clock nobody thought of is refused, too.
 */
class EngineIsPureTest {
    private static final String ENGINE = "dev.mandate.engine";
    private static final String SPI = "dev.mandate.spi";
    private static final String API = "dev.mandate";
    private static final String REGISTRY = "dev.mandate.registry";
    private static final String JSON = "dev.mandate.json";

    /** The values of the public API that the engine speaks in. */
    private static final Set<String> API_VALUES = Set.of(
            "dev.mandate.Guarantee",
            "dev.mandate.EndReason",
            "dev.mandate.OverrunPolicy",
            "dev.mandate.Settle",
            "dev.mandate.CandidacyStatus",
            "dev.mandate.CandidacyStatus$State");

    /** Types of the JDK that neither tell the time, nor draw, nor wait, nor reach outside. */
    private static final Set<String> JDK_TYPES = Set.of(
            "java.lang.Object",
            "java.lang.Record",
            "java.lang.Enum",
            "java.lang.String",
            "java.lang.StringBuilder",
            "java.lang.CharSequence",
            "java.lang.Math",
            "java.lang.Long",
            "java.lang.Integer",
            "java.lang.Double",
            "java.lang.Boolean",
            "java.lang.Number",
            "java.lang.Comparable",
            "java.lang.Iterable",
            "java.lang.Override",
            "java.lang.FunctionalInterface",
            "java.lang.Class",
            "java.lang.Throwable",
            "java.lang.AssertionError",
            "java.lang.IllegalArgumentException",
            "java.lang.IllegalStateException",
            "java.lang.MatchException",
            "java.lang.IncompatibleClassChangeError",
            "java.lang.NoSuchFieldError",
            // What the compiler makes of records, lambdas and joined strings.
            "java.lang.invoke.LambdaMetafactory",
            "java.lang.invoke.StringConcatFactory",
            "java.lang.runtime.ObjectMethods",
            "java.lang.invoke.MethodHandle",
            "java.lang.invoke.MethodHandles",
            "java.lang.invoke.MethodHandles$Lookup",
            "java.lang.invoke.MethodType",
            "java.lang.invoke.CallSite",
            "java.lang.invoke.TypeDescriptor",
            "java.time.Duration");

    private static final Pattern JDK_PACKAGES =
            Pattern.compile("java\\.util\\.[A-Z].*|java\\.util\\.function\\..*|java\\.util\\.stream\\..*");

    /** What is in those packages all the same. */
    private static final Set<String> JDK_REFUSED = Set.of(
            "java.util.Random",
            "java.util.UUID",
            "java.util.Date",
            "java.util.Calendar",
            "java.util.Timer",
            "java.util.TimerTask",
            "java.util.Scanner",
            "java.util.ServiceLoader",
            "java.util.Properties",
            "java.util.ResourceBundle",
            "java.util.Locale",
            "java.util.TimeZone",
            "java.util.WeakHashMap",
            "java.util.IdentityHashMap",
            "java.util.SplittableRandom");

    /** Methods of allowed types that ask the outside all the same. */
    private static final Set<String> METHODS_REFUSED = Set.of(
            "java.lang.Math.random",
            "java.lang.Long.getLong",
            "java.lang.Integer.getInteger",
            "java.lang.Boolean.getBoolean",
            "java.lang.Object.wait",
            "java.lang.Object.notify",
            "java.lang.Object.notifyAll",
            // Differs from run to run, and with it whatever is ordered by it.
            "java.lang.Object.hashCode",
            "java.util.Collections.shuffle",
            "java.util.Collection.parallelStream",
            "java.util.List.parallelStream");

    private static final Set<String> ATOMICS = Set.of("java.util.concurrent.atomic.AtomicReference");

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(API);

    @Test
    void theEngineTouchesNothingButWhatIsPure() {
        List<String> found = new ArrayList<>();
        List<JavaClass> engine = in(ENGINE);
        assertThat(engine).hasSizeGreaterThan(40);

        engine.forEach(c -> impurities(c, found));

        assertThat(found).isEmpty();
    }

    @Test
    void theEngineHasNoStaticMutableState() {
        List<String> found = new ArrayList<>();

        in(ENGINE).forEach(c -> mutableStatics(c, found));

        assertThat(found).isEmpty();
    }

    /**
     * "Dependencies point down only": the engine on contract and values, the contract on exceptions, the API on the
     * runtime in one place, JSON on nothing.
     */
    @Test
    void dependenciesPointDown() {
        List<String> found = new ArrayList<>();

        in(SPI).forEach(c -> upward(c, Set.of(SPI), spiMayUse(), found));
        in(API).forEach(c -> upward(c, Set.of(API, SPI, REGISTRY), apiMayUse(c), found));
        in(REGISTRY).forEach(c -> upward(c, Set.of(API, SPI, REGISTRY, JSON), Set.of(), found));
        in(JSON).forEach(c -> upward(c, Set.of(JSON), Set.of(), found));

        assertThat(found).isEmpty();
    }

    /** The API knows the runtime where a client is made, and nowhere else. */
    @Test
    void theApiKnowsTheRuntimeWhereAClientIsMade() {
        Set<String> users = new TreeSet<>();
        for (JavaClass c : in(API)) {
            c.getAccessesFromSelf().stream()
                    .filter(a -> a.getTargetOwner().getPackageName().startsWith("dev.mandate.internal"))
                    .forEach(a ->
                            users.add(c.getSimpleName() + "." + a.getOrigin().getName()));
        }

        assertThat(users).containsExactly("ElectionClient.builder");
    }

    /** The check itself: every planted impurity is found. */
    @Test
    void everyPlantedImpurityIsFound() {
        JavaClasses planted = new ClassFileImporter()
                .importClasses(
                        Planted.Nanos.class,
                        Planted.Wall.class,
                        Planted.Clocks.class,
                        Planted.Draws.class,
                        Planted.Waits.class,
                        Planted.Runs.class,
                        Planted.Logs.class,
                        Planted.Reads.class,
                        Planted.Asks.class,
                        Planted.Counts.class,
                        Planted.Locks.class,
                        Planted.Remembers.class,
                        Planted.Collects.class,
                        Planted.MathRandom.class,
                        Planted.Up.class);

        Set<String> clean = new TreeSet<>();
        for (JavaClass c : planted) {
            List<String> found = new ArrayList<>();
            impurities(c, found);
            mutableStatics(c, found);
            if (found.isEmpty()) {
                clean.add(c.getSimpleName());
            }
        }

        assertThat(clean).as("impurities nobody found").isEmpty();
        assertThat(planted).hasSize(15);
    }

    /** The check itself: an upward dependency is found. */
    @Test
    void aPlantedUpwardDependencyIsFound() {
        JavaClass up = new ClassFileImporter().importClass(Planted.Up.class);
        List<String> found = new ArrayList<>();

        upward(up, Set.of(SPI), spiMayUse(), found);

        assertThat(found).isNotEmpty();
    }

    private static List<JavaClass> in(String name) {
        return PRODUCT.stream().filter(c -> c.getPackageName().equals(name)).toList();
    }

    private static void impurities(JavaClass c, List<String> found) {
        c.getDirectDependenciesFromSelf().stream()
                .map(d -> d.getTargetClass().getBaseComponentType())
                .distinct()
                .filter(t -> !isPure(c, t))
                .forEach(t -> found.add(c.getName() + " uses " + t.getName()));
        for (JavaAccess<?> access : c.getAccessesFromSelf()) {
            String target = access.getTargetOwner().getName() + "." + access.getName();
            if (METHODS_REFUSED.contains(target)) {
                found.add(access.getDescription());
            }
        }
        c.getMethods().stream()
                .filter(m -> m.getModifiers().contains(JavaModifier.SYNCHRONIZED)
                        || m.getModifiers().contains(JavaModifier.NATIVE))
                .forEach(m -> found.add(m.getFullName() + " is synchronized or native"));
    }

    private static boolean isPure(JavaClass user, JavaClass used) {
        String name = used.getName();
        return used.isPrimitive()
                || used.getPackageName().equals(ENGINE)
                || used.getPackageName().equals(SPI)
                || used.getPackageName().equals("org.jspecify.annotations")
                || API_VALUES.contains(name)
                || JDK_TYPES.contains(name)
                || name.startsWith("java.lang.annotation.")
                || (JDK_PACKAGES.matcher(name).matches() && !JDK_REFUSED.contains(name))
                || (ATOMICS.contains(name) && user.getName().startsWith(ENGINE + ".LeaseCell"));
    }

    private static void mutableStatics(JavaClass c, List<String> found) {
        for (JavaField field : c.getFields()) {
            boolean isStatic = field.getModifiers().contains(JavaModifier.STATIC);
            boolean isFinal = field.getModifiers().contains(JavaModifier.FINAL);
            boolean isMade = field.getModifiers().contains(JavaModifier.SYNTHETIC);
            if (isStatic && !isMade && (!isFinal || !isImmutable(field.getRawType(), c))) {
                found.add(field.getFullName() + " is static and can change");
            }
        }
    }

    private static boolean isImmutable(JavaClass type, JavaClass owner) {
        return type.isPrimitive()
                || type.isEnum()
                || type.isRecord()
                || type.equals(owner)
                || Set.of("java.lang.String", "java.time.Duration", "java.util.Set")
                        .contains(type.getName());
    }

    private static Set<String> spiMayUse() {
        return Set.of(
                "dev.mandate.Guarantee", "dev.mandate.StoreSetupException", "dev.mandate.StoreUnavailableException");
    }

    private static Set<String> apiMayUse(JavaClass c) {
        return c.getName().equals("dev.mandate.ElectionClient")
                ? Set.of("dev.mandate.internal.ClientBuilder")
                : Set.of();
    }

    private static void upward(JavaClass c, Set<String> packages, Set<String> types, List<String> found) {
        c.getDirectDependenciesFromSelf().stream()
                .map(d -> d.getTargetClass().getBaseComponentType())
                .distinct()
                .filter(t -> t.getPackageName().startsWith(API))
                .filter(t -> !packages.contains(t.getPackageName()) && !types.contains(t.getName()))
                .forEach(t -> found.add(c.getName() + " depends on " + t.getName()));
    }
}
