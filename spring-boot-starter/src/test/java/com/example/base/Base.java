package com.example.base;

import dev.mandate.spring.LeaderOnly;

/** A class whose method a subclass in another package cannot override. */
public class Base {
    @LeaderOnly("a")
    void send() {}
}
