package dev.mandate.testkit;

import dev.mandate.Leadership;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Collects every term of one election and checks that no two are believed at once. Validity never comes back, so a term
 * that is valid before and after another was found valid has overlapped it, however the threads were scheduled.
 *
 * <p>Safe for use from many threads. Sees only terms of this process.
 */
public final class Believers {
    private final Set<Leadership> terms = ConcurrentHashMap.newKeySet();
    private final Set<Long> tokens = ConcurrentHashMap.newKeySet();

    /**
     * Checks {@code term} from now until it is over.
     *
     * @throws AssertionError if another term had its fencing token
     */
    public void add(Leadership term) {
        if (!tokens.add(term.fencingToken().value())) {
            throw new AssertionError("two terms have the token " + term.fencingToken());
        }
        terms.add(term);
    }

    /** How many terms were added. */
    public int terms() {
        return tokens.size();
    }

    /** Whether one of them is valid now. */
    public boolean isAnybodyValid() {
        return terms.stream().anyMatch(Leadership::isValid);
    }

    /**
     * Checks all terms once.
     *
     * @throws AssertionError if two were valid at the same time
     */
    public void requireOne() {
        terms.removeIf(term -> !term.isValid());
        List<Leadership> valid = List.copyOf(terms);
        for (Leadership one : valid) {
            for (Leadership other : valid) {
                if (one != other && one.isValid() && other.isValid() && one.isValid()) {
                    throw new AssertionError("terms " + one.fencingToken() + " and " + other.fencingToken()
                            + " were valid at the same time");
                }
            }
        }
    }
}
