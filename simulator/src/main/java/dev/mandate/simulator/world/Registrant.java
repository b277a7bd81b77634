package dev.mandate.simulator.world;

import dev.mandate.EndReason;
import dev.mandate.engine.Action;
import dev.mandate.engine.ElectionAction;
import dev.mandate.engine.ElectionEvent;
import dev.mandate.engine.FollowedChange;
import dev.mandate.engine.FollowingAction;
import dev.mandate.engine.FollowingMachine;
import dev.mandate.engine.FollowingSettings;
import dev.mandate.engine.SweepAction;
import dev.mandate.engine.Term;
import dev.mandate.simulator.check.FollowedList;
import dev.mandate.spi.Cursor;
import dev.mandate.spi.Observation;
import dev.mandate.spi.Page;
import dev.mandate.spi.RecordKey;
import dev.mandate.spi.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in the service, in one of its lives: it is an instance, by its client's machine and the little
 * that the runtime adds, and a follower, by a real {@link FollowingMachine}.
 */
final class Registrant implements FollowerHint.Follower {
    final Candidate candidate;
    private final World world;
    private final Service service;
    private final RecordKey key;

    // ---- registering ----

    private boolean wants;
    private boolean stands;
    /** The value that the machine was last told to publish. */
    private String said = "";

    private String value = "";
    private int values;
    private @Nullable Term term;
    private long command;
    /** The value being published. */
    private @Nullable String asked;

    private boolean isConfirmed;
    private boolean isLooking;

    // ---- following ----

    private final FollowingMachine<String> machine;
    private final FollowedList list;
    private boolean follows;

    Registrant(Candidate candidate, Service service) {
        this.candidate = candidate;
        this.world = candidate.world;
        this.service = service;
        String id = "i" + candidate.index + (service.knobs().isRenamed() ? "-" + candidate.epoch : "");
        this.key = RecordKey.registration("s", id);
        this.machine = new FollowingMachine<>(
                Service.PREFIX,
                new FollowingSettings(candidate.timing, world.knobs.kind.expiry(), FollowingSettings.RECORDS_MAX),
                (held, isVerified, before) ->
                        held.isForeign() ? null : held.record().value(),
                service.random::nextLong);
        this.list = new FollowedList("candidate " + candidate.index, service.check);
    }

    /** The process begins. */
    void begin() {
        if (service.random.nextDouble() < service.knobs().follows()) {
            follows = true;
            took(machine.onWatch(world.knobs.watch, candidate.get()));
            took(machine.start(candidate.get()));
        }
        if (service.random.nextDouble() < service.knobs().registers()) {
            register();
        }
    }

    String id() {
        return key.name();
    }

    boolean wants() {
        return wants;
    }

    String value() {
        return value;
    }

    boolean follows() {
        return follows;
    }

    @Nullable
    Map<String, String> told() {
        return list.told();
    }

    // ---- being an instance ----

    void register() {
        wants = true;
        if (!stands) {
            stands = true;
            newValue();
            tell(new ElectionEvent.Campaign(value));
        }
    }

    private void newValue() {
        value = "w" + candidate.index + "-" + candidate.epoch + "-" + ++values;
        isConfirmed = false;
    }

    void update() {
        if (wants && stands) {
            newValue();
            publish();
        }
    }

    void leave() {
        if (wants) {
            wants = false;
            tell(new ElectionEvent.Withdraw(EndReason.WITHDRAWN));
        }
    }

    /** The client is closed, which withdraws. */
    void closing() {
        wants = false;
        follows = false;
    }

    private void publish() {
        if (wants && asked == null && !isConfirmed) {
            asked = value;
            tell(new ElectionEvent.Proclaim(++command, term == null ? 0 : term.number(), value));
        }
    }

    private void tell(ElectionEvent event) {
        if (event instanceof ElectionEvent.Campaign begins) {
            said = begins.value();
        } else if (event instanceof ElectionEvent.Proclaim says) {
            said = says.value();
        }
        candidate.tellOfInstance(key, event);
    }

    private void later(long nanos, Runnable what, String name) {
        CandidateStep step = new CandidateStep(candidate, what, 0xC00 + candidate.index, () -> name);
        world.queue.put(step, world.now + Math.max(1, candidate.clock.trueNanos(nanos)));
    }

    void act(ElectionAction action) {
        if (action instanceof ElectionAction.Request request) {
            ask(request);
        } else {
            announced(action);
        }
    }

    private void announced(ElectionAction action) {
        if (action instanceof ElectionAction.Begin begin) {
            term = begin.term();
            isConfirmed = begin.held().record().value().equals(value);
            asked = null;
            publish();
            if (!isLooking && world.knobs.kind.isBySession()) {
                lookLater(begin.term());
            }
        } else if (action instanceof ElectionAction.End) {
            term = null;
        } else if (action instanceof ElectionAction.Proclaimed answer && answer.command() == command) {
            published(answer.written());
        } else if (action instanceof ElectionAction.Withdrawn) {
            term = null;
            stands = false;
            asked = null;
            if (wants) {
                // A user wanted it again meanwhile.
                register();
            }
        }
    }

    private void published(boolean isWritten) {
        String sent = asked;
        asked = null;
        if (term == null) {
            return;
        }
        if (isWritten) {
            isConfirmed = value.equals(sent);
            publish();
        } else {
            later(candidate.timing.pollIntervalNanos(), this::publish, "publishes what was not written");
        }
    }

    /** Does as {@code ClientRegistration} does where a session's renewals say nothing of the record. */
    private void lookLater(Term during) {
        isLooking = true;
        later(
                candidate.timing.recordCheckIntervalNanos(),
                () -> {
                    isLooking = false;
                    if (term != null) {
                        lookLater(term);
                        tell(new ElectionEvent.Swept(candidate.get().monotonicNanos(), null));
                    }
                },
                "looks for its own record of term " + during.number());
    }

    /** A request of the machine that keeps it registered. */
    private void ask(ElectionAction.Request request) {
        world.mix(request.request());
        if (request instanceof ElectionAction.Acquire acquire) {
            service.check.registers(
                    "candidate " + candidate.index, acquire.proposal().value(), said);
        }
        world.network.request(new Call(candidate, request, request.request(), Cursor.START));
    }

    void answered(Call call, Object answer) {
        if (answer == Answer.FAILED) {
            tell(new ElectionEvent.Unanswered(call.request));
        } else if (answer == Answer.FAULTED) {
            tell(new ElectionEvent.Faulted(call.request, "not permitted"));
        } else if (answer instanceof Observation seen) {
            tell(new ElectionEvent.ReadAnswered(call.request, seen));
        } else {
            tell(new ElectionEvent.WriteAnswered(call.request, (WriteOutcome) answer));
        }
    }

    // ---- following ----

    @Override
    public void hint(Observation seen) {
        if (follows) {
            if (seen instanceof Observation.Vacant) {
                list.hintsAtVacancy(seen.key().name());
            }
            took(machine.onHint(seen, candidate.get()));
        }
        if (seen.key().equals(key) && stands) {
            tell(new ElectionEvent.Hinted(seen));
        }
    }

    @Override
    public void gap() {
        if (follows) {
            took(machine.onGap(candidate.get()));
        }
        if (stands) {
            tell(ElectionEvent.Gap.INSTANCE);
        }
    }

    void listed(Call call, @Nullable Page<Observation> page, @Nullable String fault) {
        if (follows) {
            took(
                    page == null
                            ? machine.notListed(call.request, fault, candidate.get())
                            : machine.listed(call.request, page, candidate.get()));
        }
    }

    void looked(Call call, @Nullable Observation seen) {
        if (follows) {
            took(
                    seen == null
                            ? machine.notLooked(call.request, candidate.get())
                            : machine.looked(call.request, seen, candidate.get()));
        }
    }

    void tick() {
        if (follows && machine.wakeAtNanos() <= candidate.get().monotonicNanos()) {
            took(machine.tick(candidate.get()));
        }
    }

    /** When {@link #tick} is due. */
    long wakeAtNanos() {
        return follows ? machine.wakeAtNanos() : Long.MAX_VALUE;
    }

    private void took(List<Action> actions) {
        for (Action action : actions) {
            if (world.log != null) {
                world.note("  follows", "candidate " + candidate.index + " " + World.text(action));
            }
            if (action instanceof SweepAction asks) {
                world.mix(asks.request());
                if (asks.from().equals(Cursor.START)) {
                    list.asks(world.now);
                }
                world.network.request(new Call(candidate, this, asks));
            } else if (action instanceof FollowingAction.Look look) {
                world.mix(look.request());
                world.network.request(new Call(candidate, this, look));
            } else if (action instanceof FollowingAction.Changed<?> news) {
                List<FollowedList.Change> changes = new ArrayList<>();
                for (FollowedChange<?> change : news.changes()) {
                    changes.add(new FollowedList.Change(
                            change.key().name(), (String) change.before(), (String) change.after()));
                }
                list.changed(news.isFirst(), changes, world.now);
            }
        }
        list.confirmed(machine.isKnown() ? machine.confirmedNanos() : Long.MIN_VALUE);
        list.inAll(machine.size(), machine.isKnown());
        candidate.rearm();
    }
}
