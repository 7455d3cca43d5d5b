//! Tests of models that are easy for an engine that exploits zeros and functions, and infeasible for an engine that does not.

use std::collections::BTreeMap;

use figrs::prelude::*;

fn close(found: f64, expected: f64) {
    let off = (found - expected).abs() / expected.abs().max(1.0);
    assert!(off < 1e-9, "{found}, not {expected}");
}

/// Returns the probability that a Boolean element is true, checked by both exact engines.
fn probability(model: &Model, element: &Element<bool>) -> f64 {
    let by = |answer: Answer| answer.probability(element, &true).unwrap();
    let tree = by(JunctionTree::new().run(model, element).unwrap());
    let single = by(VariableElimination::new().run(model, element).unwrap());
    close(tree, single);
    tree
}

/// Returns the first of two Booleans after this number of steps; in each step, the two Booleans and two random ones determine the next two.
fn ladder(steps: usize) -> Element<bool> {
    let mut first = Constant::new(true);
    let mut second = Constant::new(false);
    for _ in 0..steps {
        let slip = Flip::new(0.001);
        let coin = Flip::new(0.5);
        let state = (&first, &second, &slip, &coin).map(|(&a, &b, &slip, &coin)| match (a, b) {
            (true, _) if slip => (false, false),
            (true, _) | (false, true) => (coin, !coin),
            (false, false) => (false, false),
        });
        first = state.map(|s| s.0);
        second = state.map(|s| s.1);
    }
    first
}

#[test]
fn a_ladder_of_a_thousand_steps() {
    let n = 1000;
    let expected = 0.5 * 0.999 * 0.9995f64.powi(n - 1);
    close(probability(&Model::new(), &ladder(n as usize)), expected);
}

#[test]
fn a_diamond_network_of_a_thousand_steps() {
    let mut state = Constant::new(true);
    for _ in 0..1000 {
        let route = Flip::new(0.5);
        let drop = Flip::new(0.0001);
        state = (&state, &route, &drop).map(|(&s, &route, &drop)| s && (route || !drop));
    }
    let expected = (1.0 - 5e-5f64).powi(1000);
    close(probability(&Model::new(), &state), expected);
}

/// Connected components of the frontier of a grid, while its links are processed one after another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frontier {
    /// For each column, the component of its last node; the component of the first corner has index 0.
    components: Vec<u8>,
}
figrs::value!(Frontier);

impl Frontier {
    /// Numbers the components in the order in which they appear, and the component of the first corner as 0.
    fn canonical(mut self) -> Self {
        let mut names = BTreeMap::from([(0, 0)]);
        for component in &mut self.components {
            let next = names.len() as u8;
            *component = *names.entry(*component).or_insert(next);
        }
        self
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.components[a], self.components[b]);
        let (low, high) = (a.min(b), a.max(b));
        for component in &mut self.components {
            if *component == high {
                *component = low;
            }
        }
    }
}

/// Returns the probability that opposite corners of a k by k grid are connected if each link holds with probability 0.8.
fn reliability(k: usize) -> f64 {
    let new = |i: usize| 100 + i as u8;
    let start = (0..k).map(|x| if x == 0 { 0 } else { new(x) }).collect();
    let mut state = Constant::new(Frontier { components: start });
    for y in 0..k {
        if y > 0 {
            for x in 0..k {
                // The node below becomes the frontier node of the column, connected with the node above if the link holds.
                state = (&state, Flip::new(0.8)).map(move |(state, &holds)| {
                    let mut state = state.clone();
                    if !holds {
                        state.components[x] = new(x);
                    }
                    state.canonical()
                });
            }
        }
        for x in 1..k {
            state = (&state, Flip::new(0.8)).map(move |(state, &holds)| {
                let mut state = state.clone();
                if holds {
                    state.join(x - 1, x);
                }
                state.canonical()
            });
        }
    }
    let connected = state.map(move |state| state.components[k - 1] == 0);
    probability(&Model::new(), &connected)
}

#[test]
fn unreliable_grids() {
    close(reliability(3), 0.869_502_287_872);
    close(reliability(5), 0.879_044_856_376);
    close(reliability(7), 0.881_580_550_948);
}

#[test]
fn noisy_or_with_twenty_causes_and_forty_findings() {
    let causes: Vec<Element<bool>> = (0..20)
        .map(|d| Flip::new(0.01 * f64::from(d % 8 + 1)))
        .collect();
    let finding = |f: usize| {
        let links = (0..20).filter(|d| (3 * d + 5 * f) % 7 < 3);
        let links: Vec<(usize, f64)> = links
            .map(|d| (d, 0.2 + 0.1 * ((d + 2 * f) % 7) as f64))
            .collect();
        let parents: Vec<Element<bool>> = links.iter().map(|&(d, _)| causes[d].clone()).collect();
        parents.flat_map(move |present| {
            let holds = present.iter().zip(&links).filter(|(present, _)| ***present);
            let absent: f64 = holds.map(|(_, (_, weight))| 1.0 - weight).product();
            Flip::new(1.0 - 0.99 * absent)
        })
    };
    let findings: Vec<Element<bool>> = (0..40).map(finding).collect();
    let mut model = Model::new();
    for f in [0, 2, 3, 7, 11, 12, 19, 23, 30, 31] {
        model = model.observe(&findings[f], true);
    }
    for f in [1, 4, 8, 14, 20, 25, 33, 38] {
        model = model.observe(&findings[f], false);
    }
    let mut targets = causes.clone();
    targets.push(findings[5].clone());
    let tree = JunctionTree::new().compile(&model, &targets).unwrap();
    close(tree.log_evidence(), 8.087_506_473_270_746e-08_f64.ln());
    close(
        tree.probability(&causes[0], &true).unwrap(),
        0.004_182_182_386_843_257_5,
    );
    close(
        tree.probability(&causes[6], &true).unwrap(),
        0.478_155_754_917_652_66,
    );
    close(
        tree.probability(&findings[5], &true).unwrap(),
        0.432_806_478_963_309_87,
    );
    let worlds = JunctionTree::new().compile(&model, &causes).unwrap();
    let best = worlds.most_probable().unwrap();
    close(best.log_probability(), 8.267_056_242_864_658e-09_f64.ln());
    let present: Vec<usize> = (0..20)
        .filter(|&d| best.value(&causes[d]).unwrap())
        .collect();
    assert_eq!(present, [5, 6]);
}

/// Returns a hidden Markov model of five states, with the observations for which answers are published.
fn hidden(steps: usize) -> (Model, Vec<Element<u8>>) {
    let row = |i: i32| (0..5).map(move |j| (f64::from(1 + (i - j).abs()).powi(-2), j as u8));
    let transitions: Vec<Vec<(f64, u8)>> = (0..5).map(|i| row(i).collect()).collect();
    let mut model = Model::new();
    let mut states = vec![Uniform::new(0u8..5)];
    for t in 0..steps {
        if t > 0 {
            let transitions = transitions.clone();
            let next =
                states[t - 1].flat_map(move |&i| Select::new(transitions[i as usize].clone()));
            states.push(next);
        }
        let shown = states[t]
            .flat_map(|&i| Select::new((0..5u8).map(move |k| (if i == k { 0.6 } else { 0.1 }, k))));
        let seen = (t / 7 + if t % 5 == 4 { 2 } else { 0 }) % 5;
        model = model.observe(&shown, seen as u8);
    }
    (model, states)
}

#[test]
fn hidden_markov_models_do_not_underflow() {
    let (model, states) = hidden(500);
    let tree = JunctionTree::new().compile(&model, &states).unwrap();
    close(tree.log_evidence(), -700.129_346_594_693_6);
    close(tree.probability(&states[250], &0).unwrap(), 0.895_667_695_4);
    close(
        tree.most_probable().unwrap().log_probability(),
        -782.398_079_628,
    );
    let (model, states) = hidden(5_000);
    let tree = JunctionTree::new().compile(&model, &states[4_999]).unwrap();
    let single = VariableElimination::new().log_evidence(&model).unwrap();
    close(tree.log_evidence(), single);
}

/// Returns a grid of tiles, each of which is a `Chain` on three neighbours.
fn tiles(side: usize) -> Vec<Element<u8>> {
    let mut tiles: Vec<Element<u8>> = Vec::new();
    for at in 0..side * side {
        let (x, y) = (at % side, at / side);
        let near = [(1, 0), (0, 1), (1, 1)].map(|(dx, dy)| {
            let inside = dx <= x && dy <= y;
            inside.then(|| tiles[at - dx - dy * side].clone())
        });
        let near: Vec<Element<u8>> = near.into_iter().flatten().collect();
        tiles.push(near.flat_map(|near| {
            let sum = near.iter().fold(1, |sum, &&x| 5 * sum + u32::from(x));
            Select::new((0..4u8).map(move |v| (1.0 + f64::from((sum + 7 * u32::from(v)) % 13), v)))
        }));
    }
    tiles
}

#[test]
fn grids_of_tiles_that_are_chains() {
    let tiles = tiles(6);
    let model = Model::new().observe(&tiles[35], 2).observe(&tiles[14], 0);
    let tree = JunctionTree::new().compile(&model, &tiles).unwrap();
    for tile in [&tiles[0], &tiles[20]] {
        let single = VariableElimination::new().run(&model, tile).unwrap();
        for value in 0..4 {
            let found = tree.probability(tile, &value).unwrap();
            close(found, single.probability(tile, &value).unwrap());
        }
    }
    let best = MpeVariableElimination::new().run(&model, &tiles).unwrap();
    let found = tree.most_probable().unwrap();
    close(found.log_probability(), best.log_probability().unwrap());
}

/// Each state of the hidden Markov model has one of 37 symbols, and is observed as its own symbol or a neighbouring one.
#[test]
fn a_hidden_markov_model_of_many_symbols() {
    const SYMBOLS: u8 = 37;
    let mut model = Model::new();
    let mut states = vec![Uniform::new(0..SYMBOLS)];
    for t in 0..50u8 {
        if t > 0 {
            let weight = |i: u8, j: u8| 1.0 / f64::from(1 + i.abs_diff(j));
            let next = states[usize::from(t) - 1]
                .flat_map(move |&i| Select::new((0..SYMBOLS).map(move |j| (weight(i, j), j))));
            states.push(next);
        }
        let shown = states[usize::from(t)].flat_map(|&i| {
            Select::new([
                (0.8, i),
                (0.1, (i + 1) % SYMBOLS),
                (0.1, (i + 36) % SYMBOLS),
            ])
        });
        model = model.observe(&shown, (t * 5) % SYMBOLS);
    }
    let best = MpeVariableElimination::new().run(&model, &states).unwrap();
    let tree = JunctionTree::new().compile(&model, &states).unwrap();
    let found = tree.most_probable().unwrap();
    close(found.log_probability(), best.log_probability().unwrap());
    close(
        tree.log_evidence(),
        VariableElimination::new().log_evidence(&model).unwrap(),
    );
}
