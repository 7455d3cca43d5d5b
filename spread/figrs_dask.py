#!/usr/bin/env python3
"""Runs the parts of a figrs program on a Dask cluster.

    python3 figrs_dask.py --scheduler tcp://head:8786 --parts 64 --out run1 -- ./program

Each thread of a Dask worker starts `program --serve` once and asks it for parts. Parts that are in --out already are not
done again; a worker that dies loses the part that it was at, which another does. With --fit the parts of each round are done once the
merging process has written its parameters. Needs `dask[distributed]`, and the program under the same path on all machines.
"""
import argparse
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

from dask.distributed import Client, as_completed, get_worker


class Failed(Exception):
    """An error of the program itself: another try would end as this one."""


def done(command, parts, run, number, request):
    """A part of a run, done by the program that this thread of the worker keeps."""
    programs = get_worker().__dict__.setdefault("figrs_programs", {})
    # A program that was built anew is another one; one that serves a later run does not go back.
    built = os.stat(command[0]).st_mtime_ns if os.path.exists(command[0]) else None
    key = (threading.get_ident(), tuple(command), parts, run, built)
    program = programs.get(key)
    if program is None or program.poll() is not None:
        arguments = [*command, "--parts", str(parts), "--serve"]
        pipe = subprocess.PIPE
        program = programs[key] = subprocess.Popen(arguments, stdin=pipe, stdout=pipe)
    program.stdin.write(f"{run} {number} {request}\n".encode())
    program.stdin.flush()
    head = program.stdout.read(9)
    if len(head) < 9:
        raise RuntimeError(f"part {number}: the program ended with code {program.wait()}")
    length, failed = struct.unpack("<QB", head)
    body = program.stdout.read(length)
    return failed, body


def batches(options, merging):
    """Runs whose parts may be done together, with the request of a fit's round and the beginning of the names of files."""
    if not options.fit:
        yield [(run, "", f"run-{run}") for run in range(options.runs)]
    number = 0
    while options.fit and merging.poll() is None:
        request = options.out / f"run-0-round-{number}.figrs"
        if request.exists():
            yield [(0, request.read_bytes().hex(), request.stem)]
            number += 1
        time.sleep(0.02)


def write(directory, name, body):
    """Writes a file whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=directory, delete=False) as beside:
        beside.write(body)
        beside.flush()
        os.fsync(beside.fileno())
    os.chmod(beside.name, 0o644)
    pathlib.Path(beside.name).replace(directory / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheduler", help="address of the Dask scheduler [default: a cluster on this machine]")
    parser.add_argument("--parts", type=int, required=True, help="number of parts")
    parser.add_argument("--runs", type=int, default=1, help="number of runs of the program [default: 1]")
    parser.add_argument("--fit", action="store_true", help="the program's first run is a fit, counted round by round")
    parser.add_argument("--tries", type=int, default=3, help="tries for each part [default: 3]")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="directory of the parts")
    parser.add_argument("command", nargs="+", help="the program, after --")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    digits = len(str(options.parts - 1))
    merge = [*options.command, "--parts", str(options.parts), "--out", str(options.out), "--merge", "--wait"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    client = Client(options.scheduler) if options.scheduler else Client(threads_per_worker=1)
    merging = subprocess.Popen(merge)
    try:
        for batch in batches(options, merging):
            parts = [(f"{name}-part-{number:0{digits}}.figrs", run, number, request)
                     for run, request, name in batch for number in range(options.parts)]
            missing = [part for part in parts if not (options.out / part[0]).exists()]
            futures = {
                client.submit(done, options.command, options.parts, *part, pure=False, retries=options.tries - 1): name
                for name, *part in missing
            }
            for count, future in enumerate(as_completed(list(futures)), 1):
                failed, body = future.result()
                if failed:
                    raise Failed(body.decode())
                write(options.out, futures.pop(future), body)
                print(f"\r{count} of {len(missing)} parts", end="", file=sys.stderr, flush=True)
                if merging.poll() not in (None, 0):
                    raise Failed("the parts could not be merged")
            print(file=sys.stderr)
        sys.exit(merging.wait())
    except Exception as error:
        sys.exit(f"\nerror: {error}")
    finally:
        merging.kill()
        client.close()


if __name__ == "__main__":
    main()
