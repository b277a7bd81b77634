package dev.mandate.testkit.bugs;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the tests named in its arguments and prints a line with each result. */
final class TestRun implements TestExecutionListener {
    /** The start of a result line; the result, {@code class#method} and a sentence follow, separated by tabs. */
    static final String TOLD = "planted-bugs";

    static final String PASSED = "passed";
    static final String FAILED = "failed";
    private static final String ABORTED = "aborted";

    private TestRun() {}

    /** Exits with 0, whatever the results. */
    public static void main(String[] tests) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String test : tests) {
            selectors.add(test.contains("#") ? method(test) : DiscoverySelectors.selectClass(test));
        }
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .configurationParameter("junit.jupiter.execution.timeout.default", "5 m")
                .build();
        LauncherFactory.create().execute(request, new TestRun());
        // Ends also the threads that a failed test left behind.
        System.exit(0);
    }

    /** Selects it with its parameters: a bare name would select a method without any. */
    private static DiscoverySelector method(String test) {
        int hash = test.indexOf('#');
        try {
            Class<?> type = Class.forName(test.substring(0, hash), false, TestRun.class.getClassLoader());
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Method method : each.getDeclaredMethods()) {
                    if (method.getName().equals(test.substring(hash + 1)) && !method.isSynthetic()) {
                        return DiscoverySelectors.selectMethod(type, method);
                    }
                }
            }
        } catch (ClassNotFoundException e) {
            // The discovery reports it.
        }
        return DiscoverySelectors.selectMethod(test);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String source = test.getSource()
                .map(each -> each instanceof MethodSource method
                        ? method.getClassName() + '#' + method.getMethodName()
                        : each instanceof ClassSource type ? type.getClassName() + '#' : "")
                .orElse("");
        boolean isBroken = result.getStatus() != TestExecutionResult.Status.SUCCESSFUL;
        if (source.isEmpty() || !isBroken && !test.isTest()) {
            return;
        }
        String word = !isBroken ? PASSED : result.getStatus() == TestExecutionResult.Status.FAILED ? FAILED : ABORTED;
        String said = result.getThrowable()
                .map(each -> each.getClass().getSimpleName() + ": " + each.getMessage())
                .orElse("")
                .strip()
                .lines()
                .map(line -> line.replace('\t', ' ').strip())
                .filter(line -> !line.isEmpty())
                .reduce((first, next) -> first.length() < 300 ? first + " " + next : first)
                .orElse("");
        System.out.println(TOLD + '\t' + word + '\t' + source + '\t' + said);
    }
}
