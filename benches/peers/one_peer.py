"""One peer on one network: times it, and prints a line of JSON for each question that it has answered.

`peers.py` calls it, with the name of the peer, a file that tells of the network, and how many seconds to repeat
each question.
"""

import itertools
import json
import math
import re
import sys
import time
from pathlib import Path

PYAGRUM = ("LazyPropagation", "ShaferShenoyInference")
TREES = ("opt_einsum", "cotengra")
PEERS = (*PYAGRUM, "toulbar2", *TREES)


def repeat(seconds, ask):
    """The CPU seconds of each of some repetitions, and the last answer; answers are freed when no clock runs."""
    begin, times = time.monotonic(), []
    while True:
        before = time.process_time()
        answer = ask()
        times.append(time.process_time() - before)
        if len(times) >= 200 or time.monotonic() - begin >= seconds:
            return times, answer


def emit(part, times, answer=None, failure=None):
    print(json.dumps({"part": part, "times": times, "answer": answer, "failure": failure}), flush=True)


def run_pyagrum(engine, spec, seconds):
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    path, plain = spec["network"], lambda name: name
    try:
        gum.loadBN(path)
    except gum.FatalError:  # It does not read all names of states: it gets a copy with others.
        odd = {name for variable in spec["variables"] for name in variable["states"] if re.search(r"\W", name)}
        plain = lambda name: "s" + re.sub(r"\W", "_", name) if name in odd else name
        text = re.sub(r"[^\s,;|(){}\[\]]+", lambda word: plain(word[0]), Path(path).read_text())
        path = str(Path(spec["uai"]).with_suffix(f".{engine}.bif"))
        Path(path).write_text(text)
    times, network = repeat(seconds, lambda: gum.loadBN(path))
    emit("read", times)
    ids = [network.idFromName(variable["name"]) for variable in spec["variables"]]
    for node, variable in zip(ids, spec["variables"]):
        if list(network.variable(node).labels()) != list(map(plain, variable["states"])):
            raise ValueError(f"{variable['name']} has other states")
        network.cpt(node).normalizeAsCPT()  # as figrs does in reading
    evidence = {ids[variable]: state for variable, state in spec["observed"].items()}

    def fresh():
        inference = getattr(gum, engine)(network)
        inference.setEvidence(evidence)
        return inference

    def marginals(inference):
        inference.makeInference()
        return inference, [inference.posterior(node) for node in ids]

    times, (_, answer) = repeat(seconds, lambda: marginals(fresh()))
    emit("marginals", times, [tensor.tolist() for tensor in answer])
    if evidence:

        def probability():
            inference = fresh()
            inference.setTargets(set())  # so that barren variables are pruned
            return inference, inference.evidenceProbability()

        times, (_, answer) = repeat(seconds, probability)
        emit("evidence", times, math.log(answer))

    warm = spec["warm"]
    if warm["changed"]:
        sets = [[(ids[v], state) for v, state in zip(warm["variables"], states)] for states in warm["sets"]]
        inference = getattr(gum, engine)(network)
        inference.setEvidence(dict(sets[0]))
        marginals(inference)
        following = itertools.cycle(sets[1:] + sets[:1])

        def ask(observations):
            for node, state in observations:
                inference.chgEvidence(node, state)
            return marginals(inference)[1]

        times, _ = repeat(seconds, lambda: ask(next(following)))
        emit("warm", times, [tensor.tolist() for tensor in ask(sets[1])])

    def best():
        inference = fresh()
        inference.addAllTargets()
        return inference, inference.mpe().todict()

    if engine == "LazyPropagation":  # The other engine has none.
        times, (_, answer) = repeat(seconds, best)
        found = [answer.get(network.variable(node).name(), evidence.get(node)) for node in ids]
        if None in found:
            emit("mpe", [], failure=f"most probable explanation of only {len(answer)} of {len(ids)} variables")
        else:
            emit("mpe", times, found)


def read_uai(path):
    """The numbers of states, and the tables as (variables, entries)."""
    words = iter(Path(path).read_text().split()[1:])
    count = lambda: int(next(words))
    states = [count() for _ in range(count())]
    scopes = [[count() for _ in range(count())] for _ in range(count())]
    return states, [(scope, [float(next(words)) for _ in range(count())]) for scope in scopes]


def reduced(spec):
    """The numbers of states and the tables as arrays, with the evidence put in: one state is left of what it names."""
    import numpy as np

    states, tables = read_uai(spec["uai"])
    observed, arrays = spec["observed"], []
    for scope, entries in tables:
        array = np.array(entries).reshape([states[v] for v in scope])
        for axis, variable in enumerate(scope):
            if variable in observed:
                array = array.take([observed[variable]], axis)
        arrays.append((scope, array))
    return [1 if v in observed else n for v, n in enumerate(states)], arrays


def run_toulbar2(_, spec, seconds):
    import pytoulbar2

    states, tables = reduced(spec)
    lines = ["MARKOV", str(len(states)), " ".join(map(str, states)), str(len(tables))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope, _ in tables]
    lines += [" ".join([str(array.size), *map(repr, array.ravel().tolist())]) for _, array in tables]
    path = Path(spec["uai"]).with_suffix(".evidence.uai")
    path.write_text("\n".join(lines) + "\n")

    def read():
        problem = pytoulbar2.CFN()
        problem.Read(str(path))
        return problem

    reading, solving, begin = [], [], time.monotonic()
    while not solving or time.monotonic() - begin < seconds:
        parse, problem = repeat(0, read)
        solve, answer = repeat(0, problem.Solve)
        reading, solving = reading + parse, solving + solve
    emit("parse", reading)
    emit("mpe", solving, [spec["observed"].get(v, state) for v, state in enumerate(answer[0])])


def run_contraction(tool, spec, seconds):
    if not spec["observed"]:
        return
    _, tables = reduced(spec)
    of_child = {scope[-1]: (scope, array) for scope, array in tables}
    needed, todo = set(), list(spec["observed"])
    while todo:  # All but the ancestors of the evidence sums to one.
        variable = todo.pop()
        if variable not in needed:
            needed.add(variable)
            todo += of_child[variable][0][:-1]
    observed = spec["observed"]
    inputs, arrays = [], []
    for scope, array in (of_child[variable] for variable in sorted(needed)):
        inputs.append(tuple(v for v in scope if v not in observed))
        arrays.append(array.reshape([n for v, n in zip(scope, array.shape) if v not in observed]))
    sizes = {v: n for scope, array in zip(inputs, arrays) for v, n in zip(scope, array.shape)}
    if tool == "cotengra":
        import cotengra

        def search():
            optimizer = cotengra.RandomGreedyOptimizer(max_repeats=128, seed=1, parallel=False)
            return cotengra.array_contract_tree(inputs, (), sizes, optimize=optimizer)

        contract = lambda tree: tree.contract(arrays)
    else:
        import opt_einsum

        letters = ",".join("".join(map(opt_einsum.get_symbol, scope)) for scope in inputs) + "->"
        shapes = [array.shape for array in arrays]

        def search():
            optimizer = opt_einsum.RandomGreedy(max_repeats=128)
            return opt_einsum.contract_expression(letters, *shapes, optimize=optimizer)

        contract = lambda expression: expression(*arrays)
    times, tree = repeat(0, search)
    emit("search", times)
    times, answer = repeat(seconds, lambda: contract(tree))
    emit("evidence", times, math.log(float(answer)))


def main(tool, file, seconds):
    spec = json.loads(Path(file).read_text())
    spec["observed"] = {int(variable): state for variable, state in spec["observed"].items()}
    run = run_pyagrum if tool in PYAGRUM else run_toulbar2 if tool == "toulbar2" else run_contraction
    run(tool, spec, float(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
