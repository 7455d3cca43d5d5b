#!/usr/bin/env python3
"""Measures a program in parts: what a part costs, and the engines that are on this machine.

    python3 measure.py --parts 16 --runs 5 -- ./program --threads 1

One process, two processes by hand, GNU parallel, Dask (on this machine) and a SLURM array (if there is a cluster) do the same run, each
--runs times in turn; then once more while a process that does a part is killed, after which the same command is given again. Medians are
printed, with the options for plan.py. An engine that is not there is left out, with the reason. The program must print the same at
each run, with all digits. Processor times are those of the program's processes, without the engine's own.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve()
# So many parts that most have no units: their cost is that of a process, its model and its pilot.
EMPTY = 10**12


def record(directory, command):
    """Runs the program, and records its processor time and the parts that it begins."""
    begun = []
    if "--part" in command:
        parts = pathlib.Path(command[command.index("--out") + 1])
        number = int(command[command.index("--part") + 1])
        if number not in done(parts):
            begun.append(number)
    serves = "--serve" in command
    child = subprocess.Popen(command, stdin=subprocess.PIPE if serves else None)
    running = directory / f"running-{child.pid}"
    if begun or serves:
        running.write_text(str(child.pid))
    if serves:
        # The engine must see the end of the program.
        os.close(1)

        def relay():
            for line in sys.stdin.buffer:
                begun.append(int(line.split()[1]))
                child.stdin.write(line)
                child.stdin.flush()
            child.stdin.close()

        threading.Thread(target=relay, daemon=True).start()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    told = json.dumps({"seconds": seconds, "begun": begun, "merges": "--merge" in command})
    (directory / f"ended-{child.pid}-{time.monotonic_ns()}").write_text(told)
    running.unlink(missing_ok=True)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def done(parts):
    """The numbers of the parts in a directory."""
    return {int(part.stem.rsplit("-", 1)[1]) for part in parts.glob("run-0-part-*.figrs")}


def engines(options, program, parts):
    """The commands of each engine that is here; the last one prints the answer."""
    count, out = options.parts, ["--parts", str(options.parts), "--out", str(parts)]
    merge = [*program, *out, "--merge"]
    half = count // 2
    loop = 'first=$1 last=$2; shift 2; for part in $(seq "$first" "$last"); do "$@" --part "$part"; done'
    by_hand = [
        ["sh", "-c", loop, "sh", str(first), str(last), *program, *out]
        for first, last in [(0, half - 1), (half, count - 1)]
    ]
    found = {"one process": [[program]], "2 processes by hand": [by_hand, [merge]]}
    if shutil.which("parallel"):
        found["GNU parallel"] = [[["parallel", *program, *out, "--part", "{}", ":::", *map(str, range(count))]], [merge]]
    else:
        print("left out: GNU parallel is not installed", file=sys.stderr)
    if subprocess.run([options.dask, "-c", "import dask.distributed"], capture_output=True).returncode == 0:
        driver = [options.dask, str(HERE.with_name("figrs_dask.py"))]
        found["Dask"] = [[[*driver, *out, "--", *program]]]
    else:
        print(f"left out: {options.dask} has no dask.distributed (--dask names another)", file=sys.stderr)
    if shutil.which("sbatch") and subprocess.run(["sinfo"], capture_output=True).returncode == 0:
        script = str(HERE.with_name("array.sbatch"))
        array = ["sbatch", "--wait", f"--array=0-{count - 1}", "--requeue", "--output", "/dev/null", script]
        found["SLURM array"] = [[[*array, *program, "--out", str(parts)]], [merge]]
    else:
        print("left out: there is no SLURM cluster", file=sys.stderr)
    return found


def run(steps, killing=None):
    """The output of the last step, of steps whose commands run side by side; a process that does a part may be killed."""
    for step in steps:
        started = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for command in step
        ]
        if killing:
            kill_one(*killing)
            killing = None
        outputs = [process.communicate()[0] for process in started]
    return outputs[-1]


def kill_one(records, parts):
    """Kills a process that does a part, once a part is done."""
    for _ in range(3000):
        running = sorted(records.glob("running-*"))
        if running and done(parts):
            time.sleep(0.05)
            try:
                os.kill(int(running[0].read_text()), signal.SIGKILL)
                return
            except (OSError, ValueError):
                pass
        time.sleep(0.01)
    print("no process was there to be killed: make the run longer", file=sys.stderr)


def measured(options, name, is_killed):
    """The output, the time and the processor times of a run by an engine."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        records, parts = pathlib.Path(scratch, "records"), pathlib.Path(scratch, "parts")
        records.mkdir()
        program = [sys.executable, str(HERE), "--record", str(records), "--", *options.command]
        steps = engines(options, program, parts)[name] if name else [[[*program, "--parts", str(EMPTY), "--part", "0", "--out", str(parts)]]]
        begin = time.monotonic()
        killing = (records, parts) if is_killed else None
        output = run(steps, killing)
        if is_killed:
            output = run(steps)
        elapsed = time.monotonic() - begin
        # Servers end after their engine.
        while any(records.glob("running-*")):
            time.sleep(0.01)
        ended = [json.loads(record.read_text()) for record in records.glob("ended-*")]
        return {
            "output": output,
            "elapsed": elapsed,
            "seconds": sum(each["seconds"] for each in ended),
            "merging": sum(each["seconds"] for each in ended if each["merges"]),
            "begun": sum(len(each["begun"]) for each in ended),
            "bytes": sum(part.stat().st_size for part in parts.glob("*.figrs")),
        }


def median(runs, what):
    return statistics.median(run[what] for run in runs)


def report(options, names):
    """Prints the table of the engines, and the options for plan.py."""
    runs = {name: [] for name in names}
    loads = [os.getloadavg()[0]]
    for _ in range(options.runs):
        for name in names:
            run = measured(options, name, False)
            runs[name].append(run)
            loads.append(os.getloadavg()[0])
            print(f"{name}: {run['elapsed']:.2f} s, processor {run['seconds']:.2f} s, load {loads[-1]:.1f}", file=sys.stderr)
    empty = [measured(options, None, False) for _ in range(20)]
    killed = {name: measured(options, name, True) for name in names[1:]}
    whole = runs[names[0]]
    answer, one, alone = whole[0]["output"], median(whole, "seconds"), median(whole, "elapsed")
    print("| engine | same bits | time | faster | processor time | more | parts begun again after a kill |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        seconds, elapsed = median(runs[name], "seconds"), median(runs[name], "elapsed")
        same = all(run["output"] == answer for run in runs[name])
        again = "all"
        if name in killed:
            same = same and killed[name]["output"] == answer
            again = killed[name]["begun"] - options.parts
        more = seconds / one - 1
        print(
            f"| {name} | {'yes' if same else 'NO'} | {elapsed:.2f} s | {alone / elapsed:.2f} | {seconds:.2f} s "
            f"| {more:+.1%} | {again} |"
        )
    hand = runs["2 processes by hand"]
    merging, empty_part = median(hand, "merging"), median(empty, "seconds")
    doing = statistics.median(run["seconds"] - run["merging"] for run in hand) - options.parts * empty_part
    print(f"\nan empty part: {empty_part:.4f} s, {empty[0]['bytes']} bytes; all {options.parts} parts: {hand[0]['bytes']} bytes")
    print(f"load average: {min(loads):.1f} to {max(loads):.1f}")
    print(
        f"plan.py --work {one:.3f} --part-cost {empty_part:.4f} --part-share {max(doing / one - 1, 0):.4f} "
        f"--merge-share {merging / one:.5f} --bytes {hand[0]['bytes'] / one:.0f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=16, help="number of parts [default: 16]")
    parser.add_argument("--runs", type=int, default=5, help="runs of each engine [default: 5]")
    parser.add_argument("--dask", default=sys.executable, help="the Python that has dask.distributed [default: this one]")
    parser.add_argument("--scratch", default=".", help="directory that all machines see, for the parts [default: this one]")
    parser.add_argument("--record", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="+", help="the program, after --")
    options = parser.parse_args()
    if options.record:
        record(options.record, options.command)
    options.scratch = os.path.abspath(options.scratch)
    if options.parts < 2 or options.runs < 1:
        parser.error("--parts is at least 2, and --runs at least 1")
    report(options, list(engines(options, options.command, pathlib.Path("."))))


if __name__ == "__main__":
    main()
