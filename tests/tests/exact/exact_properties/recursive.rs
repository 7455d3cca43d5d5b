//! Tests that a function whose calls share their distribution has the same answers as a Rust function that calls itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use figrs_core::{Call, Constant, Element, Flip, Model, Param, Parents, Recursive, Select};
use figrs_infer::eliminate::Counting;
use figrs_infer::{
    Algorithm, Bounds, Compiled, Enumerate, Frontier, JunctionTree, LazyVariableElimination,
    MarginalMap, MpeBranchAndBound, MpeVariableElimination, Run, VariableElimination, World,
};
use figrs_tests::oracle::close;
use figrs_tests::random_model::for_random;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::exact_properties::shared::{Checked, EXACT, asked, failed};

fn leaves() -> Recursive<u32, u32> {
    Recursive::new(|call, &depth: &u32| -> Element<u32> {
        if depth == 0 {
            return Constant::new(1);
        }
        Flip::new(0.5).flat_map(move |&stop| {
            if stop {
                Constant::new(1)
            } else {
                call(depth - 1).plus(&call(depth - 1)).map(|n| (*n).min(20))
            }
        })
    })
}

/// Returns the distribution of [`leaves`], computed by convolution.
fn convolved(depth: u32) -> Vec<f64> {
    let mut row = vec![0.0; 21];
    row[1] = 1.0;
    for _ in 0..depth {
        let mut next = vec![0.0; 21];
        next[1] = 0.5;
        for (i, p) in row.iter().enumerate() {
            for (j, q) in row.iter().enumerate() {
                next[(i + j).min(20)] += 0.5 * p * q;
            }
        }
        row = next;
    }
    row
}

#[test]
fn deep_recursion_is_a_sum_for_each_argument() {
    let tree = leaves().call(300);
    let expected = convolved(300);
    let engines: [&dyn Algorithm; 3] = [
        &VariableElimination::new(),
        &JunctionTree::new(),
        &Frontier::new(),
    ];
    for engine in engines {
        let answer = engine.run(&Model::new(), &tree).unwrap();
        for (n, p) in (0u32..).zip(&expected) {
            let found = answer.probability(&tree, &n).unwrap();
            assert!(
                (found - p).abs() < 1e-12,
                "{} {n}: {found} {p}",
                engine.name()
            );
        }
    }
}

/// A random recursive function, whose body makes calls with smaller arguments.
#[derive(Clone, Debug)]
struct Program {
    chances: Vec<f64>,
    codes: Vec<u64>,
}

type Argument = (u32, u8);

impl Program {
    /// Returns the code at a position in the body of a call.
    fn code(&self, (depth, kind): Argument, place: u64) -> u64 {
        let codes = &self.codes;
        let at = place + 5 * u64::from(depth) + 3 * u64::from(kind);
        codes[at as usize % codes.len()].wrapping_add(at)
    }

    fn chance(&self, argument: Argument, place: u64) -> f64 {
        self.chances[self.code(argument, place) as usize % self.chances.len()]
    }

    /// Returns the body of the function for an argument, in one of several forms; `call` calls the function.
    fn body(&self, call: &Call<Argument, u32>, argument: Argument) -> Element<u32> {
        let (depth, _) = argument;
        if depth == 0 {
            let weights = [0, 1, 2].map(|value| (self.chance(argument, value), value as u32));
            return Select::new(weights);
        }
        let kind = |place| (self.code(argument, place) % 2) as u8;
        let below = |place| (depth - 1, kind(place));
        let coin = Flip::new(self.chance(argument, 3));
        let call = Arc::clone(call);
        match self.code(argument, 0) % 5 {
            // The body makes two independent calls, which may have the same argument.
            0 => {
                let both = (&call(below(1)), &call(below(2)));
                both.map(|(a, b)| (a + 2 * b) % 3)
            }
            // The body chooses between two calls.
            1 => {
                let (first, second) = (below(1), below(2));
                coin.flat_map(move |&heads| call(if heads { first } else { second }))
            }
            // The argument of one call depends on the value of another call.
            2 => {
                let one = call(below(1));
                one.flat_map(move |&value| call((depth - 1, u8::from(value == 1))))
            }
            // The body reads one call twice.
            3 => {
                let one = call(below(1));
                let two = (&one, &coin.map(|&heads| u32::from(heads)));
                let sum = two.map(|(a, b)| (a + b) % 3);
                (&one, &sum).map(|(a, b)| (a * b) % 3)
            }
            // The body chooses between a call and a constant.
            _ => {
                let first = below(1);
                coin.flat_map(move |&heads| {
                    if heads {
                        call(first).map(|value| (value + 1) % 3)
                    } else {
                        Constant::new(2)
                    }
                })
            }
        }
    }

    fn shared(self: &Arc<Self>) -> Recursive<Argument, u32> {
        let program = Arc::clone(self);
        Recursive::new(move |call, &argument| program.body(&call, argument))
    }

    /// Returns the same function as a Rust function that calls itself.
    fn unfolded(self: &Arc<Self>, argument: Argument) -> Element<u32> {
        let program = Arc::clone(self);
        let call: Call<Argument, u32> = Arc::new(move |argument| program.unfolded(argument));
        self.body(&call, argument)
    }

    /// Returns the same function as a Rust function that calls itself, with the same nesting of `Chain` elements.
    fn nested(self: &Arc<Self>, argument: Argument) -> Element<u32> {
        let program = Arc::clone(self);
        Constant::new(()).flat_map(move |()| {
            let nested = Arc::clone(&program);
            let call: Call<Argument, u32> = Arc::new(move |argument| nested.nested(argument));
            program.body(&call, argument)
        })
    }

    /// Returns two roots that read calls, with evidence about one of them, and a target that reads both.
    fn asked(&self, call: impl Fn(Argument) -> Element<u32>) -> (Model, Element<u32>) {
        let [a, b] = [call((2, 0)), call((2, 1))];
        let target = (&a, &b).map(|(a, b)| a + 3 * b);
        let seen = (&target, &call((1, 1))).map(|(t, c)| (t + c) % 3);
        let model = match self.codes[0] % 4 {
            0 => Model::new(),
            1 => Model::new().observe(&seen, 1),
            2 => Model::new().weigh(&seen, |&v| [0.2, 0.5, 1.0][v as usize]),
            _ => Model::new().observe(&a, 1).condition(&seen, |&v| v > 0),
        };
        (model, target)
    }
}

fn program() -> impl Strategy<Value = Program> {
    let chance = select(vec![0.5, 0.25, 0.9, 1e-9, 1e-200]);
    (vec(chance, 1..4), vec(0u64..1000, 1..12))
        .prop_map(|(chances, codes)| Program { chances, codes })
}

fn agree(program: &Program) -> Checked {
    let program = Arc::new(program.clone());
    let (plain, expected) = program.asked(|argument| program.unfolded(argument));
    let enumerate = Enumerate::new().max_worlds(1000);
    let Some(answer) = asked(enumerate.run(&plain, &expected))? else {
        return Ok(());
    };
    let function = program.shared();
    let (model, target) = program.asked(|argument| function.call(argument));
    let engines: [&dyn Algorithm; 5] = [
        &VariableElimination::new(),
        &JunctionTree::new(),
        &Frontier::new(),
        &LazyVariableElimination::to_depth(20),
        &enumerate,
    ];
    for engine in engines {
        let found = asked(engine.run(&model, &target))?.ok_or_else(|| failed("too many worlds"))?;
        let (Ok(answer), Ok(found)) = (&answer, &found) else {
            prop_assert!(answer.is_err() && found.is_err(), "{}", engine.name());
            continue;
        };
        let logs = [answer, found].map(|a| a.log_evidence().unwrap().value);
        prop_assert!(close(logs[0], logs[1], EXACT), "{} {logs:?}", engine.name());
        for value in 0..9 {
            let p = answer.probability(&expected, &value).map_err(failed)?;
            let q = found.probability(&target, &value).map_err(failed)?;
            prop_assert!((p - q).abs() <= EXACT, "{} {value}: {p} {q}", engine.name());
        }
    }
    if answer.is_err() {
        return Ok(());
    }
    let best = enumerate
        .most_probable_world(&plain, &expected)
        .map_err(failed)?;
    let best = best.log_probability().map_err(failed)?;
    let engines: [&dyn Algorithm; 2] = [&MpeVariableElimination::new(), &MpeBranchAndBound::new()];
    for engine in engines {
        let found = engine.run(&model, &target).map_err(failed)?;
        let log = found.log_probability().map_err(failed)?;
        prop_assert!(close(best, log, 1e-9), "{} {best} {log}", engine.name());
    }
    let likely = MarginalMap::new().run(&model, &target).map_err(failed)?;
    let log = likely.log_probability().map_err(failed)?;
    let plainly = MarginalMap::new().run(&plain, &expected).map_err(failed)?;
    let same = plainly.log_probability().map_err(failed)?;
    prop_assert!(close(same, log, 1e-9), "MarginalMap {same} {log}");
    let counts = [(&plain, &expected), (&model, &target)].map(|(model, target)| {
        let count = VariableElimination::new().total::<Counting>(model, target);
        count.map(|count| count.values)
    });
    let [a, b] = counts;
    prop_assert_eq!(a.map_err(failed)?, b.map_err(failed)?);
    let mut trees = [(&plain, &expected), (&model, &target)]
        .map(|(model, target)| JunctionTree::new().compile(model, target));
    let mut worlds = Vec::new();
    for tree in &mut trees {
        let tree = tree.as_mut().map_err(failed)?;
        let logs = tree.k_best(5).map_err(failed)?;
        worlds.push((
            logs.iter().map(World::log_probability).collect::<Vec<_>>(),
            tree.count().map_err(failed)?,
        ));
    }
    prop_assert_eq!(&worlds[0].1, &worlds[1].1);
    let same = worlds[0]
        .0
        .iter()
        .zip(&worlds[1].0)
        .all(|(a, b)| close(*a, *b, 1e-9));
    prop_assert!(same && worlds[0].0.len() == worlds[1].0.len(), "{worlds:?}");
    Ok(())
}

#[test]
fn a_shared_function_is_the_unfolded_one() {
    for_random(200, 30, &program(), agree);
}

/// The bounds for shared calls are those for unfolded calls, at any depth.
fn have_the_same_bounds(program: &Program) -> Checked {
    let program = Arc::new(program.clone());
    let (plain, unfolded) = program.asked(|argument| program.nested(argument));
    let function = program.shared();
    let (model, target) = program.asked(|argument| function.call(argument));
    for depth in 0..9 {
        let lazy = LazyVariableElimination::to_depth(depth);
        let found = [lazy.run(&plain, &unfolded), lazy.run(&model, &target)];
        let [Ok(expected), Ok(shared)] = &found else {
            // Weights without a maximum have bounds only if nothing is unknown.
            prop_assert!(found.iter().all(Result::is_err), "{depth}");
            continue;
        };
        let is_same = |a: Bounds, b: Bounds| {
            let is_near = |a: f64, b: f64| a == b || (a - b).abs() <= EXACT * a.abs().max(1.0);
            is_near(a.lower, b.lower) && is_near(a.upper, b.upper)
        };
        let logs = [expected, shared].map(|answer| answer.log_evidence_bounds().unwrap());
        prop_assert!(is_same(logs[0], logs[1]), "depth {depth}: {logs:?}");
        for value in 0..9 {
            let a = expected.bounds(&unfolded, &value).map_err(failed)?;
            let b = shared.bounds(&target, &value).map_err(failed)?;
            prop_assert!(is_same(a, b), "depth {depth}, {value}: {a} {b}");
        }
    }
    Ok(())
}

#[test]
fn shared_calls_have_the_bounds_of_unfolded_calls() {
    for_random(100, 31, &program(), have_the_same_bounds);
}

/// Two calls of a body with the same remaining depth are one: the number of runs of the function grows linearly with the depth.
#[test]
fn lazy_bounds_expand_each_call_once() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let odd_leaves = Recursive::new(move |call, &(): &()| -> Element<bool> {
        counted.fetch_add(1, Ordering::Relaxed);
        Flip::new(0.4).flat_map(move |&has_children| {
            if has_children {
                call(()).xor(&call(()))
            } else {
                Constant::new(true)
            }
        })
    });
    let root = odd_leaves.call(());
    let levels = 100;
    let answer = LazyVariableElimination::to_depth(2 * levels).run(&Model::new(), &root);
    let bounds = answer.unwrap().bounds(&root, &true).unwrap();
    // The probability is the solution of q = 0.6 + 0.4 · 2q (1 - q); 2^100 calls would be needed without sharing.
    let right = (-0.2 + (0.04_f64 + 4.0 * 0.8 * 0.6).sqrt()) / 1.6;
    assert!(bounds.contains(right) && bounds.width() < 1e-6, "{bounds}");
    // Each body is expanded twice, and its function runs twice in debug builds, to check that it is pure.
    let once = if cfg!(debug_assertions) { 4 } else { 2 };
    assert!(runs.load(Ordering::Relaxed) <= once * (levels + 1));
    // A function that calls itself with two smaller arguments, like the Fibonacci numbers.
    runs.store(0, Ordering::Relaxed);
    let counted = Arc::clone(&runs);
    let parity = Recursive::new(move |call, &n: &u32| -> Element<bool> {
        counted.fetch_add(1, Ordering::Relaxed);
        if n < 2 {
            return Flip::new(0.3);
        }
        let noise = Flip::new(0.01);
        noise.xor(&call(n - 1).xor(&call(n - 2)))
    });
    let root = parity.call(60);
    let lazy = LazyVariableElimination::to_width(1e-3).run(&Model::new(), &root);
    let (lazy, exact) = (
        lazy.unwrap(),
        VariableElimination::new()
            .run(&Model::new(), &root)
            .unwrap(),
    );
    let [p, q] = [&lazy, &exact].map(|answer| answer.probability(&root, &true).unwrap());
    assert!((p - q).abs() < 1e-12, "{p} {q}");
    assert!(runs.load(Ordering::Relaxed) < 20_000);
}

/// Rules of a grammar of two symbols by which a symbol yields two symbols: each rule has its weight, its symbol, and the two symbols.
const BINARY: [(f64, usize, usize, usize); 4] = [
    (0.3, 0, 0, 1),
    (0.1, 0, 1, 1),
    (0.25, 1, 0, 0),
    (0.15, 1, 1, 0),
];
const WORDS: [[f64; 2]; 2] = [[0.5, 0.1], [0.2, 0.4]];

/// Returns the inside probability of the whole sentence, by the algorithm of Cocke, Kasami and Younger.
fn inside(words: &[usize]) -> f64 {
    let n = words.len();
    let mut table = vec![vec![[0.0; 2]; n + 1]; n + 1];
    for (i, &word) in words.iter().enumerate() {
        table[i][i + 1] = [WORDS[0][word], WORDS[1][word]];
    }
    for length in 2..=n {
        for i in 0..=n - length {
            for (weight, symbol, left, right) in BINARY {
                let j = i + length;
                let split = |k: usize| table[i][k][left] * table[k][j][right];
                table[i][j][symbol] += weight * (i + 1..j).map(split).sum::<f64>();
            }
        }
    }
    table[0][n][0]
}

/// Returns the end of the yield of a symbol that begins at `from` and ends at most at `to`, if the yield equals the words there.
fn reading(words: Arc<[usize]>) -> Recursive<(usize, usize, usize), Option<usize>> {
    Recursive::new(
        move |call, &(symbol, from, to): &(usize, usize, usize)| -> Element<Option<usize>> {
            if from >= to {
                return Constant::new(None);
            }
            let word = words[from];
            let rules = (0..BINARY.len()).filter(|&rule| BINARY[rule].1 == symbol);
            let mut choices: Vec<(f64, Option<usize>)> =
                rules.map(|rule| (BINARY[rule].0, Some(rule))).collect();
            choices.push((WORDS[symbol][0] + WORDS[symbol][1], None));
            Select::new(choices).flat_map(move |&rule| {
                let Some(rule) = rule else {
                    let total = WORDS[symbol][0] + WORDS[symbol][1];
                    let here = Flip::new(WORDS[symbol][word] / total);
                    return here.map(move |&here| here.then_some(from + 1));
                };
                let (_, _, left, right) = BINARY[rule];
                let call = Arc::clone(&call);
                let first = call((left, from, to - 1));
                first.flat_map(move |&end| match end {
                    Some(end) => call((right, end, to)),
                    None => Constant::new(None),
                })
            })
        },
    )
}

#[test]
fn a_grammar_reads_with_its_inside_probabilities() {
    let words: Arc<[usize]> = [0, 1, 1, 0, 0, 1, 0].into();
    let whole = reading(words.clone()).call((0, 0, words.len()));
    let expected = inside(&words);
    let answer = VariableElimination::new()
        .run(&Model::new(), &whole)
        .unwrap();
    let found = answer.probability(&whole, &Some(words.len())).unwrap();
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
}

/// A parameter that is zero at first may get another value later, also within a call.
#[test]
fn parameters_within_calls_are_read_anew() {
    let chance = Param::new("chance", 0.0);
    let own = chance.clone();
    let count = Recursive::new(move |call, &left: &u32| -> Element<u32> {
        Flip::new(&own).flat_map(move |&more| {
            if more && left > 0 {
                call(left - 1).map(|n| n + 1)
            } else {
                Constant::new(0)
            }
        })
    });
    let n = count.call(3);
    let mut tree = JunctionTree::new().compile(&Model::new(), &n).unwrap();
    for p in [0.0, 0.5, 1.0, 0.0] {
        chance.set(p);
        tree.refresh().unwrap();
        let answer = VariableElimination::new().run(&Model::new(), &n).unwrap();
        for (value, expected) in [(0, 1.0 - p), (1, p * (1.0 - p)), (3, p.powi(3))] {
            let found = [answer.probability(&n, &value), tree.probability(&n, &value)];
            assert!(
                found
                    .iter()
                    .all(|f| (f.as_ref().unwrap() - expected).abs() < 1e-12),
                "{found:?}"
            );
        }
    }
}

/// Evidence about a captured element ends a recursion that would not end otherwise.
#[test]
fn evidence_ends_a_recursion() {
    let more = Flip::new(0.5);
    let own = more.clone();
    let endless = Recursive::new(move |call, &(): &()| {
        own.flat_map(move |&more| if more { call(()) } else { Flip::new(0.3) })
    });
    let end = endless.call(());
    let model = Model::new().observe(&more, false);
    let answers = [
        VariableElimination::new().run(&model, &end),
        JunctionTree::new().run(&model, &end),
    ];
    for answer in answers {
        assert!((answer.unwrap().probability(&end, &true).unwrap() - 0.3).abs() < 1e-12);
    }
    let world = MpeVariableElimination::new().run(&model, &end).unwrap();
    assert!((world.log_probability().unwrap() - 0.35_f64.ln()).abs() < 1e-12);
}
