#!/usr/bin/env python3
"""Plans a run in parts: simulates it on numbers of machines, with stragglers and failures.

    python3 plan.py --work 360000 --machines 1,10,100,1000 --parts-per-machine 1,4,16
    python3 plan.py --work 360000 --machines 1000 --parts 10000 --failures 0.01 --format json

A machine is whatever does one part at a time. Each asks for a part, does it, sends it and asks for the next; a part whose machine fails is
done again from its beginning, first of those that wait. One process, the driver, receives the parts one after the other and, at the same
time, merges them in the order of their numbers. Times are in seconds. The times of a program of one's own are measured by measure.py.

Columns: parts, the time of a part, the makespan (until the last part is merged), speed-up over one process, efficiency (speed-up per
machine), parts done again, and the share of the makespan in which the driver receives and merges. Each is the mean of --runs runs.
"""
import argparse
import heapq
import json
import math
import random
import statistics
import sys
from collections import deque

MOST_PARTS = 10_000_000
# A part that meets so many failures on average is begun about e to this power times.
MOST_FAILURES = 5


def numbers(kind, least):
    """The parser of a list of numbers of a kind, none below the least."""

    def parse(text):
        return [number(kind, least)(piece) for piece in text.split(",")]

    return parse


def number(kind, least, most=math.inf):
    """The parser of a number of a kind between two others."""

    def parse(text):
        try:
            parsed = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
        if not (math.isfinite(parsed) and least <= parsed <= most):
            bounds = f"at least {least}" if most == math.inf else f"between {least} and {most}"
            raise argparse.ArgumentTypeError(f"{text} is not {bounds}")
        return parsed

    return parse


class Machines:
    """Machines that do parts, whose times and failures are random."""

    def __init__(self, settings, parts, stream):
        self.settings, self.stream = settings, stream
        self.mean = settings.work / parts * (1 + settings.part_share) + settings.part_cost
        self.events = []
        self.started = 0
        self.waiting = deque(range(parts))

    def time_of_a_part(self):
        """The time of a part: its mean, with a log-normal spread, and as a straggler."""
        settings, time = self.settings, self.mean
        if settings.spread > 0:
            variance = math.log1p(settings.spread**2)
            time *= self.stream.lognormvariate(-variance / 2, math.sqrt(variance))
        if self.stream.random() < settings.straggler_share:
            time *= settings.straggler_factor
        return settings.dispatch + time

    def begin(self, now, part):
        """Begins a part: it is done, or lost when its machine fails."""
        time, rate = self.time_of_a_part(), self.settings.failures / 3600
        failure = self.stream.expovariate(rate) if rate > 0 else math.inf
        self.add(now + min(time, failure), part if failure >= time else None, part)

    def add(self, when, done, part):
        """Adds an event; those of one time happen in the order in which they were added."""
        self.started += 1
        heapq.heappush(self.events, (when, self.started, done, part))


def simulate(settings, machines, parts, stream):
    """The makespan, the parts done again, and the time in which the driver was busy."""
    run, idle, lost = Machines(settings, parts, stream), 0, 0
    transfer = settings.bytes * settings.work / parts / settings.bandwidth
    merge = settings.merge_cost + settings.merge_share * settings.work / parts
    arrivals, link_free, left = [0.0] * parts, 0.0, parts
    for _ in range(machines):
        run.add(settings.start, None, None)
    while left:
        now, _, done, part = heapq.heappop(run.events)
        if done is None and part is not None:
            # The machine comes back; its part is the next to be done.
            lost += 1
            run.waiting.appendleft(part)
            run.add(now + settings.restart, None, None)
            if not idle:
                continue
            idle -= 1
        elif done is not None:
            link_free = max(link_free, now) + transfer
            arrivals[done] = link_free
            left -= 1
        if run.waiting:
            run.begin(now, run.waiting.popleft())
        else:
            idle += 1
    merged = 0.0
    for arrival in arrivals:
        merged = max(merged, arrival) + merge
    return merged, lost, parts * max(merge, transfer)


def plan(settings, machines, parts):
    """The means over some runs."""
    runs = [
        simulate(settings, machines, parts, random.Random(f"{settings.seed} {machines} {parts} {run}"))
        for run in range(settings.runs)
    ]
    makespans = [run[0] for run in runs]
    makespan = statistics.fmean(makespans)
    return {
        "machines": machines,
        "parts": parts,
        "part_seconds": settings.work / parts * (1 + settings.part_share) + settings.part_cost,
        "makespan": makespan,
        "makespan_error": statistics.stdev(makespans) / math.sqrt(settings.runs) if settings.runs > 1 else 0.0,
        "speedup": settings.work / makespan,
        "efficiency": settings.work / makespan / machines,
        "parts_again": statistics.fmean(run[1] for run in runs),
        "driver_busy": statistics.fmean(run[2] / run[0] for run in runs),
    }


def driver_limit(settings, parts):
    """The speed-up that the driver allows with any number of machines: infinite if it costs nothing."""
    merging = settings.work * settings.merge_share + parts * settings.merge_cost
    driver = max(merging, settings.work * settings.bytes / settings.bandwidth)
    return settings.work / driver if driver > 0 else math.inf


def table(plans):
    """Plans as a table of text."""
    head = ["machines", "parts", "part s", "makespan s", "speed-up", "efficiency", "done again", "driver busy"]
    rows = [head] + [
        [
            f"{plan['machines']}",
            f"{plan['parts']}",
            f"{plan['part_seconds']:.3g}",
            f"{plan['makespan']:.1f}",
            f"{plan['speedup']:.1f}",
            f"{plan['efficiency']:.1%}",
            f"{plan['parts_again']:.1f}",
            f"{plan['driver_busy']:.1%}",
        ]
        for plan in plans
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)


def settings():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    time, share = number(float, 0), number(float, 0, 1)
    add("--work", type=number(float, 1e-3), required=True, help="time of one process for the whole run")
    machines = "1,2,5,10,20,50,100,200,500,1000"
    add("--machines", type=numbers(int, 1), default=machines, help=f"numbers of machines [default: {machines}]")
    cut = parser.add_mutually_exclusive_group()
    cut.add_argument(
        "--parts-per-machine", type=numbers(int, 1), default="8", help="numbers of parts per machine [default: 8]"
    )
    cut.add_argument("--parts", type=numbers(int, 1), help="numbers of parts, the same for all numbers of machines")
    add("--spread", type=time, default=0.05, help="standard deviation of the time of a part over its mean [default: 0.05]")
    add("--straggler-share", type=share, default=0.01, help="share of the parts that are slow [default: 0.01]")
    add("--straggler-factor", type=number(float, 1), default=3.0, help="times as long as others these take [default: 3]")
    add("--failures", type=time, default=0.001, help="failures of a machine per hour [default: 0.001]")
    add("--restart", type=time, default=120.0, help="until a machine that failed is back [default: 120]")
    add("--start", type=time, default=5.0, help="until a machine begins its first part [default: 5]")
    add("--dispatch", type=time, default=0.01, help="from the end of a part to the beginning of the next [default: 0.01]")
    add("--part-cost", type=time, default=0.005, help="what each part costs beside its work: process, model, pilot [default: 0.005]")
    add("--part-share", type=time, default=0.0, help="what the units of a part cost more than in one process, over the work [default: 0]")
    add("--merge-cost", type=time, default=0.001, help="merging a part, whatever its length [default: 0.001]")
    add("--merge-share", type=time, default=0.0, help="merging the units of a part, over their work [default: 0]")
    add("--bytes", type=time, default=0.0, help="bytes of a part for each second of its work [default: 0]")
    add("--bandwidth", type=number(float, 1), default=1e8, help="bytes a second that the driver receives [default: 1e8]")
    add("--runs", type=number(int, 1), default=5, help="simulated runs for each row [default: 5]")
    add("--seed", type=int, default=0, help="seed of the simulation [default: 0]")
    add("--format", choices=["text", "json"], default="text", help="form of the answer [default: text]")
    return parser.parse_args()


def refusal(settings, parts):
    """The problem of a number of parts that cannot be simulated; none if it can."""
    longest = (settings.work / parts * (1 + settings.part_share) + settings.part_cost) * settings.straggler_factor
    failures = settings.failures / 3600 * longest
    if parts > MOST_PARTS:
        return f"{parts} parts are more than the {MOST_PARTS} that are simulated; ask for fewer"
    if failures > MOST_FAILURES:
        return f"a part of {longest:.0f} s meets {failures:.1f} failures of its machine and hardly ever ends; ask for more parts"
    return None


def main():
    options = settings()
    cuts = [
        (machines, parts)
        for machines in options.machines
        for parts in options.parts or [machines * each for each in options.parts_per_machine]
    ]
    for _, parts in cuts:
        problem = refusal(options, parts)
        if problem:
            sys.exit(f"error: {problem}")
    plans = [plan(options, *cut) for cut in cuts]
    limits = [driver_limit(options, parts) for _, parts in cuts]
    if options.format == "json":
        rows = [dict(row, driver_limit=limit if math.isfinite(limit) else None) for row, limit in zip(plans, limits)]
        json.dump(rows, sys.stdout)
        print()
        return
    print(table(plans))
    finite = [limit for limit in limits if math.isfinite(limit)]
    if finite:
        least, most = f"{min(finite):.0f}", f"{max(finite):.0f}"
        told = least if least == most else f"{least} to {most}, by the number of parts"
        print(f"\nThe driver limits the speed-up to {told}.")


if __name__ == "__main__":
    main()
