#!/usr/bin/env python3
"""Times learning by figrs and by pyAgrum alternately, on one thread: tables by expectation-maximisation, and structures by hill climbing.

Builds the figrs binary and makes the Python environment as peers.py does. What is measured: see README.md.
"""

import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

from peers import REPOSITORY, TARGET, environment, limited


def draw(network, rows, share, folder):
    """Complete data drawn from a network, and the same with a share of the cells missing: empty, and as question marks."""
    import pyagrum as gum

    gum.initRandom(1)
    random.seed(1)
    model = gum.loadBN(str(network))
    for node in model.nodes():
        model.cpt(node).normalizeAsCPT()
    complete = folder / f"{network.stem}.csv"
    gum.generateSample(model, rows, str(complete), random_order=False)
    with complete.open() as file:
        header, *cells = csv.reader(file)
    cells = [["" if random.random() < share else cell for cell in row] for row in cells]
    for name, sign in (("empty", ""), ("marks", "?")):
        with (folder / f"{network.stem}.{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *([cell or sign for cell in row] for row in cells)])


def peer(network, folder, rounds):
    """One round of pyAgrum, in a process of its own: the CPU seconds, and the arcs it has found."""
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    model = gum.loadBN(str(network))
    for node in model.nodes():
        model.cpt(node).normalizeAsCPT()
    learner = gum.BNLearner(str(folder / f"{network.stem}.csv"))
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    before = time.process_time()
    dag = learner.learnDAG()
    climb = time.process_time() - before
    # Its scores are in bits, of each variable with its parents.
    names = learner.names()
    score = sum(learner.score(names[v], [names[p] for p in dag.parents(v)]) for v in dag.nodes()) * math.log(2)
    learner = gum.BNLearner(str(folder / f"{network.stem}.marks.csv"), model, ["?"])
    learner.useSmoothingPrior(1.0)
    learner.useEM(1e-300, 0.0)
    learner.EMsetMaxIter(rounds)
    before = time.process_time()
    learner.learnParameters(model.dag())
    tables = time.process_time() - before
    print(json.dumps({"climb": climb, "score": score, "tables": tables, "rounds": learner.EMnbrIterations()}))


def measure(network, folder, python, options):
    """Alternate rounds of both."""
    script = [python, Path(__file__).resolve()]
    base = ["--networks", options.networks, "--iterations", str(options.iterations), "--rows", str(options.rows), "--missing", str(options.missing)]
    run = lambda part: limited([*script, *base, "--part", part, "--only", network.stem], options)
    _, failure = run("draw")
    figrs, agrum, loads = [], [], []
    for _ in range(options.rounds):
        loads.append(os.getloadavg()[0])
        if failure:
            break
        files = [folder / f"{network.stem}.csv", folder / f"{network.stem}.empty.csv"]
        output, failure = limited([options.figrs, network, *files, str(options.iterations), str(options.seconds)], options)
        if failure:
            break
        figrs.append(json.loads(output))
        output, failure = run("peer")
        if not failure:
            agrum.append(json.loads(output.strip().splitlines()[-1]))
    if failure:
        print(f"{network.stem}: {failure}", file=sys.stderr)
        return None
    middle = lambda runs, *path: statistics.median(statistics.median(at(run, path)) for run in runs)

    def at(run, path):
        for key in path:
            run = run[key]
        return run if isinstance(run, list) else [run]

    return {
        "network": network.stem, "rounds": agrum[0]["rounds"], "loads": loads,
        "tables": (middle(figrs, "tables", "times"), middle(agrum, "tables")),
        "climb": (middle(figrs, "structures", "climb", "times"), middle(agrum, "climb")),
        "restarts": middle(figrs, "structures", "restarts", "times"),
        "scores": (at(figrs[0], ("structures", "climb", "score"))[0],
                   at(figrs[0], ("structures", "restarts", "score"))[0], agrum[0]["score"]),
    }


def report(results, options):
    ms = lambda seconds: f"{seconds * 1e3:.4g}"
    print(f"\n### Expectation-maximisation, {options.iterations} rounds on {options.rows} rows with {options.missing:.0%} of the cells missing\n")
    print("| network | rounds of pyAgrum | figrs ms | pyAgrum ms | ratio |\n|---|---|---|---|---|")
    for r in results:
        ours, theirs = r["tables"]
        print(f"| {r['network']} | {r['rounds']} | {ms(ours)} | {ms(theirs)} | {theirs / ours:.3g} |")
    print(f"\n### Hill climbing by BIC on {options.rows} complete rows\n")
    print("| network | figrs ms | with 30 restarts ms | pyAgrum ms | ratio | with restarts | score | with restarts | pyAgrum's score |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r in results:
        (ours, theirs), more = r["climb"], r["restarts"]
        scores = " | ".join(f"{score:.3f}" for score in r["scores"])
        print(f"| {r['network']} | {ms(ours)} | {ms(more)} | {ms(theirs)} | {theirs / ours:.3g} | {theirs / more:.3g} | {scores} |")
    loads = [load for r in results for load in r["loads"]]
    print(f"\nMedians of CPU time over {options.rounds} alternating rounds; load average {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=Path, metavar="DIR", required=True, help="where the .bif files are")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=["alarm", "insurance", "hailfinder"], help="these networks")
    parser.add_argument("--rows", type=int, default=1000, help="rows of data (default: 1000)")
    parser.add_argument("--missing", type=float, default=0.3, metavar="SHARE", help="share of missing cells (default: 0.3)")
    parser.add_argument("--iterations", type=int, default=5, help="rounds of expectation-maximisation (default: 5)")
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds of the tools (default: 3)")
    parser.add_argument("--seconds", type=float, default=0.5, metavar="S", help="figrs repeats each task as long within a round")
    parser.add_argument("--limit", type=float, default=600, metavar="S", help="of one tool in one round (default: 600)")
    parser.add_argument("--memory", type=float, default=8, metavar="GIB", help="for one tool (default: 8)")
    parser.add_argument("--figrs", type=Path, metavar="BINARY", help="a built learning_times (default: builds it)")
    parser.add_argument("--python", type=Path, help="an interpreter with the peers (default: makes one)")
    parser.add_argument("--part", choices=["draw", "peer"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = TARGET / "peers" / "learning"
    folder.mkdir(parents=True, exist_ok=True)
    networks = [(options.networks / f"{name}.bif").resolve() for name in options.only]
    if options.part:
        for network in networks:
            if options.part == "draw":
                draw(network, options.rows, options.missing, folder)
            else:
                peer(network, folder, options.iterations)
        return None
    if not options.figrs:
        command = ["cargo", "build", "--release", "--package", "figrs-benches", "--bin", "learning_times"]
        subprocess.run(command, cwd=REPOSITORY, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(TARGET)})
        options.figrs = TARGET / "release" / "learning_times"
    python = options.python or environment()
    results = [result for network in networks if (result := measure(network, folder, python, options))]
    if not results:
        return "no network was measured"
    report(results, options)
    return None


if __name__ == "__main__":
    sys.exit(main())
