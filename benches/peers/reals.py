#!/usr/bin/env python3
"""Times figrs, statsmodels, GTSAM, trueskill and TrueSkillThroughTime on models of normal numbers, in turn, and compares their numbers.

Builds figrs; the packages of requirements-reals.txt must be installed, or lie in the folder --packages. What is measured: see README.md.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
PROCESS, NOISE, START = 0.05, 1.0, 4.0
# The change of a skill in a day, and the numbers of players and days of the ratings through time.
DRIFT, SEASON_PLAYERS, DAYS = 0.3, 100, 20


def data(options, folder):
    """Readings of a body, of a field, matches, and matches on several days."""
    random.seed(options.seed)
    place, velocity, readings = 0.0, 1.0, []
    for _ in range(options.steps):
        readings.append(place + random.gauss(0, 1))
        place += velocity
        velocity += random.gauss(0, math.sqrt(PROCESS))
    rows = [[random.gauss(math.sin(x / 9) + y / 30, 1) for x in range(options.side)] for y in range(options.side)]
    (folder / "readings.csv").write_text("".join(f"{x!r}\n" for x in readings))
    (folder / "field.csv").write_text("".join(",".join(map(repr, row)) + "\n" for row in rows))
    skills = [random.gauss(25, 6) for _ in range(options.players)]
    matches = []
    for _ in range(options.matches):
        a, b = random.sample(range(options.players), 2)
        lead = random.gauss(skills[a], 4.2) - random.gauss(skills[b], 4.2)
        a, b = (a, b) if lead > 0 else (b, a)
        matches.append((a, b, abs(lead) < 0.74))
    lines = [f"p{a},p{b},{'true' if draw else ''}\n" for a, b, draw in matches]
    (folder / "matches.csv").write_text("winner,loser,draw\n" + "".join(lines))
    seasons = []
    for match in range(options.season):
        a, b = random.sample(range(min(SEASON_PLAYERS, options.players)), 2)
        a, b = (a, b) if random.gauss(skills[a], 4.2) > random.gauss(skills[b], 4.2) else (b, a)
        seasons.append((a, b, match * DAYS // options.season))
    (folder / "season.csv").write_text("winner,loser,day\n" + "".join(f"p{a},p{b},{day}\n" for a, b, day in seasons))
    return readings, rows, matches, seasons


def statsmodels_smoother(readings):
    """Means and variances of the smoothed positions, their sums, and the log-evidence."""
    import numpy as np
    from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

    model = KalmanSmoother(k_endog=1, k_states=2)
    model.bind(np.array(readings).reshape(-1, 1))
    model["design"] = np.array([[1.0, 0.0]])
    model["obs_cov"] = np.array([[NOISE]])
    model["transition"] = np.array([[1.0, 1.0], [0.0, 1.0]])
    model["selection"] = np.eye(2)
    model["state_cov"] = PROCESS * np.array([[1 / 3, 1 / 2], [1 / 2, 1]])
    model.initialize_known(np.zeros(2), START * np.eye(2))
    before = time.process_time()
    found = model.smooth()
    seconds = time.process_time() - before
    return seconds, [found.smoothed_state[0].sum(), found.smoothed_state_cov[0, 0].sum(), found.llf]


def gtsam_marginals(graph, keys):
    """Sums of the means and of the first variances of some keys."""
    import gtsam

    tree = graph.eliminateMultifrontal(gtsam.Ordering.ColamdGaussianFactorGraph(graph))
    means = tree.optimize()
    total = variances = 0.0
    for key in keys:
        total += means.at(key)[0]
        information = tree.marginalFactor(key).information()
        if information.shape[0] == 1:
            variances += 1 / information[0, 0]
        else:
            (a, b), (_, d) = information
            variances += d / (a * d - b * b)
    return [total, variances]


def gtsam_smoother(readings):
    import gtsam
    import numpy as np

    before = time.process_time()
    graph = gtsam.GaussianFactorGraph()
    eye = np.eye(2)
    moved = np.array([[1.0, 1.0], [0.0, 1.0]])
    start = gtsam.noiseModel.Isotropic.Sigma(2, math.sqrt(START))
    # A factor takes independent noise only: its rows are divided by the Cholesky factor of the covariance.
    whiten = np.linalg.inv(np.linalg.cholesky(PROCESS * np.array([[1 / 3, 1 / 2], [1 / 2, 1]])))
    own, before_own, unit = whiten @ eye, -whiten @ moved, gtsam.noiseModel.Unit.Create(2)
    noise = gtsam.noiseModel.Isotropic.Sigma(1, math.sqrt(NOISE))
    graph.add(0, eye, np.zeros(2), start)
    for t, reading in enumerate(readings):
        if t > 0:
            graph.add(t, own, t - 1, before_own, np.zeros(2), unit)
        graph.add(t, np.array([[1.0, 0.0]]), np.array([reading]), noise)
    found = gtsam_marginals(graph, range(len(readings)))
    return time.process_time() - before, found


def gtsam_field(rows):
    import gtsam
    import numpy as np

    before = time.process_time()
    graph = gtsam.GaussianFactorGraph()
    one, side = np.eye(1), len(rows[0])
    sigma = {variance: gtsam.noiseModel.Isotropic.Sigma(1, math.sqrt(variance)) for variance in (0.5, 1.0, 100.0, NOISE)}
    for y, row in enumerate(rows):
        for x, reading in enumerate(row):
            key = y * side + x
            if x and y:
                graph.add(key, one, key - 1, -0.5 * one, key - side, -0.5 * one, np.zeros(1), sigma[0.5])
            elif x or y:
                graph.add(key, one, key - 1 if x else key - side, -one, np.zeros(1), sigma[1.0])
            else:
                graph.add(key, one, np.zeros(1), sigma[100.0])
            graph.add(key, one, np.array([reading]), sigma[NOISE])
    found = gtsam_marginals(graph, range(side * len(rows)))
    return time.process_time() - before, found


def trueskill_ratings(matches, players):
    import trueskill

    environment = trueskill.TrueSkill(mu=25, sigma=25 / 3, beta=25 / 6, tau=25 / 300, draw_probability=0.1, backend="scipy")
    skills = [environment.create_rating() for _ in range(players)]
    before = time.process_time()
    for a, b, draw in matches:
        skills[a], skills[b] = trueskill.rate_1vs1(skills[a], skills[b], drawn=draw, env=environment)
    return time.process_time() - before, skills


def ratings_through_time(seasons):
    """The last skills of the players, after passes through all matches until the messages do not change by 1e-10."""
    import trueskillthroughtime as ttt

    # The package approximates this function with an error of 1e-7, which the comparison of the skills would show.
    ttt.erfc = math.erfc
    before = time.process_time()
    sides, days = [[[f"p{a}"], [f"p{b}"]] for a, b, _ in seasons], [day for *_, day in seasons]
    history = ttt.History(sides, times=days, mu=25, sigma=25 / 3, beta=25 / 6, gamma=DRIFT, p_draw=0.1)
    history.convergence(epsilon=1e-10, iterations=1_000, verbose=False)
    skills = {name: curve[-1][1] for name, curve in history.learning_curves().items()}
    return time.process_time() - before, skills


def figrs_ratings(binary, folder, file, *options):
    """The ratings, and the CPU seconds of the process less those of one match."""
    (folder / "one.csv").write_text("winner,loser,day\na,b,0\n")
    times = []
    for matches in ("one.csv", file):
        before = os.times()
        command = [binary, "--matches", folder / matches, "--format", "json", *options]
        output = subprocess.run(command, check=True, capture_output=True, text=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return times[1] - times[0], json.loads(output.stdout)["players"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50_000, help="steps of the body")
    parser.add_argument("--side", type=int, default=100, help="rows and columns of the field")
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--players", type=int, default=1_000)
    parser.add_argument("--season", type=int, default=1_000, help="matches on several days, rated through time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for which figrs repeats each question")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", help="folder with the Python packages, if they are not installed")
    options = parser.parse_args()
    if options.packages:
        sys.path.insert(0, options.packages)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TBB_NUM_THREADS"):
        os.environ[variable] = "1"
    build = ["cargo", "build", "--release", "-q", "-p"]
    subprocess.run([*build, "figrs-benches", "--bin", "reals_times"], cwd=REPOSITORY, check=True)
    subprocess.run([*build, "figrs-ratings", "--example", "ratings"], cwd=REPOSITORY, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "release"
    times, wrong = {}, []

    def compare(name, ours, theirs):
        if abs(ours - theirs) > 1e-6 * max(1.0, abs(ours)):
            wrong.append(f"{name}: figrs {ours!r}, peer {theirs!r}")

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        readings, rows, matches, seasons = data(options, folder)
        for _ in range(options.rounds):
            command = [target / "reals_times", folder / "readings.csv", folder / "field.csv", str(options.seconds)]
            figrs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            add = lambda name, seconds: times.setdefault(name, []).append(seconds)
            for task in ("smoothing", "smoothing_by_law", "filtering", "following", "field"):
                add(f"{task}, figrs", statistics.median(figrs[task]["times"]))
            seconds, found = statsmodels_smoother(readings)
            add("smoothing, statsmodels", seconds)
            for name, theirs in zip(("means", "variances", "log_evidence"), found):
                compare(f"smoothing {name}, statsmodels", figrs["smoothing"][name], theirs)
                compare(f"smoothing {name} by a law", figrs["smoothing_by_law"][name], theirs)
            compare("filtering, statsmodels", figrs["filtering"]["log_evidence"], found[2])
            for task, run, given in (("smoothing", gtsam_smoother, readings), ("field", gtsam_field, rows)):
                seconds, found = run(given)
                add(f"{task}, GTSAM", seconds)
                for name, theirs in zip(("means", "variances"), found):
                    compare(f"{task} {name}, GTSAM", figrs[task][name], theirs)
            ratings = target / "examples" / "ratings"
            seconds, players = figrs_ratings(ratings, folder, "matches.csv")
            add("ratings, figrs", seconds)
            seconds, skills = trueskill_ratings(matches, options.players)
            add("ratings, trueskill", seconds)
            for number, skill in enumerate(skills):
                if f"p{number}" in players:
                    compare(f"mean of p{number}", players[f"p{number}"]["mean"], skill.mu)
                    compare(f"sd of p{number}", players[f"p{number}"]["sd"], skill.sigma)
            seconds, players = figrs_ratings(ratings, folder, "season.csv", "--until-settled", "--drift", str(DRIFT))
            add("ratings through time, figrs", seconds)
            seconds, skills = ratings_through_time(seasons)
            add("ratings through time, TrueSkillThroughTime", seconds)
            for name, skill in skills.items():
                compare(f"mean of {name} through time", players[name]["mean"], skill.mu)
                compare(f"sd of {name} through time", players[name]["sd"], skill.sigma)
    print(f"| task | CPU seconds, median of {options.rounds} |\n|---|---|")
    for name, seconds in times.items():
        print(f"| {name} | {statistics.median(seconds):.4g} |")
    print(f"load average {os.getloadavg()[0]:.1f}")
    if wrong:
        sys.exit("\n".join(wrong[:20]))


if __name__ == "__main__":
    main()
