#!/usr/bin/env python3
"""Writes random networks of families that weighted constraint satisfaction is measured on, as .uai files that uai.py runs.

    python3 benches/peers/uai_families.py DIR --seed 1
    python3 benches/peers/uai.py DIR --task mpe --time 40 --peer toulbar2

Diagnosis (noisy-or findings as chains of small tables, as in Promedas), segmentation (superpixels with many labels), grids, restricted Boltzmann machines, image
alignment, and chains of groups of variables of which neighbours share two.
"""

import argparse
import itertools
import math
import random
from pathlib import Path


def write(path, cards, factors, evidence=()):
    lines = ["MARKOV", str(len(cards)), " ".join(map(str, cards)), str(len(factors))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope, _ in factors]
    for _, table in factors:
        lines += ["", str(len(table)), " ".join(f"{entry:.6g}" for entry in table)]
    path.write_text("\n".join(lines) + "\n")
    words = [len(evidence), *itertools.chain.from_iterable(evidence)]
    Path(f"{path}.evid").write_text(" ".join(map(str, words)) + "\n")


def agreement(j):
    """The table of two binary variables that agree with weight exp(j) and differ with exp(-j)."""
    return [math.exp(j), math.exp(-j), math.exp(-j), math.exp(j)]


def fields(rng, n, strength):
    drawn = (rng.uniform(-strength, strength) for _ in range(n))
    return [((i,), [math.exp(-h), math.exp(h)]) for i, h in enumerate(drawn)]


def diagnosis(rng, diseases, findings, causes):
    factors = []
    for d in range(diseases):
        p = rng.choice([1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 1e-5, 1e-6]) * rng.uniform(0.5, 1.5)
        factors.append(((d,), [1 - p, p]))
    weights = [rng.paretovariate(1.5) for _ in range(diseases)]
    evidence, n = [], diseases
    for _ in range(findings):
        number = max(2, min(diseases, int(rng.gammavariate(2, causes / 2))))
        chosen = list(dict.fromkeys(rng.choices(range(diseases), weights, k=number)))
        for i, d in enumerate(chosen):
            q = rng.choice([0.95, 0.9, 0.7, 0.5, 0.4, 0.3, 0.1, 0.05, 0.01, 0.0])
            if i == 0:
                leak = rng.choice([0.01, 0.001])
                factors.append(((d, n), [1 - leak, leak, q * (1 - leak), 1 - q * (1 - leak)]))
            else:
                factors.append(((n - 1, d, n), [1, 0, q, 1 - q, 0, 1, 0, 1]))
            n += 1
        evidence.append((n - 1, 1))
    return [2] * n, factors, evidence


def segmentation(rng, segments, labels, noise):
    points = [(rng.random(), rng.random()) for _ in range(segments)]
    centres = [((rng.random(), rng.random()), rng.randrange(labels)) for _ in range(max(3, labels // 2))]
    factors, edges = [], set()
    for i, p in enumerate(points):
        label = min(centres, key=lambda centre: math.dist(centre[0], p))[1]
        factors.append(((i,), [math.exp(rng.gauss(0, noise) + (x == label)) for x in range(labels)]))
        near = sorted(range(segments), key=lambda j: math.dist(points[j], p))[1:5]
        edges.update((min(i, j), max(i, j)) for j in near)
    for edge in sorted(edges):
        alike = rng.uniform(0.2, 1)
        factors.append((edge, [math.exp(rng.gauss(0, 0.05) + alike * (x == y)) for x in range(labels) for y in range(labels)]))
    return [labels] * segments, factors


def lattice(rows, columns):
    for i, j in itertools.product(range(rows), range(columns)):
        if i + 1 < rows:
            yield i * columns + j, (i + 1) * columns + j
        if j + 1 < columns:
            yield i * columns + j, i * columns + j + 1


def grid(rng, side, coupling, field):
    factors = fields(rng, side * side, field)
    factors += [(edge, agreement(rng.uniform(-coupling, coupling))) for edge in lattice(side, side)]
    return [2] * (side * side), factors


def boltzmann(rng, visible, hidden, coupling):
    factors = fields(rng, visible + hidden, coupling)
    pairs = itertools.product(range(visible), range(visible, visible + hidden))
    return [2] * (visible + hidden), factors + [(pair, agreement(rng.gauss(0, coupling))) for pair in pairs]


def alignment(rng, side, shifts, smoothness):
    moves = [(x, y) for x in range(-4, 5) for y in range(-4, 5)][:shifts]
    factors = [((i,), [math.exp(-rng.gammavariate(1, 1.5)) for _ in moves]) for i in range(side * side)]
    for edge in lattice(side, side):
        s = smoothness * rng.uniform(0.5, 1.5)
        table = [math.exp(-s * min(4, abs(a - c) + abs(b - d))) for a, b in moves for c, d in moves]
        factors.append((edge, table))
    return [shifts] * (side * side), factors


def groups(rng, number, size, coupling):
    factors, before, n = [], [], 0
    for _ in range(number):
        group = (rng.sample(before, 2) if before else []) + list(range(n, n + size))
        n += size
        pairs = (pair for pair in itertools.combinations(sorted(group), 2) if rng.random() < 0.6)
        factors += [(pair, agreement(rng.gauss(0, coupling))) for pair in pairs]
        before = group
    return [2] * n, factors + fields(rng, n, 0.5)


FAMILIES = {
    "diagnosis": (diagnosis, [(300, 14, 50), (600, 24, 60), (350, 16, 150), (600, 45, 50)]),
    "segmentation": (segmentation, [(230, 21, 0.6), (230, 21, 1.0), (250, 2, 0.7)]),
    "grid": (grid, [(15, 1.0, 0.1), (40, 0.5, 1.0), (80, 0.3, 1.0)]),
    "boltzmann": (boltzmann, [(20, 20, 0.3), (22, 22, 0.5)]),
    "alignment": (alignment, [(10, 50, 0.5)]),
    "groups": (groups, [(8, 18, 0.5), (8, 26, 0.5)]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder for the files; made if it does not exist")
    parser.add_argument("--seed", type=int, default=1, help="seed [default: 1]")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for family, (make, sizes) in FAMILIES.items():
        for i, size in enumerate(sizes, 1):
            rng = random.Random(f"{options.seed} {family} {i}")
            write(options.folder / f"{family}_{i}.uai", *make(rng, *size))


if __name__ == "__main__":
    main()
