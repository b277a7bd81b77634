package dev.mandate.bench;

import dev.mandate.console.Durations;
import dev.mandate.demo.ScratchGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The cost of an idle group, each member in its own process: with one election, then with many, held by one member
 * while nobody else campaigns; with one also while all others follow.
 */
final class GroupIdleFigure {
    private static final int MANY = 1_000;
    private static final int LEASES = 6;
    private static final int WARM_LEASES = 2;
    private static final int WARM = 100;
    private static final int WARM_MILLIS = 20_000;
    private static final Duration FORMED_WITHIN = Duration.ofSeconds(60);

    /** The limit in the issue that asked for groups: percent of a processor, all members together. */
    private static final double ONE_MOST = 2;
    /** The same for the busiest member. */
    private static final double MANY_MOST = 10;

    private final Target target;
    private final ScratchGroup group;
    private final Duration during;
    private final Consumer<String> progress;

    /** @param during null for a few leases */
    GroupIdleFigure(Target target, ScratchGroup group, @Nullable Duration during, Consumer<String> progress) {
        this.target = target;
        this.group = group;
        Duration lease = target.explanation().lease();
        this.during = during != null ? during : lease.multipliedBy(target.isQuick() ? 1 : LEASES);
        this.progress = progress;
    }

    /** Measures with {@code held} elections; if null, with one and with many. */
    List<Figure> measure(@Nullable Integer held) throws InterruptedException {
        List<Figure> figures = new ArrayList<>();
        for (int size : held != null ? List.of(held) : List.of(1, MANY)) {
            List<BenchProcess> members = new ArrayList<>();
            try {
                progress.accept("starting " + group.size() + " members");
                for (int place = 0; place < group.size(); place++) {
                    members.add(BenchProcess.start(MemberMain.class, group.member(place)));
                }
                members.forEach(BenchProcess::awaitReady);
                group.awaitVoters(target.explanation(), FORMED_WITHIN);
                warm(members);
                figures.addAll(held(members, size));
            } finally {
                members.forEach(BenchProcess::close);
            }
        }
        return figures;
    }

    /** All campaign in some elections for a while: an election does not cost what is compiled and made once. */
    private void warm(List<BenchProcess> members) throws InterruptedException {
        progress.accept("warming up");
        String names = "warm " + (target.isQuick() ? 1 : WARM) + " " + target.election("warm-");
        members.forEach(member -> member.ask(names));
        Thread.sleep(WARM_LEASES * target.explanation().lease().toMillis() + (target.isQuick() ? 0 : WARM_MILLIS));
        members.forEach(member -> member.ask("leave"));
    }

    private List<Figure> held(List<BenchProcess> members, int size) throws InterruptedException {
        int n = members.size();
        BenchProcess holder = members.get(0);
        MemberCount before = holder.count();
        progress.accept("acquiring " + size + " elections to hold");
        String name = target.election("idle-" + size + "-");
        holder.ask("hold " + size + " " + name);
        Counted alone = counted(members, "holding " + size + ", nobody else campaigns,");
        MemberCount after = alone.of.get(0);
        double perRenewal = ratio(alone.sum(MemberCount::frames), alone.sum(MemberCount::renewals));
        String prefix = size + " held: ";
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.of(prefix + "renewals", alone.perSecond(MemberCount::renewals), "per s")
                        .noting(
                                after.lost() == 0
                                        ? "for " + Durations.words(during) + ", nobody else campaigns"
                                        : after.lost() + " of them were lost meanwhile"),
                Figure.of(prefix + "frames", perRenewal, "a renewal").within(4.0 * (n - 1)),
                most(Figure.of(prefix + "processor", alone.processor(), "% of one"), size == 1 ? ONE_MOST : null)
                        .noting("all " + n + " members together, without the JIT compiler"),
                most(Figure.of(prefix + "busiest", alone.busiest(), "% of one"), size == 1 ? null : MANY_MOST),
                Figure.of(prefix + "threads", after.threads() - before.threads(), "more"),
                Figure.of(prefix + "descriptors", after.files() - before.files(), "more")));
        if (size == 1) {
            for (BenchProcess follower : members.subList(1, n)) {
                follower.ask("campaign " + name + "0");
            }
            Counted all = counted(members, "holding 1, all others follow,");
            double ofRenewals = perRenewal * all.sum(MemberCount::renewals);
            double perPoll = ratio(all.sum(MemberCount::frames) - ofRenewals, all.sum(MemberCount::reads));
            figures.add(Figure.of("1 followed: reads", all.perSecond(MemberCount::reads), "per s"));
            figures.add(Figure.of("1 followed: frames", perPoll, "a read").within(2.0 * (n / 2)));
            figures.add(Figure.of("1 followed: processor", all.processor(), "% of one")
                    .within(ONE_MOST)
                    .noting(String.format(
                            Locale.ROOT, "all %d members together; the busiest %.2f %%", n, all.busiest())));
        }
        return figures;
    }

    private static Figure most(Figure figure, @Nullable Double bound) {
        return bound == null ? figure : figure.within(bound);
    }

    private static double ratio(double part, double of) {
        return of == 0 ? 0 : part / of;
    }

    /** Waits a few leases, in which the JVMs compile what they need; then counts for a while. */
    private Counted counted(List<BenchProcess> members, String what) throws InterruptedException {
        Thread.sleep(target.explanation().lease().toMillis() * (target.isQuick() ? 1 : WARM_LEASES));
        progress.accept(what + " for " + Durations.words(during));
        List<MemberCount> before = members.stream().map(BenchProcess::count).toList();
        long beganNanos = System.nanoTime();
        Thread.sleep(during.toMillis());
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        List<MemberCount> since = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            since.add(members.get(i).count().since(before.get(i)));
        }
        return new Counted(since, seconds);
    }

    /** What each member did in {@code seconds}. */
    private record Counted(List<MemberCount> of, double seconds) {
        double sum(ToLongFunction<MemberCount> figure) {
            return of.stream().mapToLong(figure).sum();
        }

        double perSecond(ToLongFunction<MemberCount> figure) {
            return sum(figure) / seconds;
        }

        /** Of all members, in percent of one processor. */
        double processor() {
            return sum(MemberCount::processorNanos) / 1e7 / seconds;
        }

        double busiest() {
            return of.stream().mapToLong(MemberCount::processorNanos).max().orElse(0) / 1e7 / seconds;
        }
    }
}
