//! Conversion of an expansion (the lists of the possible values of a model's elements) to a factor graph.

use rustc_hash::FxHashMap;

use super::expansion::{Content, Expansion};
use super::reach::{ReachCondition, ReachConditions};
use crate::element::node::AnyElement;
use crate::error::ModelError;
use crate::value::datum::Datum;
use figrs_factor::graph::{FactorGraph, VarId};

/// Treatment of possible worlds in which the value of a root (a target or an element with evidence) is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undecided {
    LeftOut,
    /// The possible worlds in which a target or an element with evidence is unknown are included, with the largest weight that evidence can give
    /// them.
    AtMost,
}

/// Treatment of elements that a possible world does not evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unreached {
    /// An element that a world does not evaluate may have any value; the weights of its values sum to one.
    Free,
    /// An element that a world does not evaluate has the additional value `absent`, with the weight one.
    Absent,
}

/// A factor graph for the possible worlds of an expanded model (a model with lists of the possible values of its elements).
///
/// **Guarantee.** The product of all factors of the graph, summed over all variables, is the probability of the evidence times its soft weights.
/// Summed over all variables except the variable of one element, the product of all factors is the unnormalised marginal of that element. In a factor
/// graph built with [`for_worlds`](Self::for_worlds), each assignment of positive weight is one possible world, and its weight is exactly the
/// probability of the world. Elements of `Chain` branches that a world does not take have the value `absent` with the weight one.
///
/// **Complexity.** The construction of the factor graph takes time linear in the number of entries of the elements' tables. A branch of a `Chain`
/// that has parents or is itself a `Chain` takes more time: in total, the number of branches times the sizes of the supports of the branch and of the
/// `Chain`.
#[derive(Debug)]
pub struct Encoding {
    graph: FactorGraph,
    variables: Vec<Option<VarId>>,
    rows: Vec<Option<usize>>,
    conditional: bool,
    open_zeros: Vec<(usize, Vec<u32>)>,
}

/// A query for the possible worlds in which one given function of the model fails, or in which at least one function fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureQuery {
    Any,
    One(usize),
}

/// The selector of a `Chain`: a variable, and the branch that the `Chain` chooses for each value of the variable.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    pub(super) variable: VarId,
    pub(super) choices: Vec<ChainChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainChoice {
    /// The `Chain` chooses the branch with this index in its list of results.
    Result(usize),
    Unknown,
    /// The `Chain` chooses no branch: a world does not evaluate the `Chain`, or its function fails and the query asks for failures.
    Nothing,
}

/// A variable that shows whether a world evaluates an element; the list `reached` is true for the values of the variable that mean "evaluated".
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) variable: VarId,
    pub(super) reached: Vec<bool>,
}

impl Encoding {
    /// Builds the factor graph for sums over worlds: marginals of `targets` and the probability of all evidence.
    ///
    /// Elements on which neither the targets nor the evidence depend are omitted from the factor graph. If a target of the expanded model depends on
    /// a `Score`, the `Score` weighs the worlds of all queries, even of queries for other targets.
    ///
    /// If the model was expanded only in part, the sums are lower bounds: they omit the worlds in which a target or an element with evidence is
    /// unknown, because the omitted parts may contain `Score` elements.
    ///
    /// **Errors.** [`ModelError::TableTooLarge`] if the factor of an element exceeds the entry limit of the expansion.
    pub fn for_sums(expansion: &Expansion, targets: &[usize]) -> Result<Self, ModelError> {
        Self::sums(expansion, targets, Undecided::LeftOut)
    }

    /// Builds a factor graph for sums as [`for_sums`](Self::for_sums) does, but includes the worlds in which some element is unknown, with the
    /// largest weight that evidence can give them. The sums over this factor graph are upper bounds if [`Expansion::check_bounded`] returns no error.
    /// In the Boolean semiring, the factor graph for upper bounds shows whether the evidence may be possible.
    pub fn for_upper_sums(expansion: &Expansion, targets: &[usize]) -> Result<Self, ModelError> {
        Self::sums(expansion, targets, Undecided::AtMost)
    }

    fn sums(
        expansion: &Expansion,
        targets: &[usize],
        undecided: Undecided,
    ) -> Result<Self, ModelError> {
        let mut roots: Vec<usize> = expansion
            .evidence()
            .iter()
            .chain(targets)
            .copied()
            .collect();
        roots.extend(scored_targets(expansion));
        if undecided == Undecided::LeftOut {
            let targets = expansion.targets().iter().copied();
            roots.extend(targets.filter(|&target| expansion.elements()[target].unknown));
        }
        let reaches = ReachConditions::new(expansion.elements(), &roots);
        let mut elements = expansion.elements().iter().zip(&reaches.reach).enumerate();
        // If a branch has a `Score`, a function that may fail, or outcomes that are counted, then worlds that do not take the branch must not
        // evaluate it.
        let conditional = elements.any(|(position, (element, reach))| {
            let counts = expansion.counts_outcomes
                && element.parametric.is_some()
                && reaches.row_of[position].is_none();
            let weighs = matches!(element.content, Content::Score(_)) || element.failures.is_some();
            let weighs = weighs || counts;
            weighs && matches!(reach, Some(ReachCondition::When(_)))
        });
        let unreached = if conditional {
            Unreached::Absent
        } else {
            Unreached::Free
        };
        EncodingBuilder::new(expansion, reaches, unreached, undecided, None).build()
    }

    /// Builds the factor graph of the worlds in which a function fails ([`ExpandedElement::failures`](super::ExpandedElement::failures)). The
    /// function is that of the element with the index `position`, or any function of the model if `position` is `None`. If a world in which a
    /// function fails has positive weight, the model is wrong. In a world in which its function fails, an element may have any value.
    pub fn for_failures(
        expansion: &Expansion,
        position: Option<usize>,
    ) -> Result<Self, ModelError> {
        let reaches = ReachConditions::new(expansion.elements(), &expansion.roots());
        let failure_query = Some(position.map_or(FailureQuery::Any, FailureQuery::One));
        let undecided = Undecided::LeftOut;
        EncodingBuilder::new(
            expansion,
            reaches,
            Unreached::Absent,
            undecided,
            failure_query,
        )
        .build()
    }

    /// Builds the factor graph for queries about single worlds: the most probable world, or samples.
    ///
    /// **Errors.** The same errors as [`for_sums`](Self::for_sums).
    pub fn for_worlds(expansion: &Expansion) -> Result<Self, ModelError> {
        let reaches = ReachConditions::new(expansion.elements(), &expansion.roots());
        let undecided = Undecided::LeftOut;
        EncodingBuilder::new(expansion, reaches, Unreached::Absent, undecided, None).build()
    }

    /// Returns the factor graph of the expanded model.
    pub fn graph(&self) -> &FactorGraph {
        &self.graph
    }

    /// Moves the factor graph out of the `Encoding`.
    pub fn take_graph(&mut self) -> FactorGraph {
        std::mem::take(&mut self.graph)
    }

    /// Returns the weights that are zero only because of the present values of `Param`s, such as the probability of an outcome whose
    /// [`Param`](crate::Param) is zero.
    ///
    /// Each entry of the list contains the index of a factor, and the indices of those weights within the factor that are zero.
    pub fn open_zeros(&self) -> &[(usize, Vec<u32>)] {
        &self.open_zeros
    }

    /// True if some worlds do not evaluate all elements; sums over worlds then need another factor graph than searches for one world.
    pub fn is_conditional(&self) -> bool {
        self.conditional
    }

    /// Returns the factor graph's variable of the element with the index `position` in the expansion.
    pub fn variable(&self, position: usize) -> Option<VarId> {
        self.variables[position]
    }

    /// Returns the value of `element` in the possible world `world`, a list with a value for each variable; `None` if the world does not evaluate the
    /// element. The `Encoding` must have been built from `expansion`.
    pub fn value(
        &self,
        expansion: &Expansion,
        element: &AnyElement,
        world: &[u32],
    ) -> Option<Datum> {
        let position = expansion.position(element)?;
        let value = |position: usize| -> Option<usize> {
            let value = world[self.variables[position]?.index()] as usize;
            let support = &expansion.elements()[position].support;
            (value < support.len()).then_some(value)
        };
        let datum = |position: usize, value| expansion.elements()[position].support.datum(value);
        let Some(chain) = self.rows[position] else {
            return value(position).map(|v| datum(position, v));
        };
        // A world evaluates a row of a `Chain`'s table if the `Chain` chooses it; the row then has the `Chain`'s value.
        let expanded = &expansion.elements()[chain];
        let Content::Chain { choice, results } = &expanded.content else {
            return None;
        };
        let mut combination = 0;
        for &parent in &expanded.parents {
            let support = &expansion.elements()[parent].support;
            combination = combination * support.len() + value(parent)?;
        }
        let chosen = *results.get(choice[combination] as usize)?;
        let own = value(chain)?;
        (chosen == position).then(|| datum(chain, own))
    }
}

/// Returns the targets that are `Score` elements or depend on `Score` elements.
fn scored_targets(expansion: &Expansion) -> Vec<usize> {
    let mut scored: Vec<bool> = Vec::with_capacity(expansion.elements().len());
    for element in expansion.elements() {
        let results: &[usize] = match &element.content {
            Content::Chain { results, .. } => results,
            _ => &[],
        };
        let mut read = element.parents.iter().chain(results);
        scored.push(matches!(element.content, Content::Score(_)) || read.any(|&r| scored[r]));
    }
    let targets = expansion.targets().iter().copied();
    targets.filter(|&target| scored[target]).collect()
}

/// Maximum number of choices of a `Chain` for which its selector variable itself shows whether a branch is evaluated.
const FEW_CHOICES: usize = 3;

pub(super) struct EncodingBuilder<'e> {
    pub(super) expansion: &'e Expansion,
    pub(super) graph: FactorGraph,
    pub(super) variables: Vec<Option<VarId>>,
    pub(super) selectors: FxHashMap<usize, Selector>,
    /// The functions about whose failures the query asks, if the query asks for failures.
    pub(super) failure_query: Option<FailureQuery>,
    pub(super) undecided: Undecided,
    pub(super) is_root: Vec<bool>,
    /// For each function about whose failures the query asks, a variable that is true in the worlds in which this function fails.
    pub(super) failures: Vec<Guard>,
    /// The weights that are zero only because of the present values of `Param`s: the index of each factor, and the indices of the weights in the
    /// factor.
    pub(super) open_zeros: Vec<(usize, Vec<u32>)>,
    reaches: ReachConditions,
    unreached: Unreached,
    guards: FxHashMap<Vec<(usize, usize)>, Guard>,
    /// For a choice of a `Chain`: the variable that is true if the `Chain` makes this choice; the map entry is removed when a factor that defines the
    /// variable is added.
    pub(super) chosen: FxHashMap<(usize, usize), VarId>,
}

impl<'e> EncodingBuilder<'e> {
    fn new(
        expansion: &'e Expansion,
        reaches: ReachConditions,
        unreached: Unreached,
        undecided: Undecided,
        failure_query: Option<FailureQuery>,
    ) -> Self {
        let mut is_root = vec![false; expansion.elements().len()];
        for root in expansion.roots() {
            is_root[root] = true;
        }
        Self {
            expansion,
            is_root,
            graph: FactorGraph::default(),
            variables: vec![None; expansion.elements().len()],
            selectors: FxHashMap::default(),
            failure_query,
            undecided,
            failures: Vec::new(),
            open_zeros: Vec::new(),
            reaches,
            unreached,
            guards: FxHashMap::default(),
            chosen: FxHashMap::default(),
        }
    }

    fn build(mut self) -> Result<Encoding, ModelError> {
        let count = self.expansion.elements().len();
        let mut needed = Vec::with_capacity(count);
        needed.extend(
            (0..count).filter(|&p| self.reaches.reach[p].is_some() && self.row_of(p).is_none()),
        );
        self.graph.cardinalities.reserve(needed.len());
        self.graph.factors.reserve(needed.len());
        for &position in &needed {
            self.expansion.elements()[position].require_finite()?;
            let size = self.expansion.elements()[position].states();
            let absent = usize::from(self.may_be_absent(position));
            self.variables[position] = Some(self.graph.add_variable(size + absent));
            self.add_selector(position);
        }
        let reach = |&p: &usize| matches!(self.reaches.reach[p], Some(ReachCondition::When(_)));
        let conditional = self.unreached == Unreached::Free && needed.iter().any(reach);
        for position in needed {
            self.add_factors(position)?;
        }
        if self.failure_query.is_some() {
            self.require_failure();
        }
        let count = 0..self.expansion.elements().len();
        Ok(Encoding {
            rows: count.map(|p| self.row_of(p)).collect(),
            graph: self.graph,
            variables: self.variables,
            open_zeros: self.open_zeros,
            conditional,
        })
    }

    /// If only one `Chain` uses the element with the index `position`, and the element is a row of its table, returns this `Chain`.
    pub(super) fn row_of(&self, position: usize) -> Option<usize> {
        self.reaches.row_of[position]
    }

    pub(super) fn variable(&self, position: usize) -> VarId {
        self.variables[position].expect("what an element needs is encoded before it")
    }

    /// True if an element can have the value `absent` in the factor graph, because some worlds do not evaluate it.
    pub(super) fn may_be_absent(&self, position: usize) -> bool {
        self.unreached == Unreached::Absent
            && !matches!(self.reaches.reach[position], Some(ReachCondition::Always))
    }

    /// True if a world may leave the parent `parent` of the element `position` unevaluated because the function of the element does not read it.
    pub(super) fn is_skipped_by(&self, parent: usize, position: usize) -> bool {
        let is_listed = |reach: &ReachCondition| matches!(reach, ReachCondition::When(set) if set.contains(&(position, 0)));
        self.may_be_absent(parent)
            && !self.expansion.elements()[position].skips_last.is_empty()
            && self.reaches.reach[parent].as_ref().is_some_and(is_listed)
    }

    /// True if the elements `a` and `b` are evaluated in exactly the same possible worlds.
    pub(super) fn reached_with(&self, a: usize, b: usize) -> bool {
        self.unreached == Unreached::Free || self.reaches.reach[a] == self.reaches.reach[b]
    }

    /// Returns a variable that shows whether a world evaluates the element; `None` if every world evaluates it.
    pub(super) fn guard(&mut self, position: usize) -> Option<Guard> {
        if !self.may_be_absent(position) {
            return None;
        }
        let Some(ReachCondition::When(set)) = self.reaches.reach[position].clone() else {
            return None;
        };
        let key: Vec<(usize, usize)> = set.iter().copied().collect();
        if let Some(guard) = self.guards.get(&key) {
            return Some(guard.clone());
        }
        let guard = self.combine(&key);
        self.guards.insert(key, guard.clone());
        Some(guard)
    }

    /// Builds the guard of a set of choices of `Chain` elements: the guard is a variable that is true if at least one of these choices is made.
    ///
    /// If the set is a single choice of a `Chain` with more than [`FEW_CHOICES`] choices, the guard is a new variable, defined by the multiplexer of
    /// the chosen branch; otherwise the selector of the `Chain` would be in the factors of all branches. For other sets of choices, the guard is the
    /// selector variable of a `Chain` itself, or a new variable that is the disjunction of several guards.
    fn combine(&mut self, choices: &[(usize, usize)]) -> Guard {
        if let &[choice] = choices
            && self.selectors[&choice.0].choices.len() > FEW_CHOICES
        {
            let variable = self.graph.add_variable(2);
            self.chosen.insert(choice, variable);
            return Guard {
                variable,
                reached: vec![false, true],
            };
        }
        let mut guards: Vec<Guard> = Vec::new();
        for &(chain, choice) in choices {
            let selector = &self.selectors[&chain];
            let choices = selector.choices.iter();
            let reached = choices.map(|&c| c == ChainChoice::Result(choice));
            match guards.last_mut() {
                Some(last) if last.variable == selector.variable => {
                    last.reached
                        .iter_mut()
                        .zip(reached)
                        .for_each(|(a, b)| *a |= b);
                }
                _ => guards.push(Guard {
                    variable: selector.variable,
                    reached: reached.collect(),
                }),
            }
        }
        self.any_of(guards)
            .expect("a conditional reach has a choice")
    }

    /// Builds the disjunction of several guard variables, which show whether a world evaluates an element.
    pub(super) fn any_of(&mut self, guards: Vec<Guard>) -> Option<Guard> {
        guards.into_iter().reduce(|a, b| self.either(&a, &b))
    }

    fn either(&mut self, a: &Guard, b: &Guard) -> Guard {
        if a.variable == b.variable {
            let reached = a.reached.iter().zip(&b.reached).map(|(&a, &b)| a || b);
            return Guard {
                variable: a.variable,
                reached: reached.collect(),
            };
        }
        let variable = self.graph.add_variable(2);
        let pairs = a
            .reached
            .iter()
            .flat_map(|&x| b.reached.iter().map(move |&y| x || y));
        let index = pairs.map(u32::from).collect();
        self.add_function(vec![a.variable, b.variable, variable], index);
        Guard {
            variable,
            reached: vec![false, true],
        }
    }
}
