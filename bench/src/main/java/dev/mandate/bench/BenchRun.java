package dev.mandate.bench;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mandate.console.Console;
import dev.mandate.console.Durations;
import dev.mandate.console.ExitCode;
import dev.mandate.console.Failure;
import dev.mandate.console.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the bench commands share: choosing figures and printing them. */
final class BenchRun {
    private BenchRun() {}

    /**
     * The measurements to make.
     *
     * @param only the name of the only one wanted; null for all
     * @throws Failure if none has that name
     */
    static List<Measurement> only(@Nullable String only, List<Measurement> all) {
        List<Measurement> wanted =
                all.stream().filter(m -> only == null || m.name().equals(only)).toList();
        if (wanted.isEmpty()) {
            throw new Failure(
                    ExitCode.BAD_INPUT,
                    "--only is '" + only + "'; give one of "
                            + String.join(
                                    ", ", all.stream().map(Measurement::name).toList()));
        }
        return wanted;
    }

    /** The given value, or {@code otherwise} if none was given. Refuses one outside {@code least} to {@code most}. */
    static int within(String option, @Nullable Integer given, int least, int most, int otherwise) {
        if (given != null && (given < least || given > most)) {
            throw new Failure(ExitCode.BAD_INPUT, option + " is " + given + "; give " + least + " to " + most);
        }
        return given != null ? given : otherwise;
    }

    /** Refuses a time that is too short or too long. */
    static void requireTime(@Nullable Duration during) {
        if (during != null
                && (during.compareTo(IdleFigure.DURING_MIN) < 0 || during.compareTo(IdleFigure.DURING_MAX) > 0)) {
            throw new Failure(ExitCode.BAD_INPUT, "--during is " + Durations.words(during) + "; give 1s to 24h");
        }
    }

    /** Measures and prints; returns the exit code. */
    static int measure(Console console, boolean isJson, Target target, List<Measurement> wanted)
            throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        for (Measurement measurement : wanted) {
            figures.addAll(measurement.measure(target, console::say));
        }
        if (isJson) {
            print(console, target, figures);
        } else {
            table(console, target, figures);
        }
        return ExitCode.OK;
    }

    private static void table(Console console, Target target, List<Figure> figures) {
        console.out()
                .println("Store " + target.explanation().store() + ", lease "
                        + Durations.words(target.explanation().lease()) + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors");
        line(console, "", "measured", "floor", "bound", "", "");
        for (Figure f : figures) {
            line(console, f.name(), number(f.value()), number(f.floor()), number(f.bound()), f.unit(), f.note());
        }
    }

    private static void line(Console console, Object... cells) {
        console.out()
                .println(String.format(Locale.ROOT, "%-24s %10s %10s %10s  %-11s  %s", cells)
                        .stripTrailing());
    }

    private static String number(@Nullable Double value) {
        if (value == null) {
            return "";
        }
        return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.2f" : "%,.0f", value);
    }

    private static void print(Console console, Target target, List<Figure> figures) {
        Json.print(console.out(), out -> {
            out.writeStringField("store", target.explanation().store());
            Json.seconds(out, "leaseSeconds", target.explanation().lease());
            out.writeNumberField("processors", Runtime.getRuntime().availableProcessors());
            Json.array(out, "figures", figures, BenchRun::print);
        });
    }

    private static void print(JsonGenerator item, Figure f) throws IOException {
        item.writeStringField("name", f.name());
        item.writeNumberField("value", f.value());
        item.writeStringField("unit", f.unit());
        if (f.floor() != null) {
            item.writeNumberField("floor", f.floor());
        }
        if (f.bound() != null) {
            item.writeNumberField("bound", f.bound());
        }
        if (!f.note().isEmpty()) {
            item.writeStringField("note", f.note());
        }
    }
}
