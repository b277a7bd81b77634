package dev.mandate.cli;

import java.util.Collections;
import java.util.Iterator;

/**
 * Marks the options and operands that name an election: {@code completionCandidates = Elections.class}. The names
 * themselves are looked up in the store when they are needed.
 */
public final class Elections implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Collections.emptyIterator();
    }
}
