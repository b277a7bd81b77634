package dev.mandate.etcd;

import dev.mandate.spi.Basis;

/** A missing key, at version 0. All vacancies of a key look the same: a write based on one may land in a later one. */
enum VacantAt implements Basis {
    INSTANCE
}
