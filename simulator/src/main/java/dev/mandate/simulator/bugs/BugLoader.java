package dev.mandate.simulator.bugs;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * Loads everything of ours once more, beside what is loaded already: the edited classes as compiled, all others as they are. So the real
 * machines, the world and the checkers run together with one bug, and nothing else changes.
 */
final class BugLoader extends ClassLoader {
    private static final String OURS = "dev.mandate.";

    private final Map<String, byte[]> edited;

    BugLoader(Map<String, byte[]> edited) {
        super(BugLoader.class.getClassLoader());
        this.edited = edited;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = edited.get(name);
        if (bytes == null) {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                bytes = in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
        return defineClass(name, bytes, 0, bytes.length);
    }
}
