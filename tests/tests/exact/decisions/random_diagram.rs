//! Random influence diagrams as tables and as elements.

use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::{Decision, Stream};

/// A variable of a diagram, whose parents are earlier variables.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A row of probabilities for each combination of the parents' values.
    Chance {
        parents: Vec<usize>,
        rows: Vec<Vec<f64>>,
    },
    /// The value of one variable or of another one, as a third variable decides.
    Branch {
        selector: usize,
        branches: [usize; 2],
    },
    /// A decision that knows some variables.
    Decision { known: Vec<usize> },
}

/// An influence diagram.
#[derive(Clone, Debug)]
pub(super) struct Diagram {
    pub(super) cards: Vec<usize>,
    pub(super) nodes: Vec<Node>,
    /// The utilities, each with its parents and with a number for each combination of their values.
    pub(super) utilities: Vec<(Vec<usize>, Vec<f64>)>,
    /// A variable that no decision influences, and its value.
    pub(super) evidence: Option<(usize, usize)>,
}

/// The elements of an influence diagram.
pub(super) struct Elements {
    pub(super) values: Vec<Element<usize>>,
    pub(super) utilities: Vec<Element<f64>>,
    pub(super) model: Model,
}

impl Diagram {
    /// Returns a random diagram with at most this number of decisions.
    pub(super) fn random(seed: u64, most_decisions: usize) -> Self {
        let mut rng = figrs::stream(seed, 0);
        let rng = &mut rng;
        let size = rng.random_range(3..8);
        let mut diagram = Self {
            cards: Vec::new(),
            nodes: Vec::new(),
            utilities: Vec::new(),
            evidence: None,
        };
        let mut decisions = 0;
        for place in 0..size {
            let card = rng.random_range(2..4);
            let is_decision = decisions < most_decisions && rng.random_bool(0.4);
            let earlier = some_of(rng, place, 2);
            let alike = (0..place).find(|&other| diagram.cards[other] == card);
            let node = match alike {
                _ if is_decision => Node::Decision { known: earlier },
                Some(other) if rng.random_bool(0.2) => {
                    let mut alike = (0..place).filter(|&p| diagram.cards[p] == card);
                    let last = alike.next_back().unwrap_or(other);
                    let selector = rng.random_range(0..place);
                    let branches = [other, last];
                    Node::Branch { selector, branches }
                }
                _ => {
                    let count: usize = earlier.iter().map(|&p| diagram.cards[p]).product();
                    let rows = (0..count).map(|_| row(rng, card)).collect();
                    Node::Chance {
                        parents: earlier,
                        rows,
                    }
                }
            };
            decisions += usize::from(is_decision);
            diagram.cards.push(card);
            diagram.nodes.push(node);
        }
        if decisions == 0 {
            diagram.nodes[0] = Node::Decision { known: Vec::new() };
        }
        for _ in 0..rng.random_range(1..4) {
            let parents = some_of(rng, size, 2);
            let count: usize = parents.iter().map(|&p| diagram.cards[p]).product();
            let values = (0..count).map(|_| f64::from(rng.random_range(-9..10)));
            diagram.utilities.push((parents, values.collect()));
        }
        let free: Vec<usize> = (0..size).filter(|&p| !diagram.is_influenced(p)).collect();
        if !free.is_empty() && rng.random_bool(0.5) {
            let place = free[rng.random_range(0..free.len())];
            diagram.evidence = Some((place, rng.random_range(0..diagram.cards[place])));
        }
        diagram
    }

    /// True if a variable is a decision, or depends on one.
    pub(super) fn is_influenced(&self, place: usize) -> bool {
        match &self.nodes[place] {
            Node::Decision { .. } => true,
            Node::Chance { parents, .. } => parents.iter().any(|&p| self.is_influenced(p)),
            Node::Branch { selector, branches } => {
                self.is_influenced(*selector) || branches.iter().any(|&p| self.is_influenced(p))
            }
        }
    }

    /// Returns the decisions in their order.
    pub(super) fn decisions(&self) -> Vec<usize> {
        let is_decision = |&place: &usize| matches!(self.nodes[place], Node::Decision { .. });
        (0..self.nodes.len()).filter(is_decision).collect()
    }

    pub(super) fn elements(&self) -> Elements {
        let mut values: Vec<Element<usize>> = Vec::new();
        let of = |places: &[usize], values: &[Element<usize>]| -> Vec<Element<usize>> {
            places.iter().map(|&place| values[place].clone()).collect()
        };
        for (place, node) in self.nodes.iter().enumerate() {
            let cards = self.cards.clone();
            let element = match node.clone() {
                Node::Chance { parents, rows } => {
                    let read = of(&parents, &values);
                    read.flat_map(move |states| {
                        let row = &rows[number(&parents, &cards, |i| *states[i])];
                        Select::new(row.iter().copied().zip(0..).collect::<Vec<_>>())
                    })
                }
                Node::Branch { selector, branches } => {
                    let [a, b] = branches.map(|place| values[place].clone());
                    values[selector].flat_map(move |&s| if s == 0 { a.clone() } else { b.clone() })
                }
                Node::Decision { known } => Decision::new(of(&known, &values), 0..cards[place]),
            };
            values.push(element.named(format!("v{place}")));
        }
        let utilities = self.utilities.iter().map(|(parents, utilities)| {
            let (parents, utilities) = (parents.clone(), utilities.clone());
            let cards = self.cards.clone();
            of(&parents, &values)
                .map(move |states| utilities[number(&parents, &cards, |i| *states[i])])
        });
        let utilities = utilities.collect();
        let model = self
            .evidence
            .iter()
            .fold(Model::new(), |model, &(place, value)| {
                model.observe(&values[place], value)
            });
        Elements {
            values,
            utilities,
            model,
        }
    }
}

/// Returns the row-major index of the states of some variables.
pub(super) fn number(parents: &[usize], cards: &[usize], state: impl Fn(usize) -> usize) -> usize {
    let digits = parents.iter().enumerate();
    digits.fold(0, |number, (i, &parent)| number * cards[parent] + state(i))
}

/// Returns at most `most` different numbers below `count`.
fn some_of(rng: &mut Stream, count: usize, most: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    for _ in 0..most {
        if count > 0 {
            let place = rng.random_range(0..count);
            if !chosen.contains(&place) {
                chosen.push(place);
            }
        }
    }
    chosen
}

/// Returns a row of probabilities, some of which may be zero.
fn row(rng: &mut Stream, card: usize) -> Vec<f64> {
    let mut weights: Vec<f64> = (0..card)
        .map(|_| f64::from(rng.random_range(0..5)))
        .collect();
    if weights.iter().all(|&weight| weight == 0.0) {
        weights[0] = 1.0;
    }
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}
