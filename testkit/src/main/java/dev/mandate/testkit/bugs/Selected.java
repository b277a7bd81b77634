package dev.mandate.testkit.bugs;

import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * A test, or all tests of a class.
 *
 * @param type the full name of the class
 * @param method empty for all
 */
record Selected(String type, String method) {

    /** {@code Class#method} or {@code Class} of that package. */
    static Selected of(String inPackage, String test) {
        int hash = test.indexOf('#');
        String type = hash < 0 ? test : test.substring(0, hash);
        return new Selected(inPackage + '.' + type, hash < 0 ? "" : test.substring(hash + 1));
    }

    /** Whether there is such a class, and such a method, its own or inherited. */
    boolean exists() {
        try {
            Class<?> found = Class.forName(type, false, getClass().getClassLoader());
            return method.isEmpty() || has(found);
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private boolean has(Class<?> start) {
        for (Class<?> each = start; each != null; each = each.getSuperclass()) {
            if (Arrays.stream(each.getDeclaredMethods()).map(Method::getName).anyMatch(method::equals)) {
                return true;
            }
        }
        return false;
    }

    /** Whether that method is meant. */
    boolean includes(String otherType, String otherMethod) {
        return type.equals(otherType) && (method.isEmpty() || method.equals(otherMethod));
    }

    @Override
    public String toString() {
        return method.isEmpty() ? type : type + '#' + method;
    }
}
