package dev.mandate.azureblob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mandate.spi.StoreUrl;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    private static Credentials signed(String signature) {
        StoreUrl url = StoreUrl.parse("azblob://account/leases?sasFile=" + Files.secret(signature));
        return Credentials.of(url, "account", "account.blob.core.windows.net");
    }

    /** Every form that the service reads. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2027-01-02T00:00:00Z",
                "2027-01-02T00%3A00%3A00Z",
                "2027-01-02T00:00:00.0000000Z",
                "2027-01-02T00:00Z",
                "2027-01-02T01:00%2B01:00",
                "2027-01-02"
            })
    void theEndOfASignature(String end) {
        assertThat(signed("sv=2024-01-01&se=" + end + "&sp=rwl&sig=eA").end())
                .contains(Instant.parse("2027-01-02T00:00:00Z"));
    }

    @Test
    void aSignatureThatDoesNotSayWhenItEnds() {
        for (String signature : new String[] {"si=policy&sig=eA", "se=soon&sig=eA", "se=%FF&sig=eA"}) {
            assertThat(signed(signature).end()).isEqualTo(Optional.empty());
            assertThat(signed(signature).over()).isEqualTo(Optional.empty());
        }
    }

    @Test
    void whatToDoOnceItIsOver() {
        assertThat(signed("se=2021-01-02T00:00Z&sig=eA").over())
                .contains("the signature ended at 2021-01-02T00:00:00Z; put another into the file of sasFile, which is"
                        + " read again");
        assertThat(signed("se=2921-01-02T00:00Z&sig=eA").over()).isEmpty();
    }
}
