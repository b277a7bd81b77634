package dev.mandate.test;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a {@link TestElectionClient} of its own, as a parameter of its method and of {@code @BeforeEach}
 * methods, and closes it after the test. A parameter of type {@link TestElection} is that client's election {@value
 * #ELECTION}.
 *
 * <p>For JUnit 5 and later: {@code @ExtendWith(MandateExtension.class)}, or, to fail tests that leave a candidacy open,
 * {@code @RegisterExtension static final MandateExtension MANDATE = MandateExtension.requiringClosed();}
 */
public final class MandateExtension implements ParameterResolver, AfterEachCallback {
    /** The name of the election that is passed to tests. */
    public static final String ELECTION = "test";

    private static final Namespace NAMESPACE = Namespace.create(MandateExtension.class);

    private final boolean requiresClosed;

    /** An extension that closes what tests leave open. */
    public MandateExtension() {
        this(false);
    }

    private MandateExtension(boolean requiresClosed) {
        this.requiresClosed = requiresClosed;
    }

    /** An extension that fails a test if a candidacy goes on at its end, after {@code @AfterEach} methods. */
    public static MandateExtension requiringClosed() {
        return new MandateExtension(true);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        boolean isForOneTest = context.getTestMethod().isPresent();
        return isForOneTest && (type == TestElectionClient.class || type == TestElection.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestElectionClient client = context.getStore(NAMESPACE).get(context.getUniqueId(), TestElectionClient.class);
        if (client == null) {
            client = new TestElectionClient();
            context.getStore(NAMESPACE).put(context.getUniqueId(), client);
        }
        return parameter.getParameter().getType() == TestElection.class ? client.election(ELECTION) : client;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestElectionClient client = context.getStore(NAMESPACE).remove(context.getUniqueId(), TestElectionClient.class);
        if (client == null) {
            return;
        }
        // The test may have run on another thread, with a time-out.
        client.host().own();
        List<String> open = client.campaigning();
        client.close();
        if (requiresClosed && !open.isEmpty()) {
            throw new AssertionError("the test left candidacies open, in the elections " + open
                    + "; close the Candidacy or Leadership, or the client");
        }
    }
}
