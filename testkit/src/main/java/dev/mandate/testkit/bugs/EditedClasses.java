package dev.mandate.testkit.bugs;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * Loads all classes of {@code dev.mandate} once more, beside those already loaded: edited ones as compiled, all others
 * unchanged. So everything runs with one planted bug, and nothing else changes. Safe for use from many threads.
 */
public final class EditedClasses extends ClassLoader {
    private static final String OURS = "dev.mandate.";

    private final Map<String, byte[]> edited;

    /**
     * A loader whose classes share only the JDK and libraries with those of this one.
     *
     * @param edited by name, as {@link EditedSources#compile} returns them
     */
    public EditedClasses(Map<String, byte[]> edited) {
        super(EditedClasses.class.getClassLoader());
        this.edited = Map.copyOf(edited);
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
