package dev.mandate.etcd;

import dev.mandate.spi.Basis;

/**
 * A missing key, whose version is 0. All vacancies of a key look the same, so a write based on one may land in
 * a later one.
 */
enum VacantAt implements Basis {
    INSTANCE
}
