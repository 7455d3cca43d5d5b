#!/usr/bin/env python3
"""Runs the parts of a figrs program on a Dask cluster.

    python3 figrs_dask.py --scheduler tcp://head:8786 --parts 64 --out run1 -- ./program

Each thread of a Dask worker starts `program --serve` once and asks it for parts. Parts that are in --out already are not
done again; a worker that dies loses the part that it was at, which another does. Needs `dask[distributed]`, and the program
under the same path on all machines.
"""
import argparse
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading

from dask.distributed import Client, as_completed, get_worker


class Failed(Exception):
    """An error of the program itself: another try would end as this one."""


def done(command, parts, run, number):
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
    program.stdin.write(f"{run} {number}\n".encode())
    program.stdin.flush()
    head = program.stdout.read(9)
    if len(head) < 9:
        raise RuntimeError(f"part {number}: the program ended with code {program.wait()}")
    length, failed = struct.unpack("<QB", head)
    body = program.stdout.read(length)
    return failed, body


def write(directory, name, body):
    """Writes a file whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=directory, delete=False) as beside:
        beside.write(body)
    os.chmod(beside.name, 0o644)
    pathlib.Path(beside.name).replace(directory / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheduler", help="address of the Dask scheduler [default: a cluster on this machine]")
    parser.add_argument("--parts", type=int, required=True, help="number of parts")
    parser.add_argument("--runs", type=int, default=1, help="number of runs of the program [default: 1]")
    parser.add_argument("--tries", type=int, default=3, help="tries for each part [default: 3]")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="directory of the parts")
    parser.add_argument("command", nargs="+", help="the program, after --")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    digits = len(str(options.parts - 1))
    name = lambda run, number: f"run-{run}-part-{number:0{digits}}.figrs"
    all_parts = [(run, number) for run in range(options.runs) for number in range(options.parts)]
    missing = [part for part in all_parts if not (options.out / name(*part)).exists()]
    merge = [*options.command, "--parts", str(options.parts), "--out", str(options.out), "--merge", "--wait"]
    client = Client(options.scheduler) if options.scheduler else Client(threads_per_worker=1)
    merging = subprocess.Popen(merge)
    try:
        futures = {
            client.submit(done, options.command, options.parts, *part, pure=False, retries=options.tries - 1): part
            for part in missing
        }
        for count, future in enumerate(as_completed(list(futures)), 1):
            failed, body = future.result()
            if failed:
                raise Failed(body.decode())
            write(options.out, name(*futures[future]), body)
            print(f"\r{count} of {len(missing)} parts", end="", file=sys.stderr, flush=True)
            if merging.poll() not in (None, 0):
                raise Failed("the parts could not be merged")
        print(file=sys.stderr)
        sys.exit(merging.wait())
    except Exception as error:
        merging.kill()
        sys.exit(f"\nerror: {error}")
    finally:
        client.close()


if __name__ == "__main__":
    main()
