package dev.mandate.bench;

import org.jspecify.annotations.Nullable;

/**
 * One measured number.
 *
 * @param floor what the store alone takes for the same, in this run; null if there is none
 * @param bound the computed maximum; null if there is none
 */
record Figure(
        String name,
        double value,
        String unit,
        @Nullable Double floor,
        @Nullable Double bound,
        String note) {
    static Figure of(String name, double value, String unit) {
        return new Figure(name, value, unit, null, null, "");
    }

    Figure beside(double storeAlone) {
        return new Figure(name, value, unit, storeAlone, bound, note);
    }

    Figure within(double atMost) {
        return new Figure(name, value, unit, floor, atMost, note);
    }

    Figure noting(String words) {
        return new Figure(name, value, unit, floor, bound, words);
    }
}
