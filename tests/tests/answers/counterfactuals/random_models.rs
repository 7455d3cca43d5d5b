//! Tests of counterfactuals of random models against an enumeration of all their random choices, which does not use elements.

use std::cell::Cell;

use figrs::Table;
use figrs::prelude::*;
use figrs_tests::random_model::for_random;
use proptest::collection::vec;
use proptest::prelude::{
    Just, Strategy, TestCaseError, any as anything, prop_assert, prop_assume, prop_oneof,
};

/// The way in which a node computes its value from two earlier nodes, given by references modulo their number.
#[derive(Clone, Copy, Debug)]
enum NodeKind {
    /// An independent random choice.
    Root,
    /// A function of two nodes.
    Function,
    /// A `Chain` with a random choice for each pair of values.
    Chain,
    /// A table with a random choice for each pair of values.
    Table,
    /// A member of a family whose parameter is a function of two nodes.
    Family,
    /// A `Chain` on the first node whose branches are the second node, which is captured, or another node.
    Captured,
    /// A `Chain` on the first node whose branch contains a `Chain` on the second node, which is captured.
    Nested,
}

#[derive(Clone, Debug)]
struct Node {
    kind: NodeKind,
    reads: (usize, usize),
    code: u8,
}

#[derive(Clone, Debug)]
struct Twins {
    nodes: Vec<Node>,
    evidence: Vec<(usize, bool)>,
    set: Vec<(usize, bool)>,
}

/// Returns the probability of a random choice of a node.
fn level(code: u8, row: usize) -> f64 {
    0.15 + 0.17 * row as f64 + 0.001 * f64::from(code % 7)
}

fn function(code: u8, a: bool, b: bool) -> bool {
    code >> (2 * u8::from(a) + u8::from(b)) & 1 == 1
}

impl Node {
    /// Returns the earlier nodes that this node reads; some kinds capture the third of them.
    fn reads(&self, at: usize) -> [usize; 3] {
        let near = |distance: usize| at - 1 - distance % at;
        [
            near(self.reads.0),
            near(self.reads.1),
            near(self.reads.0 + self.reads.1),
        ]
    }

    /// Returns the value of the node, given the values of earlier nodes and the results of the random choices.
    fn value(&self, at: usize, values: &[bool], chance: &dyn Fn(usize) -> bool) -> bool {
        if at == 0 || matches!(self.kind, NodeKind::Root) {
            return chance(0);
        }
        let [a, b, c] = self.reads(at).map(|i| values[i]);
        match self.kind {
            NodeKind::Root => chance(0),
            NodeKind::Function => function(self.code, a, b),
            NodeKind::Chain | NodeKind::Table | NodeKind::Family => {
                chance(2 * usize::from(a) + usize::from(b))
            }
            NodeKind::Captured => {
                if a {
                    b
                } else {
                    c
                }
            }
            NodeKind::Nested => {
                if a {
                    chance(1 + usize::from(b))
                } else {
                    chance(0)
                }
            }
        }
    }

    /// Returns the number of random choices of the node.
    fn chances(&self, at: usize) -> usize {
        match self.kind {
            _ if at == 0 => 1,
            NodeKind::Root => 1,
            NodeKind::Function | NodeKind::Captured => 0,
            NodeKind::Chain | NodeKind::Table | NodeKind::Family => 4,
            NodeKind::Nested => 3,
        }
    }

    fn element(&self, at: usize, before: &[Element<bool>]) -> Element<bool> {
        let code = self.code;
        if at == 0 || matches!(self.kind, NodeKind::Root) {
            return Flip::new(level(code, 0));
        }
        let [a, b, c] = self.reads(at).map(|i| before[i].clone());
        let number = |a: &bool, b: &bool| 2 * usize::from(*a) + usize::from(*b);
        match self.kind {
            NodeKind::Root => Flip::new(level(code, 0)),
            NodeKind::Function => (&a, &b).map(move |(a, b)| function(code, *a, *b)),
            NodeKind::Chain => {
                (&a, &b).flat_map(move |(a, b)| Flip::new(level(code, number(a, b))))
            }
            NodeKind::Table => {
                let row = |row| [1.0 - level(code, row), level(code, row)];
                let parents = [&a, &b].map(|parent| (parent, vec![false, true]));
                Table::new(
                    parents,
                    [false, true],
                    [row(0), row(1), row(2), row(3)].concat(),
                )
            }
            NodeKind::Family => Flip::new((&a, &b).map(move |(a, b)| level(code, number(a, b)))),
            NodeKind::Captured => a.flat_map(move |&a| if a { b.clone() } else { c.clone() }),
            NodeKind::Nested => a.flat_map(move |&a| {
                if a {
                    b.flat_map(move |&b| Flip::new(level(code, 1 + usize::from(b))))
                } else {
                    Flip::new(level(code, 0))
                }
            }),
        }
    }
}

/// Returns the probability that each node is true in the counterfactual world, and the probability of the evidence.
fn enumerated(twins: &Twins) -> Option<(Vec<f64>, f64)> {
    let mut chances = Vec::new();
    let mut firsts = Vec::new();
    for (at, node) in twins.nodes.iter().enumerate() {
        firsts.push(chances.len());
        chances.extend((0..node.chances(at)).map(|row| level(node.code, row)));
    }
    if chances.len() > 13 {
        return None;
    }
    let n = twins.nodes.len();
    let (mut sums, mut evidence) = (vec![0.0; n], 0.0);
    for world in 0u32..1 << chances.len() {
        let holds = |chance: usize| world >> chance & 1 == 1;
        let weight = |(i, p): (usize, &f64)| if holds(i) { *p } else { 1.0 - p };
        let p: f64 = chances.iter().enumerate().map(weight).product();
        let values = |set: &[(usize, bool)]| {
            let mut values = Vec::with_capacity(n);
            for (at, node) in twins.nodes.iter().enumerate() {
                let value = node.value(at, &values, &|row| holds(firsts[at] + row));
                let set = set.iter().rev().find(|(i, _)| *i == at);
                values.push(set.map_or(value, |(_, value)| *value));
            }
            values
        };
        let factual = values(&[]);
        if twins.evidence.iter().all(|&(i, value)| factual[i] == value) {
            evidence += p;
            for (sum, value) in sums.iter_mut().zip(values(&twins.set)) {
                *sum += p * f64::from(u8::from(value));
            }
        }
    }
    Some((sums, evidence))
}

fn twins() -> impl Strategy<Value = Twins> {
    let kind = prop_oneof![
        Just(NodeKind::Root),
        Just(NodeKind::Function),
        Just(NodeKind::Chain),
        Just(NodeKind::Table),
        Just(NodeKind::Family),
        Just(NodeKind::Captured),
        Just(NodeKind::Nested),
    ];
    let node = (kind, (0usize..6, 0usize..6), anything::<u8>());
    let node = node.prop_map(|(kind, reads, code)| Node { kind, reads, code });
    let values = |most| vec((0usize..6, anything::<bool>()), 0..most);
    (vec(node, 2..7), values(3), values(3)).prop_map(|(nodes, evidence, set)| {
        let n = nodes.len();
        let within = |list: Vec<(usize, bool)>| list.into_iter().map(|(i, v)| (i % n, v)).collect();
        Twins {
            evidence: within(evidence),
            set: within(set),
            nodes,
        }
    })
}

fn counterfactual(twins: &Twins) -> (figrs::Counterfactual, Vec<Element<bool>>) {
    let mut elements: Vec<Element<bool>> = Vec::new();
    for (at, node) in twins.nodes.iter().enumerate() {
        elements.push(node.element(at, &elements));
    }
    let observe = |model: Model, &(i, value): &(usize, bool)| model.observe(&elements[i], value);
    let model = twins.evidence.iter().fold(Model::new(), observe);
    // If nothing is set, the counterfactual world equals the actual world.
    let mut had = model.had(&Flip::new(0.5), true);
    for (i, value) in &twins.set {
        had = had.had(&elements[*i], *value);
    }
    (had, elements)
}

fn exact_engines_agree(twins: &Twins, compared: &Cell<u32>) -> Result<(), TestCaseError> {
    let Some((sums, evidence)) = enumerated(twins) else {
        return Ok(());
    };
    prop_assume!(evidence > 1e-9);
    let (had, elements) = counterfactual(twins);
    let engines = algorithms![
        VariableElimination::new(),
        JunctionTree::new(),
        Enumerate::new(),
        Frontier::new(),
    ];
    for engine in engines {
        let answer = engine.run_counterfactual(&had, &elements);
        let answer = answer.map_err(|e| TestCaseError::fail(format!("{}: {e}", engine.name())))?;
        for (at, (element, sum)) in elements.iter().zip(&sums).enumerate() {
            let found = answer.probability(element, &true);
            let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
            let expected = sum / evidence;
            let near = (found - expected).abs() < 1e-9;
            prop_assert!(
                near,
                "{}: node {at}: {found}, exactly {expected}",
                engine.name()
            );
        }
        compared.set(compared.get() + 1);
    }
    Ok(())
}

#[test]
fn exact_answers_are_those_of_all_chances() {
    let compared = Cell::new(0);
    for_random(300, 35, &twins(), |twins| {
        exact_engines_agree(twins, &compared)
    });
    assert!(compared.get() > 1000, "{} answers", compared.get());
}

/// Checks samplers on fewer models: they must be within six standard errors of shares of this many draws, plus an allowance for dependent draws.
fn samplers_agree(twins: &Twins) -> Result<(), TestCaseError> {
    let Some((sums, evidence)) = enumerated(twins) else {
        return Ok(());
    };
    prop_assume!(evidence > 0.02);
    let (had, elements) = counterfactual(twins);
    let samplers = algorithms![
        ImportanceSampling::new(20_000).seed(1),
        MetropolisHastings::new(40_000).seed(2),
        Gibbs::new(10_000).seed(3),
    ];
    for sampler in samplers {
        let answer = sampler.run_counterfactual(&had, &elements);
        let answer = answer.map_err(|e| TestCaseError::fail(format!("{}: {e}", sampler.name())))?;
        for (element, sum) in elements.iter().zip(&sums) {
            let (found, expected) = (answer.probability(element, &true), sum / evidence);
            let found = found.map_err(|e| TestCaseError::fail(e.to_string()))?;
            let error = answer
                .standard_error(element, &true)
                .map_err(|e| TestCaseError::fail(e.to_string()))?;
            let near = (found - expected).abs() < 6.0 * error.min(0.01) + 1e-3;
            prop_assert!(
                near,
                "{}: {found} ± {error}, exactly {expected}",
                sampler.name()
            );
        }
    }
    Ok(())
}

#[test]
fn samplers_are_near_all_chances() {
    for_random(6, 36, &twins(), samplers_agree);
}
