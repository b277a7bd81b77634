package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.mandate.StoreSetupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionStringTest {
    @Test
    void credentialsAreReadAndTheRestIsNot() {
        assertThat(ConnectionString.parse(
                        " DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0==;; EndpointSuffix=x \n"))
                .isEqualTo(new ConnectionString("a", "c2VjcmV0==", ""));
        assertThat(ConnectionString.parse("accountname=a;SharedAccessSignature=sv=1&sig=eA%3D"))
                .isEqualTo(new ConnectionString("a", "", "sv=1&sig=eA%3D"));
        assertThat(ConnectionString.parse("SharedAccessSignature=sig=eA"))
                .isEqualTo(new ConnectionString("", "", "sig=eA"));
        assertThat(ConnectionString.parse("UseDevelopmentStorage=true"))
                .isEqualTo(new ConnectionString(Credentials.EMULATOR, Credentials.EMULATOR_KEY, ""));
    }

    @ParameterizedTest
    @CsvSource({
        "AccountName=a;c2VjcmV0, part 2 of it has no name",
        "=c2VjcmV0, part 1 of it has no name",
        "AccountName=a, neither AccountKey nor SharedAccessSignature",
        "'', neither AccountKey nor SharedAccessSignature",
        "UseDevelopmentStorage=false, neither AccountKey nor SharedAccessSignature",
        "AccountKey=c2VjcmV0, an AccountKey and no AccountName"
    })
    void whatIsMissingIsNamedWithoutTheSecret(String text, String words) {
        assertThatExceptionOfType(StoreSetupException.class)
                .isThrownBy(() -> ConnectionString.parse(text))
                .withMessageContainingAll("connection string can't be used", words)
                .withMessageNotContaining("c2VjcmV0");
    }

    @Test
    void itsTextHasNoSecret() {
        assertThat(new ConnectionString("a", "c2VjcmV0", "sig=c2VjcmV0")).hasToString("connection string of account a");
    }
}
