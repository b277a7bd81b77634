package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.StoreSetupException;
import org.junit.jupiter.api.Test;

class GroupSecretTest {
    @Test
    void oneOrTwoSecretsAreRead() {
        assertThat(GroupSecret.parse(" 0123456789abcdef ").keys()).containsExactly("0123456789abcdef".getBytes());
        assertThat(GroupSecret.parse("0123456789abcdef\tfedcba9876543210").keys())
                .hasSize(2);
    }

    @Test
    void aShortSecretIsRefusedAndNotQuoted() {
        assertThatThrownBy(() -> GroupSecret.parse("hunter2"))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContainingAll("has 7 characters", "at least 16", "openssl")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void aThirdSecretIsRefused() {
        assertThatThrownBy(() -> GroupSecret.parse("correct horse battery staple"))
                .isInstanceOf(StoreSetupException.class)
                .hasMessageContaining("has 4 words")
                .hasMessageNotContaining("horse");
    }

    @Test
    void itsTextShowsNothing() {
        assertThat(GroupSecret.parse("0123456789abcdef")).hasToString("the group's secret");
    }
}
