package dev.mandate.simulator;

import dev.mandate.simulator.world.Aim;
import dev.mandate.simulator.world.Coverage;
import dev.mandate.simulator.world.Outcome;
import dev.mandate.simulator.world.StoreKind;
import dev.mandate.simulator.world.Transcript;
import dev.mandate.simulator.world.World;

public final class Main {
    public static void main(String[] args) {
        Aim aim = Aim.SWARM;
        StoreKind kind = null;
        Long seed = null;
        long schedules = 100000;
        long base = System.nanoTime();
        boolean cov = false;
        int threads = 1, lines = 50;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--seed" -> seed = Long.parseLong(args[++i]);
                case "--schedules" -> schedules = Long.parseLong(args[++i]);
                case "--expiry" -> kind = StoreKind.parse(args[++i]);
                case "--aim" -> aim = Aim.parse(args[++i]);
                case "--base" -> base = Long.parseLong(args[++i]);
                case "--threads" -> threads = Integer.parseInt(args[++i]);
                case "--lines" -> lines = Integer.parseInt(args[++i]);
                case "--coverage" -> cov = true;
            }
        }
        if (seed == null) {
            System.out.println("seed base " + base);
            Batch batch = new Batch(aim, kind, base, schedules);
            long t = System.nanoTime();
            seed = batch.run(threads);
            double s = (System.nanoTime() - t) / 1e9;
            System.out.printf(
                    "%d schedules, %d steps in %.1f s: %.0f schedules/cpu s, %.2f M steps/s, %.0f steps each%n",
                    batch.done(),
                    batch.steps(),
                    s,
                    batch.done() / (batch.cpuNanos() / 1e9),
                    batch.steps() / (batch.cpuNanos() / 1e3),
                    (double) batch.steps() / batch.done());
            if (cov) System.out.println(batch.coverage());
            if (seed == null) return;
        }
        Transcript log = new Transcript(lines);
        World w = new World(seed, aim, kind == null ? StoreKind.ofSeed(seed) : kind, new Coverage(), log);
        Outcome o = w.run();
        System.out.println("seed " + seed + "\n" + w.knobs() + "\n" + log + "\n" + o);
        System.exit(o.broken() == null ? 0 : 1);
    }
}
