#!/usr/bin/env python3
"""Times figrs and its peers alternately, on one thread, on Bayesian networks in BIF.

Builds the figrs binary with cargo and makes a Python environment with the peers of requirements.txt; both lie
under the target directory. Each tool runs in a process of its own with a limit of time and memory, in turn with
the others, for some rounds. All answers are compared with those of figrs. What is measured: see README.md.
"""

import argparse
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

from one_peer import PEERS, PYAGRUM, TREES, read_uai

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
TOLERANCE = 1e-6
LARGE = 200_000
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "RAYON", "COTENGRA")}


def environment():
    """The interpreter of an environment with the peers, made if there is none."""
    place, requirements = TARGET / "peers" / "python", HERE / "requirements.txt"
    python, done = place / "bin" / "python", place / "requirements.txt"
    if not done.exists() or done.read_text() != requirements.read_text():
        print(f"making {place}", file=sys.stderr)
        venv.create(place, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet"]
        failed = [line for line in requirements.read_text().split() if subprocess.run([*install, line]).returncode]
        for line in failed:
            print(f"{line} cannot be installed; what needs it will be skipped", file=sys.stderr)
        if not failed:
            done.write_text(requirements.read_text())
    return python


def limited(command, options):
    """Runs a command within the limits: what it printed, and why it failed, if it did."""
    size = int(options.memory * 2**30)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, preexec_fn=limit,
                              env=os.environ | ONE_THREAD)
    except subprocess.TimeoutExpired as expired:
        return (expired.stdout or b"").decode(), f"more than {options.limit:g} s"
    errors = re.findall(r"^\S*(?:Error|Exception)\b.*", done.stderr, re.MULTILINE)
    reason = errors[-1] if errors else f"ended with {done.returncode}: {done.stderr.strip()[-200:]}"
    return done.stdout, reason[:200] if done.returncode else None


class Tool:
    """The times and the answers of one tool on one network."""

    def __init__(self, name):
        self.name, self.rounds, self.answers, self.failure, self.lacks = name, {}, {}, None, set()

    def add(self, part, times, answer=None, failure=None):
        if failure:
            self.lacks.add(failure)
            return
        self.rounds.setdefault(part, []).append(
            {"median": statistics.median(times), "minimum": min(times), "first": times[0], "times": len(times)})
        self.answers[part] = answer

    def figure(self, part, which="median"):
        """The median over the rounds, in seconds."""
        rounds = self.rounds.get(part)
        return rounds and statistics.median(r[which] for r in rounds)


def run_figrs(tool, network, evidence, folder, options):
    """A round of figrs; leaves what the peers need to know of the network in a file."""
    uai = folder / f"{network.stem}.uai"
    command = [options.figrs, network, "--seconds", str(options.seconds), "--uai", uai]
    output, tool.failure = limited(command + (["--evidence", evidence] if evidence else []), options)
    if tool.failure:
        return None
    report = json.loads(output)
    for part in ("read", "marginals", "evidence", "mpe"):
        tool.add(part, report[part]["times"], report[part].get("answer"))
    warm = report["warm"]
    if warm["changed"]:
        tool.add("warm", warm["times"], warm["marginals"])
        tool.add("first", warm["first"])
    spec = {key: report[key] for key in ("clock", "cost", "variables", "observed", "warm")}
    spec |= {"network": str(network), "uai": str(uai)}
    (folder / f"{network.stem}.json").write_text(json.dumps(spec))
    return spec


def run_peer(tool, network, folder, python, options):
    spec = folder / f"{network.stem}.json"
    command = [python, HERE / "one_peer.py", tool.name, spec, str(options.seconds)]
    output, tool.failure = limited(command, options)
    for line in output.split("\n")[:-1]:  # without one that was cut off
        if line.startswith('{"part"'):
            tool.add(**json.loads(line))


def disagreements(tools, spec):
    """What the peers answer otherwise than figrs."""
    states, tables = read_uai(spec["uai"])

    def log_probability(world):
        total = 0.0
        for scope, entries in tables:
            place = 0
            for variable in scope:
                place = place * states[variable] + world[variable]
            total += math.log(entries[place]) if entries[place] > 0 else -math.inf
        return total

    def distance(part, ours, theirs):
        if part in ("marginals", "warm"):
            return max(abs(a - b) for x, y in zip(ours, theirs, strict=True) for a, b in zip(x, y, strict=True))
        if part == "mpe":
            ours, theirs = log_probability(ours), log_probability(theirs)
        return abs(ours - theirs)

    figrs = tools["figrs"].answers
    for tool in list(tools.values())[1:]:
        for part in tool.answers.keys() & {"marginals", "warm", "evidence", "mpe"}:
            away = distance(part, figrs[part], tool.answers[part])
            if not away <= TOLERANCE:
                yield f"{tool.name}, {part}: {away:.2g} away from figrs"


def measure(network, python, options):
    """All tools on one network, in turn."""
    folder = TARGET / "peers" / "networks"
    folder.mkdir(parents=True, exist_ok=True)
    evidence = options.evidence and options.evidence / f"{network.stem}.json"
    evidence = evidence if evidence and evidence.exists() else None
    tools = {name: Tool(name) for name in ("figrs", *PEERS)}
    loads, rounds, begin, spec = [], 0, time.monotonic(), None
    while not rounds or rounds < options.rounds and time.monotonic() - begin + round_took < options.budget:
        round_began = time.monotonic()
        for tool in tools.values():
            if tool.failure or (rounds and not tool.rounds):
                continue
            loads.append(os.getloadavg()[0])
            if tool.name != "figrs":
                run_peer(tool, network, folder, python, options)
            elif not (spec := run_figrs(tool, network, evidence, folder, options)):
                print(f"{network.stem}: figrs: {tool.failure}", file=sys.stderr)
                return None
        round_took = time.monotonic() - round_began
        rounds += 1
    complaints = list(disagreements(tools, spec))
    skipped = [f"{t.name}: {why}" for t in tools.values() for why in [t.failure, *t.lacks] if why]
    for text in skipped + complaints:
        print(f"{network.stem}: {text}", file=sys.stderr)
    return {"network": network.stem, "entries": spec["cost"], "clock": spec["clock"], "rounds": rounds,
            "observed": len(spec["observed"]), "load": [min(loads), max(loads)], "skipped": skipped,
            "disagreements": complaints, "tools": tools}


# The tables. A column is a title and a function of a result: to seconds, to a ratio, or to a text.


def seconds_of(names, part, which="median"):
    """The least figure of some tools."""
    def least(result):
        figures = [result["tools"][name].figure(part, which) for name in names]
        return min((figure for figure in figures if figure is not None), default=None)
    return least


def total(*figures):
    def add(result):
        parts = [figure(result) for figure in figures]
        return None if None in parts else sum(parts)
    return add


def ms(title, figure):
    def text(result):
        value = figure(result)
        return "-" if value is None else f"{value * 1e3:.0f}" if value >= 1 else f"{value * 1e3:.3g}"
    return title + " ms", text


def ratio(title, numerator, denominator):
    def divide(result):
        above, below = numerator(result), denominator(result)
        return above / below if above is not None and below else None
    return title, divide


def table(title, results, columns):
    """Prints a table, with geometric means of the ratios."""
    print(f"\n### {title}\n\n| network | {' | '.join(name for name, _ in columns)} |\n|---|{'---|' * len(columns)}")
    rows = [(result, [column(result) for _, column in columns]) for result in results]
    text = lambda cell: "-" if cell is None else cell if isinstance(cell, str) else f"{cell:.3g}"
    for result, cells in rows:
        print(f"| {result['network']} | {' | '.join(map(text, cells))} |")
    for name, least, limit in ((f"below {LARGE} entries", 0, LARGE), (f"{LARGE} entries and more", LARGE, math.inf)):
        group = [cells for result, cells in rows if least <= result["entries"] < limit]
        means = ([cells[i] for cells in group if isinstance(cells[i], float)] for i in range(len(columns)))
        means = [text(statistics.geometric_mean(ratios)) if ratios else "" for ratios in means]
        print(f"| *geometric mean, {name}* | {' | '.join(means)} |")


def report(results):
    figrs = lambda part, which="median": seconds_of(["figrs"], part, which)
    agrum = lambda part, which="median": seconds_of(PYAGRUM, part, which)
    of = lambda name, part: seconds_of([name], part)
    table("All posterior marginals, cold", results, [
        ("entries", lambda r: f"{r['entries']:.0f}"), ("observed", lambda r: str(r["observed"])),
        ("rounds", lambda r: str(r["rounds"])), ms("figrs", figrs("marginals")),
        ms("figrs minimum", figrs("marginals", "minimum")), ms("figrs first", figrs("marginals", "first")),
        *(ms(name, of(name, "marginals")) for name in PYAGRUM), ms("better minimum", agrum("marginals", "minimum")),
        ms("better first", agrum("marginals", "first")), ratio("ratio", agrum("marginals"), figrs("marginals")),
        ratio("ratio of first", agrum("marginals", "first"), figrs("marginals", "first"))])
    table("Probability of the evidence, cold", [r for r in results if r["observed"]], [
        ms("figrs", figrs("evidence")), ms("pyAgrum", agrum("evidence")),
        ratio("ratio", agrum("evidence"), figrs("evidence")),
        *(ms(f"{name}{more}", of(name, part)) for name in TREES
          for more, part in (("", "evidence"), (" search", "search"))),
        ratio("ratio to contraction", seconds_of(TREES, "evidence"), figrs("evidence")),
        ratio("cotengra with search", total(of("cotengra", "search"), of("cotengra", "evidence")), figrs("evidence"))])
    toulbar2, parsed = of("toulbar2", "mpe"), total(of("toulbar2", "parse"), of("toulbar2", "mpe"))
    table("Most probable explanation, cold", results, [
        ms("figrs", figrs("mpe")), ms("pyAgrum", agrum("mpe")), ratio("ratio", agrum("mpe"), figrs("mpe")),
        ms("toulbar2", toulbar2), ms("toulbar2 parse", of("toulbar2", "parse")),
        ratio("ratio to toulbar2", toulbar2, figrs("mpe")),
        ratio("both with parse", parsed, total(figrs("read"), figrs("mpe")))])
    table("Reading BIF", results, [
        ms("figrs", figrs("read")), ms("pyAgrum", agrum("read")), ratio("ratio", agrum("read"), figrs("read"))])
    table("New evidence to a compiled tree, all marginals", results, [
        ms("figrs first", figrs("first")), ms("figrs warm", figrs("warm")),
        ratio("first to warm", figrs("first"), figrs("warm")), ms("pyAgrum warm", agrum("warm")),
        ratio("ratio", agrum("warm"), figrs("warm"))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=Path, metavar="DIR", required=True, help="where the .bif files are")
    parser.add_argument("--evidence", type=Path, metavar="DIR",
                        help='evidence, as NETWORK.json: {"evidence": {"index of variable": index of state}}')
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these networks only")
    parser.add_argument("--rounds", type=int, default=5, help="at most as many rounds (default: 5)")
    parser.add_argument("--budget", type=float, default=60, metavar="S",
                        help="no further round where a network would take longer (default: 60)")
    parser.add_argument("--seconds", type=float, default=0.5, metavar="S",
                        help="each question is repeated as long within a round, once at least (default: 0.5)")
    parser.add_argument("--limit", type=float, default=120, metavar="S", help="of one tool in one round (default: 120)")
    parser.add_argument("--memory", type=float, default=8, metavar="GIB", help="for one tool (default: 8)")
    parser.add_argument("--figrs", type=Path, metavar="BINARY", help="a built network_times (default: builds it)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes all figures there")
    options = parser.parse_args()
    networks = sorted(p for p in options.networks.glob("*.bif") if not options.only or p.stem in options.only)
    if not options.figrs:
        command = ["cargo", "build", "--release", "--package", "figrs-benches", "--bin", "network_times"]
        subprocess.run(command, cwd=REPOSITORY, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(TARGET)})
        options.figrs = TARGET / "release" / "network_times"
    python, results = environment(), []
    for network in networks:
        result = measure(network.resolve(), python, options)
        if result:
            results.append(result)
            print(f"{network.stem}: {result['rounds']} rounds, load {result['load'][0]:.1f} to {result['load'][1]:.1f}",
                  file=sys.stderr)
        if options.json:
            plain = [r | {"tools": {n: t.rounds for n, t in r["tools"].items()}} for r in results]
            options.json.write_text(json.dumps(plain, indent=1) + "\n")
    if not results:
        return "no network was measured"
    report(results)
    loads = [load for r in results for load in r["load"]]
    clocks = {r["clock"] for r in results}
    print(f"\nMedians of CPU time (figrs: {', '.join(clocks)}); load average {min(loads):.1f} to {max(loads):.1f} on "
          f"{os.cpu_count()} cores.")
    if any(r["disagreements"] for r in results):
        return "answers disagree"


if __name__ == "__main__":
    sys.exit(main())
