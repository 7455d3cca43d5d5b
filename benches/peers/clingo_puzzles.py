#!/usr/bin/env python3
"""Boards a second of the figrs examples and of clingo, alternately, on one thread each.

Needs the examples (`cargo build --release --examples`) and clingo (`pip install clingo==5.8.*`) in the Python that runs this.
clingo grounds each program once and then answers again and again in the same process, each time with another seed and
with random signs and decisions. Its answers are no uniform draws: how many are different is told beside them. figrs draws exactly
and independently; what it compiles once is told apart, and so is the memory of its process. Figures are medians over rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")).resolve()

GRID = """
cell(1..n, 1..n).
near(R, C, R+1, C) :- cell(R, C), cell(R+1, C).
near(R, C, R, C+1) :- cell(R, C), cell(R, C+1).
beside(R, C, S, D) :- near(R, C, S, D).
beside(S, D, R, C) :- near(R, C, S, D).
"""

PROGRAMS = {
    "maze": """
1 { points(R, C, S, D) : beside(R, C, S, D) } 1 :- cell(R, C), (R, C) != (1, 1).
leads(1, 1).
leads(R, C) :- points(R, C, S, D), leads(S, D).
:- cell(R, C), not leads(R, C).
#show points/4.
""",
    "dungeon": """
{ wall(R, C) : cell(R, C) }.
1 { gem(R, C) : cell(R, C) } 1.
1 { altar(R, C) : cell(R, C) } 1.
:- gem(R, C), altar(R, C).
:- gem(R, C), wall(R, C).
:- altar(R, C), wall(R, C).
:- wall(1, 1).
:- wall(n, n).
reached(1, 1).
reached(S, D) :- reached(R, C), beside(R, C, S, D), not wall(S, D).
:- gem(R, C), not reached(R, C).
:- altar(R, C), not reached(R, C).
:- not reached(n, n).
#show wall/2. #show gem/2. #show altar/2.
""",
    "island": """
{ land(R, C) : cell(R, C), R > 1, C > 1, R < n, C < n }.
centre((n + 1) / 2, (n + 1) / 2).
:- centre(R, C), not land(R, C).
reached(R, C) :- centre(R, C).
reached(S, D) :- reached(R, C), beside(R, C, S, D), land(S, D).
:- land(R, C), not reached(R, C).
#show land/2.
""",
    "yin_yang": """
colour(black; white).
1 { is(R, C, K) : colour(K) } 1 :- cell(R, C).
:- colour(K), not is(_, _, K).
:- colour(K), is(R, C, K), is(R+1, C, K), is(R, C+1, K), is(R+1, C+1, K).
place(R, C, (R - 1) * n + C) :- cell(R, C).
seen(I + 1, K) :- is(R, C, K), place(R, C, I).
seen(I + 1, K) :- seen(I, K), I < n * n.
reached(R, C, K) :- is(R, C, K), place(R, C, I), not seen(I, K).
reached(S, D, K) :- reached(R, C, K), beside(R, C, S, D), is(S, D, K).
:- is(R, C, K), not reached(R, C, K).
#show is(R, C) : is(R, C, black).
""",
    "chromatic_maze": """
1 { hue(R, C, 0..5) } 1 :- cell(R, C).
1 { start(R, C) : cell(R, C) } 1.
1 { finish(R, C) : cell(R, C) } 1.
:- start(R, C), finish(R, C).
alike(H, H) :- H = 0..5.
alike(H, (H + 1) \\ 6) :- H = 0..5.
alike((H + 1) \\ 6, H) :- H = 0..5.
reached(R, C) :- start(R, C).
reached(S, D) :- reached(R, C), beside(R, C, S, D), hue(R, C, H), hue(S, D, G), alike(H, G).
:- finish(R, C), not reached(R, C).
#show hue/3. #show start/2. #show finish/2.
""",
}

SIDES = {"maze": [5, 8, 10], "dungeon": [5, 8, 10], "island": [8, 10], "yin_yang": [6, 7, 8, 9], "chromatic_maze": [3, 4, 5]}


def answer(puzzle, side, seconds):
    """Answers of clingo for some seconds, at least three, in this process."""
    import clingo

    control = clingo.Control(["--models=1", "--rand-freq=1", "--sign-def=rnd", f"-c n={side}"])
    started = time.perf_counter()
    control.add("base", [], GRID + PROGRAMS[puzzle])
    control.ground([("base", [])])
    ground = time.perf_counter() - started
    seen, answers, started = set(), 0, time.perf_counter()
    while answers < 3 or time.perf_counter() - started < seconds:
        control.configuration.solver.seed = answers + 1
        with control.solve(yield_=True) as handle:
            model = handle.model()
            seen.add(tuple(sorted(map(str, model.symbols(shown=True)))))
        answers += 1
    return {"compile": ground, "rate": answers / (time.perf_counter() - started), "answers": answers, "distinct": len(seen)}


def measured(command):
    """What a command prints as JSON, and the largest memory of its process in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=os.environ | {"RAYON_NUM_THREADS": "1"})
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return json.loads(printed), usage.ru_maxrss / 1024


def draw(puzzle, side, count, seed, method):
    """Boards of the figrs example."""
    example = TARGET / "release" / "examples" / puzzle
    found, memory = measured([example, "--size", str(side), "--count", str(count), "--seed", str(seed),
                              "--method", method, "--format", "json"])
    boards = found["puzzles"]
    distinct = len({json.dumps(board) for board in boards})
    return {"compile": found["seconds"]["compile"], "rate": count / found["seconds"]["sample"], "answers": count,
            "distinct": distinct, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzles", nargs="+", default=list(SIDES), choices=list(SIDES))
    parser.add_argument("--sides", nargs="+", type=int, help="instead of those of each puzzle")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long clingo answers in a round")
    parser.add_argument("--count", type=int, default=2000, help="how many boards figrs draws in a round")
    parser.add_argument("--method", default="auto", help="of the figrs examples")
    parser.add_argument("--answer", nargs=2, metavar=("PUZZLE", "SIDE"), help="answers of clingo in this process, as JSON")
    options = parser.parse_args()
    if options.answer:
        print(json.dumps(answer(options.answer[0], int(options.answer[1]), options.seconds)))
        return
    load = os.getloadavg()[0]
    print(f"load average {load:.1f}, {options.rounds} rounds\n")
    print("| puzzle | side | figrs boards/s | compile s | MiB | different | clingo boards/s | ground s | different | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for puzzle in options.puzzles:
        for side in options.sides or SIDES[puzzle]:
            ours, theirs = [], []
            for number in range(options.rounds):
                ours.append(draw(puzzle, side, options.count, number, options.method))
                command = [sys.executable, __file__, "--answer", puzzle, str(side), "--seconds", str(options.seconds)]
                theirs.append(measured(command)[0])
            median = lambda rounds, what: statistics.median(one[what] for one in rounds)
            share = lambda rounds: f"{rounds[0]['distinct']} of {rounds[0]['answers']}"
            fast, slow = median(ours, "rate"), median(theirs, "rate")
            print(f"| {puzzle} | {side} | {fast:.0f} | {median(ours, 'compile'):.3f} | {median(ours, 'memory'):.0f} | "
                  f"{share(ours)} | {slow:.3g} | {median(theirs, 'compile'):.3f} | {share(theirs)} | {fast / slow:.0f} |", flush=True)


if __name__ == "__main__":
    main()
