package dev.mandate.etcd;

import dev.mandate.spi.Basis;

/** A key that is not there: its version is 0. All vacancies of a key look the same, so a write on one of them may land in a later one. */
enum VacantAt implements Basis {
    INSTANCE
}
