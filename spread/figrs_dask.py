#!/usr/bin/env python3
"""Runs the parts of a figrs program on a Dask cluster.

    python3 figrs_dask.py --scheduler tcp://head:8786 --parts 64 --out run1 -- ./program

Each thread of a Dask worker starts `program --serve` once and asks it for parts. Parts that are in --out already are not
done again; a worker that dies loses the part that it was at, which another does. Needs `dask[distributed]`, and the program
under the same path on all machines.
"""
import argparse
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
    key = (threading.get_ident(), tuple(command), parts)
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
    pathlib.Path(beside.name).replace(directory / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scheduler", help="address of the Dask scheduler [default: a cluster on this machine]")
    parser.add_argument("--parts", type=int, required=True, help="number of parts")
    parser.add_argument("--run", type=int, default=0, help="place of the run among those of the program [default: 0]")
    parser.add_argument("--tries", type=int, default=3, help="tries for each part [default: 3]")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="directory of the parts")
    parser.add_argument("command", nargs="+", help="the program, after --")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    digits = len(str(options.parts - 1))
    name = lambda number: f"run-{options.run}-part-{number:0{digits}}.figrs"
    missing = [number for number in range(options.parts) if not (options.out / name(number)).exists()]
    merge = [*options.command, "--parts", str(options.parts), "--out", str(options.out), "--merge", "--wait"]
    merging = subprocess.Popen(merge)
    client = Client(options.scheduler) if options.scheduler else Client(threads_per_worker=1)
    try:
        futures = {
            client.submit(
                done, options.command, options.parts, options.run, number, pure=False, retries=options.tries - 1
            ): number
            for number in missing
        }
        for count, future in enumerate(as_completed(list(futures)), 1):
            failed, body = future.result()
            if failed:
                raise Failed(body.decode())
            write(options.out, name(futures[future]), body)
            print(f"\r{count} of {len(missing)} parts", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        sys.exit(merging.wait())
    except Exception as error:
        merging.kill()
        sys.exit(f"\nerror: {error}")
    finally:
        client.close()


if __name__ == "__main__":
    main()
