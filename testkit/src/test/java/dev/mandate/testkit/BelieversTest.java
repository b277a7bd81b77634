package dev.mandate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.ElectionClient;
import dev.mandate.Leadership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The look that {@link FaultStorm} rests on, with real terms: of one election, and of two that are passed off as one.
 */
class BelieversTest {
    private final List<ElectionClient> clients = new ArrayList<>();
    private final Believers believers = new Believers();

    private Leadership term(String store, String election) throws InterruptedException {
        ElectionClient client = ElectionClient.builder("memory:" + store)
                .lease(Duration.ofSeconds(1))
                .connect();
        clients.add(client);
        return client.election(election).campaign("v");
    }

    @AfterEach
    void close() {
        clients.forEach(ElectionClient::close);
    }

    @Test
    void oneTermAfterTheOtherIsFine() throws Exception {
        Leadership first = term("believers-1", "e");
        believers.add(first);
        believers.requireOne();
        first.resign();
        first.close();
        believers.add(term("believers-1", "e"));

        assertThatCode(believers::requireOne).doesNotThrowAnyException();
        assertThat(believers.isAnybodyValid()).isTrue();
        assertThat(believers.terms()).isEqualTo(2);
    }

    @Test
    void twoValidTermsAreCaught() throws Exception {
        believers.add(term("believers-2", "a"));
        believers.add(term("believers-2", "b"));

        assertThatThrownBy(believers::requireOne)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("valid at the same time");
    }

    @Test
    void oneTokenTwiceIsCaught() throws Exception {
        Leadership term = term("believers-3", "e");
        believers.add(term);

        assertThatThrownBy(() -> believers.add(term))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("token");
    }
}
