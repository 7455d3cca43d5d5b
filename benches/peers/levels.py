#!/usr/bin/env python3
"""Measures levels of figrs and of WaveFunctionCollapse beside the training levels of three corpora.

Builds the level command with cargo and installs the npm package wavefunctioncollapse under the target directory. Each tool learns from the same
levels and draws as many levels of one size; `mario_mdmc --stats --also` measures all of them alike. Times are CPU time of whole processes, on one thread,
learning included. What is measured: see README.md.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()
WFC = "wavefunctioncollapse@2.1.0"
# Direction of play, rows and columns of the levels to draw.
CORPORA = {"smb": ("right", 14, 60), "kid_icarus": ("up", 60, 16), "lode_runner": ("right", 22, 32)}
METHODS = ("look-ahead", "n-grams", "conditioned")
PLAYABLE = "conditioned, playable"
ROWS = ("playable", "unseen", "KL 2x2", "KL 3x3", "KL 3x3 back", "novelty", "copied run", "nearest", "nearest most", "linearity", "leniency", "density")
BARS = "▁▂▃▄▅▆▇█"


def run(command, **more):
    """Runs a command: what it printed, and the seconds of CPU that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def level_command(options):
    """The level command, built if none is given."""
    if options.binary:
        return options.binary
    subprocess.run(["cargo", "build", "--release", "--example", "mario_mdmc"], cwd=REPOSITORY, check=True)
    return TARGET / "release" / "examples" / "mario_mdmc"


def packages():
    """The folder of the npm packages, installed if they are not there."""
    place = TARGET / "peers" / "levels"
    if not (place / "node_modules" / WFC.split("@")[0]).exists():
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", place, WFC], check=True)
    return place / "node_modules"


def emptied(name, tool):
    """An empty folder for the levels of a tool."""
    out = TARGET / "peers" / "levels" / name / tool
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return out


def by_wfc(corpus, name, pattern, options, modules):
    """A folder of levels by WaveFunctionCollapse, what it told, and its CPU time."""
    direction, rows, columns = CORPORA[name]
    out = emptied(name, f"wfc {pattern}x{pattern}")
    levels = [path.read_text().split() for path in sorted(corpus.glob("*.txt")) if path.stem.lower() != "readme"]
    asked = {"levels": levels, "direction": direction, "size": [rows, columns], "pattern": pattern, "count": options.levels,
             "attempts": options.attempts, "seconds": options.seconds, "seed": options.seed, "out": str(out)}
    command = ["node", f"--max-old-space-size={options.memory}", HERE / "levels_wfc.js"]
    told, seconds = run(command, input=json.dumps(asked), env=os.environ | {"NODE_PATH": str(modules)})
    return out, json.loads(told), seconds


def table(report, times, told):
    """The measures as a table of Markdown."""
    columns = report["methods"]
    names = ["training levels" if column["method"] == "corpus" else column["method"] for column in columns]
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines.append("| levels | " + " | ".join(str(column["levels"]) for column in columns) + " |")
    for row in ROWS:
        means = [column["measures"][row]["mean"] for column in columns]
        cells = ["-" if mean is None else f"{mean:.3g}" for mean in means]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    diversity = ["-" if column["diversity"] is None else f"{column['diversity']:.3g}" for column in columns]
    lines.append("| diversity | " + " | ".join(diversity) + " |")
    profiles = [column["profile"]["difficulty"] for column in columns]
    highest = max((value for profile in profiles for value in profile if value is not None), default=0)
    if highest > 0:
        bars = ["".join(" " if value is None else BARS[round(value / highest * 7)] for value in profile) for profile in profiles]
        lines.append("| difficulty | " + " | ".join(bars) + " |")
    cells = [f"{times[name]:.3g}" if name in times else "-" for name in names]
    lines.append("| CPU ms a level, learning included | " + " | ".join(cells) + " |")
    return "\n".join(lines + [""] + [f"{name}: {words}" for name, words in told.items()])


def measured(binary, corpus, name, options, modules):
    direction, rows, columns = CORPORA[name]
    size = ["--height", rows] if direction == "up" else ["--width", columns]
    common = [binary, "--corpus", corpus, "--travel", direction, *size, "--seed", options.seed, "--threads", 1]
    times, told, folders = {}, {}, []
    for method in METHODS:
        _, seconds = run([*common, "--method", method, "--levels", options.levels, "--out", TARGET / "peers" / "levels" / "drawn.txt"])
        times[method] = seconds * 1e3 / options.levels
    drawn, seconds = run([*common, "--method", "conditioned", "--playable", "--levels", options.levels])
    times[PLAYABLE] = seconds * 1e3 / options.levels
    out = emptied(name, PLAYABLE)
    for index, level in enumerate(drawn.split("\n\n")):
        (out / f"{index}.txt").write_text(level)
    folders += ["--also", out]
    for pattern in (2, 3):
        out, words, seconds = by_wfc(corpus, name, pattern, options, modules)
        told[out.name] = f"{words['drawn']} levels in {words['attempts']} attempts, {words['patterns']} patterns"
        if words["drawn"]:
            times[out.name] = seconds * 1e3 / words["drawn"]
            folders += ["--also", out]
    report, _ = run([*common, "--method", ",".join(METHODS), "--stats", options.levels, *folders, "--format", "json"])
    return table(json.loads(report), times, told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("corpora", type=Path, help="folder with the corpora smb, kid_icarus and lode_runner of the Video Game Level Corpus")
    parser.add_argument("--levels", type=int, default=50, help="levels of each tool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--attempts", type=int, default=50, help="attempts a level of WaveFunctionCollapse, on average")
    parser.add_argument("--seconds", type=float, default=120, help="CPU seconds after which WaveFunctionCollapse begins no further level")
    parser.add_argument("--memory", type=int, default=3000, help="MiB of memory of WaveFunctionCollapse")
    parser.add_argument("--binary", type=Path, help="the level command, in place of building it")
    parser.add_argument("--only", choices=list(CORPORA), action="append", help="this corpus only")
    options = parser.parse_args()
    binary, modules = level_command(options), packages()
    for name in options.only or CORPORA:
        print(f"## {name}\n\n{measured(binary, options.corpora / name, name, options, modules)}\n", flush=True)


if __name__ == "__main__":
    main()
