#!/usr/bin/env python3
"""Asks the `network` command about every .uai file of a folder, and other programs beside it.

    python3 benches/peers/uai.py DIR --task evidence --time 60 --memory 8GiB --peer pyganak
    python3 benches/peers/uai.py DIR --task mpe --time 40 --peer toulbar2

Times are CPU seconds of whole processes, from the file to the answer. With --reference, a JSON file of {name: {"log_evidence": x}}, answers are compared
with it to 1e-5 of their size, at least of one; bounds have to enclose them, and what differs is shown with the difference: published answers are rounded, or of
networks whose rows hardly sum to one (BN_71: 0, though the product of its tables' sums is exp(-0.000024)). Build the figrs binary first: cargo build --release --example network. Peers come from PyPI: pyganak and pytoulbar2.
"""

import argparse
import itertools
import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CLOSE = 1e-5


def spent():
    """CPU seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, limit):
    """The standard output of a program that succeeds within a time, and its CPU seconds."""
    before = spent()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None, spent() - before
    return (done.stdout if done.returncode == 0 else None), spent() - before


def figrs(file, options):
    command = [options.binary, "--file", file, "--task", options.task, "--format", "json", "--time", options.time]
    evidence = Path(f"{file}.evid")
    for flag, value in (("--algorithm", options.algorithm), ("--memory", options.memory), ("--evidence", evidence.exists() and evidence)):
        command += [flag, value] if value else []
    out, seconds = run([str(word) for word in command], options.time + 5)
    if out is None:
        return {"seconds": seconds, "algorithm": None, "proven": False, "value": None, "bounds": []}
    found = json.loads(out)
    answer = {"seconds": seconds, "algorithm": found["algorithm"], "proven": found["exact"]}
    if options.task == "mpe":
        value = found["mpe"]["log_probability"]
    else:
        value = float(found["log_evidence"]) if found["exact"] else None
    bounds = [float(bound) for bound in found.get("bounds", {}).get("mpe" if options.task == "mpe" else "log_evidence", [])]
    return {**answer, "value": value, "bounds": bounds}


def tables(file):
    """The cardinalities of a .uai file, and its factors: scopes and entries; evidence as factors of one variable."""
    numbers = iter(Path(file).read_text().split())
    next(numbers)
    cards = [int(next(numbers)) for _ in range(int(next(numbers)))]
    scopes = [[int(next(numbers)) for _ in range(int(next(numbers)))] for _ in range(int(next(numbers)))]
    factors = [(scope, [float(next(numbers)) for _ in range(int(next(numbers)))]) for scope in scopes]
    evidence = Path(f"{file}.evid")
    words = [int(word) for word in evidence.read_text().split()] if evidence.exists() else [0]
    for v, x in zip(words[1::2], words[2::2]):
        factors.append(([v], [float(k == x) for k in range(cards[v])]))
    return cards, factors


def pyganak(file):
    """The logarithm of the number of assignments of a logical network, by pyganak: all variables binary, all entries 0 or 1."""
    import pyganak

    cards, factors = tables(file)
    if any(card != 2 for card in cards) or any(entry not in (0.0, 1.0) for _, entries in factors for entry in entries):
        sys.exit(3)
    counter = pyganak.Counter()
    for v in range(1, len(cards) + 1):
        counter.add_clause([v, -v])
    for scope, entries in factors:
        for entry, values in zip(entries, itertools.product((0, 1), repeat=len(scope))):
            if entry == 0.0:
                counter.add_clause([-(v + 1) if x else v + 1 for v, x in zip(scope, values)])
    print(math.log(counter.count()))


def toulbar2(file, limit):
    """The logarithm of the weight of the best world, if toulbar2 proves it.

    Networks are given to it as Markov networks, whose tables it takes as they are. In those of type BAYES it normalises rows, with the last entry as what the
    others leave of one: of `1 1.7e-07` it makes `1 0`, and then proves worlds without such entries.
    """
    import pytoulbar2

    problem = pytoulbar2.CFN(resolution=7, verbose=-1)
    if Path(f"{file}.evid").exists():
        problem.Option.evidence_file = f"{file}.evid"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.uai"
        copy.write_text(Path(file).read_text().replace("BAYES", "MARKOV", 1))
        problem.Read(str(copy))
    solved = problem.Solve(timeLimit=int(limit))
    if not solved or problem.GetDDualBound() < solved[1] - 1e-6:
        sys.exit(3)
    # Its own costs are rounded.
    cards, factors = tables(file)
    total = 0.0
    for scope, entries in factors:
        place = 0
        for v in scope:
            place = place * cards[v] + solved[0][v]
        total += math.log(entries[place]) if entries[place] > 0.0 else -math.inf
    print(total)


def told_difference(row):
    """By how much an answer is not the published one; which of the two is right takes another program, or arithmetic in rational numbers."""
    if row["bounds"]:
        return f"  DIFFERS: published {row['published']:.10g} is out of bounds"
    return f"  DIFFERS by {row['value'] - row['published']:.3g} from the published {row['published']:.10g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of .uai files, with .uai.evid files of evidence beside them")
    parser.add_argument("--task", choices=["evidence", "mpe"], default="evidence", help="question [default: evidence]")
    parser.add_argument("--algorithm", help="algorithm of the network command [default: its own choice]")
    parser.add_argument("--memory", help="memory for its tables, such as 8GiB")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each file [default: 60]")
    parser.add_argument("--peer", choices=["pyganak", "toulbar2"], help="another program to ask")
    parser.add_argument("--reference", type=Path, help="JSON file of answers")
    parser.add_argument("--binary", type=Path, default=REPOSITORY / "target/release/examples/network", help="the network command")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="a table, or JSON [default: text]")
    parser.add_argument("--only-peer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_peer:
        pyganak(options.folder) if options.peer == "pyganak" else toulbar2(options.folder, options.time)
        return
    reference = json.loads(options.reference.read_text()) if options.reference else {}
    reference = reference.get("pr" if options.task == "evidence" else "map", reference)
    files = sorted(options.folder.glob("*.uai"))
    if not files:
        sys.exit(f"error: there is no .uai file in {options.folder}")
    rows = []
    for file in files:
        row = {"file": file.stem, **figrs(file, options)}
        known = reference.get(file.stem, {}).get("log_evidence")
        slack = CLOSE * max(1.0, abs(known or 0.0))
        if known is not None and row["bounds"]:
            row["agrees"] = row["bounds"][0] - slack <= known <= row["bounds"][1] + slack
        elif known is not None and row["value"] is not None:
            row["agrees"] = abs(row["value"] - known) <= slack
        if known is not None:
            row["published"] = known
        if options.peer:
            again = [sys.executable, __file__, str(file), "--peer", options.peer, "--time", str(options.time), "--only-peer"]
            out, seconds = run(again, options.time + 5)
            row["peer"] = {"seconds": seconds, "value": float(out.split()[-1]) if out else None}
        rows.append(row)
        if options.format == "text":
            peer = row.get("peer")
            told = "" if peer is None else f"  {options.peer} {peer['seconds']:8.2f} s  {peer['value'] if peer['value'] is not None else '-'}"
            low, high = row["bounds"] or (None, None)
            value = "-" if row["value"] is None else f"{row['value']:.6f}"
            value += "" if low is None else f" (between {low:.6f} and {high:.6f})"
            value += f"  {row['algorithm']}"
            agrees = told_difference(row) if row.get("agrees") is False else "  agrees" if row.get("agrees") else ""
            print(f"{row['file']:28} {row['seconds']:8.2f} s  {value}{agrees}{told}", flush=True)
    if options.format == "json":
        print(json.dumps(rows))
    else:
        proven = [row for row in rows if row["value"] is not None and row["proven"]]
        print(f"{len(proven)} of {len(rows)} answered, {sum(row['seconds'] for row in rows):.2f} s of CPU time")


if __name__ == "__main__":
    main()
