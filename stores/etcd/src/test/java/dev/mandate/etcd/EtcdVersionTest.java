package dev.mandate.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdVersionTest {
    private static EtcdVersion version(String text) {
        return EtcdVersion.parse(text).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3.5", "three", "3.5.x", "99999.1.1", "v3.5.1"})
    void whatIsNoVersionIsNone(String text) {
        assertThat(EtcdVersion.parse(text)).isEmpty();
    }

    @Test
    void whatComesAfterTheNumbersIsPassedOver() {
        assertThat(version("3.6.0-rc.1")).isEqualTo(new EtcdVersion(3, 6, 0));
        assertThat(version("3.5.16+git")).hasToString("3.5.16");
    }

    @ParameterizedTest
    @CsvSource({
        "2.9.9, true", "3.3.27, true", "3.4.0, true", "3.4.30, true", "3.4.31, false", "3.4.45, false", "3.5.0, true",
        "3.5.12, true", "3.5.13, false", "3.6.0, false", "3.7.1, false", "4.0.0, false", "4.4.1, false", "4.5.1, false",
        "4.2.0, false"
    })
    void whichRevokeLiveLeases(String text, boolean expected) {
        assertThat(version(text).revokesEarly()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"3.4.2, false", "3.5.0, true", "3.5.2, true", "3.5.3, false", "3.6.0, false", "4.5.0, false"})
    void whichMayComeToHoldDifferentData(String text, boolean expected) {
        assertThat(version(text).mayDisagree()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"3.3.9, false", "3.4.0, true", "3.5.30, true", "3.6.1, false", "4.4.0, false"})
    void whichAreTested(String text, boolean expected) {
        assertThat(version(text).isTested()).isEqualTo(expected);
    }
}
