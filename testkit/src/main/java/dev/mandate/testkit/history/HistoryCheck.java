package dev.mandate.testkit.history;

import dev.mandate.EndReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The properties that every history must have. Each method checks one and returns its objections, one sentence each;
 * none if all is well. Linear in the number of events, except for sorting.
 */
public final class HistoryCheck {
    /** Events that require contact with the store. */
    private static final Set<EventKind> CLAIMS =
            EnumSet.of(EventKind.BEGAN, EventKind.BELIEVED, EventKind.SEES_LEADER, EventKind.SEES_NOBODY);

    private final List<Event> events;
    private final List<Belief> beliefs;

    /** Prepares to judge {@code events}, ordered by time. */
    public HistoryCheck(List<Event> events) {
        this.events = List.copyOf(events);
        this.beliefs = Belief.of(events);
    }

    /** How many terms were believed. */
    public int terms() {
        return beliefs.size();
    }

    /** Checks everything below. */
    public List<String> all() {
        return Stream.of(
                        beliefsExcludeEachOther(),
                        tokensRise(),
                        leadersThatStoodStillAskFirst(),
                        handOverIsInOrder(),
                        tasksAlternate(),
                        nothingAfterClose(),
                        viewsNeverGoBack(),
                        nothingIsClaimedWithoutTheStore(),
                        somebodyLeadsOnceHealed(),
                        everybodyAgreesOnceSettled())
                .flatMap(List::stream)
                .toList();
    }

    /** Two processes never believe at once, except while an operator's override allows it. */
    public List<String> beliefsExcludeEachOther() {
        List<String> found = new ArrayList<>();
        List<Belief> byBegin = new ArrayList<>(beliefs);
        byBegin.sort(Comparator.comparingLong(Belief::from));
        @Nullable Belief longest = null;
        for (Belief next : byBegin) {
            if (longest != null
                    && next.from() <= longest.to()
                    && !isExcused(next.from(), Math.min(longest.to(), next.to()))) {
                found.add(longest + " and " + next + " were believed at once, for at least "
                        + (Math.min(longest.to(), next.to()) - next.from()) + " ns");
            }
            longest = longest == null || next.to() > longest.to() ? next : longest;
        }
        return found;
    }

    private boolean isExcused(long from, long to) {
        return Stream.concat(of(EventKind.OVERRIDDEN), of(EventKind.EMPTIED))
                .anyMatch(o -> o.nanos() <= from && to <= o.nanos() + o.number());
    }

    /**
     * Every term has a larger token than all that began before it; after the store lost its data, than all that began
     * since, unless its candidate was up before.
     */
    public List<String> tokensRise() {
        List<String> found = new ArrayList<>();
        Map<String, Long> begins = new HashMap<>();
        // The highest token of terms that began since the data was empty: at first, and each time it was lost.
        NavigableMap<Long, Long> highest = new TreeMap<>(Map.of(Long.MIN_VALUE, Long.MIN_VALUE));
        of(EventKind.EMPTIED).forEach(emptied -> highest.put(emptied.nanos(), Long.MIN_VALUE));
        of(EventKind.UP).forEach(up -> begins.put(up.life(), up.nanos()));
        for (Belief belief : beliefs) {
            long up = begins.getOrDefault(belief.life(), Long.MIN_VALUE);
            long before = Objects.requireNonNull(highest.floorEntry(up)).getValue();
            if (belief.token() <= before) {
                found.add(belief + " began after the token " + before);
            }
            highest.headMap(belief.from(), true).replaceAll((since, token) -> Math.max(token, belief.token()));
        }
        return found;
    }

    /** A leader that was frozen for longer than its lease never believes the former term again. */
    public List<String> leadersThatStoodStillAskFirst() {
        List<String> found = new ArrayList<>();
        Map<String, Long> frozenAt = new HashMap<>();
        for (Event event : events) {
            if (event.kind() == EventKind.FROZEN) {
                frozenAt.put(event.node(), event.nanos());
            } else if (event.kind() == EventKind.THAWED) {
                long frozen = Objects.requireNonNull(frozenAt.get(event.node()), "thawed, but not frozen: " + event);
                beliefs.stream()
                        .filter(b -> b.life().equals(event.life()) && b.from() < frozen && b.to() > event.nanos())
                        .forEach(b -> found.add(b + " was believed after " + event));
            }
        }
        return found;
    }

    /** A leader that gives up a term stops its work first: nobody else believes before the task has returned. */
    public List<String> handOverIsInOrder() {
        List<String> found = new ArrayList<>();
        Map<String, Long> left = new HashMap<>();
        Set<String> givenUp = new HashSet<>();
        for (Event event : events) {
            String term = event.life() + "/" + event.number();
            if (event.kind() == EventKind.LEFT) {
                left.put(term, event.nanos());
            } else if (event.kind() == EventKind.LOST && isOwnWill(event.text())) {
                givenUp.add(term);
            }
        }
        for (int i = 0; i + 1 < beliefs.size(); i++) {
            Belief belief = beliefs.get(i);
            String term = belief.life() + "/" + belief.token();
            Belief next = beliefs.get(i + 1);
            if (givenUp.contains(term) && left.getOrDefault(term, Long.MAX_VALUE) > next.from()) {
                found.add(next + " began before the work of " + belief + " had ended, which was given up");
            }
        }
        return found;
    }

    private static boolean isOwnWill(String reason) {
        EndReason why = EndReason.valueOf(reason);
        return !why.isStoreTrouble() && !why.isWorkTrouble();
    }

    /** In one process tasks never overlap; each is entered once, notified of its loss at most once, and left once. */
    public List<String> tasksAlternate() {
        List<String> found = new ArrayList<>();
        Map<String, Event> inside = new HashMap<>();
        Set<String> once = new HashSet<>();
        for (Event event : events) {
            boolean isAboutATerm =
                    Stream.of(EventKind.ENTERED, EventKind.LOST, EventKind.LEFT).anyMatch(event.kind()::equals);
            if (isAboutATerm && !once.add(event.life() + "/" + event.number() + "/" + event.kind())) {
                found.add(event + " is told twice");
            }
            if (event.kind() == EventKind.ENTERED) {
                Event before = inside.put(event.life(), event);
                if (before != null) {
                    found.add(event + " while " + before + " was not left");
                }
            } else if (event.kind() == EventKind.LEFT) {
                Event entered = inside.remove(event.life());
                if (entered == null || entered.number() != event.number()) {
                    found.add(event + " was not entered");
                }
            }
        }
        return found;
    }

    /** A closed client reports nothing any more. */
    public List<String> nothingAfterClose() {
        List<String> found = new ArrayList<>();
        Map<String, Event> closed = new HashMap<>();
        for (Event event : events) {
            Event end = closed.get(event.life());
            if (end != null && event.kind().compareTo(EventKind.CLOSED) < 0) {
                found.add(event + " after " + end);
            } else if (event.kind() == EventKind.CLOSED) {
                closed.put(event.life(), event);
            }
        }
        return found;
    }

    /** Nobody goes back to an older leader, except where the store lost its data. */
    public List<String> viewsNeverGoBack() {
        List<String> found = new ArrayList<>();
        Map<String, Event> newest = new HashMap<>();
        long emptying = Long.MIN_VALUE;
        for (Event event : events) {
            if (event.kind() == EventKind.EMPTIED) {
                newest.clear();
                emptying = event.nanos() + event.number();
            } else if (event.kind() == EventKind.SEES_LEADER && event.nanos() > emptying) {
                Event before = newest.put(event.life(), event);
                if (before != null && before.number() > event.number()) {
                    found.add(event + " after " + before);
                }
            }
        }
        return found;
    }

    /** When nobody has reached the store for over a lease, nobody believes or claims to see a leader or a vacancy. */
    public List<String> nothingIsClaimedWithoutTheStore() {
        List<String> found = new ArrayList<>();
        for (Event unreachable : of(EventKind.UNREACHABLE).toList()) {
            views(unreachable.nanos()).values().stream()
                    .filter(view -> view.kind() == EventKind.SEES_LEADER || view.kind() == EventKind.SEES_NOBODY)
                    .forEach(view -> found.add(view + " is still held at " + unreachable));
            long until = unreachable.nanos() + unreachable.number();
            events.stream()
                    .filter(event -> event.nanos() > unreachable.nanos() && event.nanos() < until)
                    .filter(event -> CLAIMS.contains(event.kind()))
                    .forEach(event -> found.add(event + " after " + unreachable));
        }
        return found;
    }

    /** How long after the last healing somebody believed; zero if somebody did all the time; empty if nobody does. */
    public Optional<Duration> recovery() {
        return of(EventKind.HEALED)
                .reduce((first, second) -> second)
                .flatMap(healed -> beliefs.stream()
                        .filter(belief -> belief.to() >= healed.nanos())
                        .map(belief -> Duration.ofNanos(Math.max(0, belief.from() - healed.nanos())))
                        .min(Comparator.naturalOrder()));
    }

    /** What candidates promise for {@link #recovery()}: the longest of their bounds. */
    public Duration recoveryAtMost() {
        return Duration.ofNanos(of(EventKind.UP).mapToLong(Event::number).max().orElse(0));
    }

    /** What candidates promise for the time from the death of a leader to the next one: the longest of their bounds. */
    public Duration failoverAtMost() {
        return Duration.ofNanos(
                of(EventKind.FOLLOWS).mapToLong(Event::number).max().orElse(0));
    }

    /** After everything was healed, somebody believes within the bound that the candidates promised. */
    public List<String> somebodyLeadsOnceHealed() {
        List<String> found = new ArrayList<>();
        long bound = recoveryAtMost().toNanos();
        of(EventKind.HEALED).forEach(healed -> {
            long until = healed.nanos() + bound;
            if (beliefs.stream().noneMatch(b -> b.to() >= healed.nanos() && b.from() <= until)) {
                found.add("nobody led within " + bound + " ns after " + healed);
            }
        });
        return found;
    }

    /** When nothing was disturbed for long, every process that is up sees the leader. */
    public List<String> everybodyAgreesOnceSettled() {
        List<String> found = new ArrayList<>();
        for (Event settled : of(EventKind.SETTLED).toList()) {
            @Nullable
            Belief leading = beliefs.stream()
                    .filter(b -> b.from() <= settled.nanos() && b.to() >= settled.nanos())
                    .findFirst()
                    .orElse(null);
            if (leading == null) {
                found.add("nobody leads at " + settled);
                continue;
            }
            views(settled.nanos()).forEach((life, view) -> {
                if (view.kind() != EventKind.SEES_LEADER || view.number() != leading.token()) {
                    found.add(life + " sees " + view + " at " + settled + ", and " + leading + " leads");
                }
            });
        }
        return found;
    }

    /** What the last life of every process that runs saw last up to {@code nanos}; if nothing yet, that it is up. */
    private Map<String, Event> views(long nanos) {
        Map<String, Event> byNode = new LinkedHashMap<>();
        for (Event event : events) {
            if (event.nanos() > nanos) {
                break;
            }
            switch (event.kind()) {
                case UP, SEES_LEADER, SEES_NOBODY, SEES_UNKNOWN -> byNode.put(event.node(), event);
                case CLOSED, KILLED -> byNode.remove(event.node());
                default -> {
                    // says nothing about views
                }
            }
        }
        Map<String, Event> byLife = new LinkedHashMap<>();
        byNode.values().forEach(view -> byLife.put(view.life(), view));
        return byLife;
    }

    private Stream<Event> of(EventKind kind) {
        return events.stream().filter(event -> event.kind() == kind);
    }
}
