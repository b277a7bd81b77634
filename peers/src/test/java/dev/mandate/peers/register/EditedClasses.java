package dev.mandate.peers.register;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Loads this package once more: the edited classes as compiled, all others as they are. So one bug runs, and nothing else changes. */
final class EditedClasses extends ClassLoader {
    private static final String OURS = "dev.mandate.peers.";

    private final Map<String, byte[]> edited;

    EditedClasses(Map<String, byte[]> edited) {
        super(EditedClasses.class.getClassLoader());
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
