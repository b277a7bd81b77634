package dev.mandate.cli;

import dev.mandate.registry.Status;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the status of an instance, in upper or lower case. */
public final class StatusWord implements ITypeConverter<Status> {
    @Override
    public Status convert(String word) {
        String name = word.toUpperCase(Locale.ROOT).replace('-', '_');
        return Arrays.stream(Status.values())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + word + "' is not a status; give one of "
                        + Arrays.stream(Status.values()).map(Status::name).collect(Collectors.joining(", "))));
    }
}
