//! A model that was compiled to a junction tree and answers many queries.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{Element, Limits, Model, Value};
use num_bigint::BigUint;
use rand::Rng;

use super::compiled_encoding::{CompiledEncoding, PreviousTree};
use super::elimination_tree::EliminationTree;
use super::saved_tree::SavedTree;
use crate::compiled::Compiled;
use crate::compiled_problem::{CompiledProblem, unfolded_expansion, varying_evidence};
use crate::question::Question;
use figrs_answer::{Answer, Error, Marginal, World, conflict, expand};
use figrs_factor::eliminate::PlanCost;
use figrs_factor::tree::ContractionTree;

/// A model compiled to a junction tree.
///
/// The expansion of the model into lists of values, the elimination order and the tables are computed only once, at compilation. After compilation to
/// a junction tree, the evidence on the elements that were declared [`varying`](crate::JunctionTree::varying) may change. Every query takes a pass
/// over the junction tree, or over the subtrees of the tree that changed evidence affects.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::{Compiled, JunctionTree};
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let mut tree = JunctionTree::new().varying(&wet).compile(&Model::new(), &rain)?;
/// for (seen, expected) in [(true, 0.18 / 0.26), (false, 0.02 / 0.74)] {
///     tree.set(&wet, seen)?;
///     assert!((tree.probability(&rain, &true)? - expected).abs() < 1e-12);
/// }
/// let best = tree.most_probable()?;
/// assert!(!best.value(&rain)?);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
///
/// Queries do not change the compiled tree. Several threads may query the same compiled tree at the same time. Threads that query a compiled tree at
/// the same time compute separate messages, which take memory until evidence changes. A clone of a compiled tree shares the tree with the original,
/// but has its own evidence.
#[derive(Clone, Debug)]
pub struct CompiledTree {
    pub(super) problem: CompiledProblem,
    pub(super) expansion: Arc<Expansion>,
    /// The contraction tree for sums over worlds; `None` if the evidence at compilation is impossible.
    pub(super) sums: Option<CompiledEncoding>,
    /// The contraction tree for queries about single worlds, if it differs from the tree for sums; the first query that needs the tree compiles it.
    worlds: OnceLock<CompiledEncoding>,
}

impl CompiledTree {
    /// After `flag` has become `true`, passes over the tree end with [`EliminationError::Interrupted`](figrs_factor::eliminate::EliminationError).
    /// The new interrupt flag `flag` replaces the flag that was set at compilation. Clones of a tree may have different interrupt flags.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use std::sync::atomic::{AtomicBool, Ordering};
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_exact::{Compiled, JunctionTree};
    /// let (rain, flag) = (Flip::new(0.2), Arc::new(AtomicBool::new(true)));
    /// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
    /// let compiler = JunctionTree::new().varying(&wet);
    /// assert!(compiler.clone().interrupt(Arc::clone(&flag)).compile(&Model::new(), &rain).is_err());
    /// let tree = compiler.compile(&Model::new(), &rain)?;
    /// let mut asked = tree.clone().interrupt(flag);
    /// asked.set(&wet, true)?;
    /// assert!(asked.probability(&rain, &true).is_err());
    /// assert!(tree.probability(&rain, &true).is_ok());
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    #[must_use]
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.problem.limits = self.problem.limits.interrupted_by(flag);
        self
    }

    pub(crate) fn limited_to(mut self, limits: Limits) -> Self {
        self.problem.limits = limits;
        self
    }

    pub(crate) fn new(
        problem: CompiledProblem,
        question: &Question<'_>,
        saved: Option<&SavedTree>,
    ) -> Result<Self, Error> {
        saved.map_or(Ok(()), SavedTree::check)?;
        let (limits, model, roots) = (&problem.limits, question.model, question.targets);
        let expansion = question.expand(limits)?;
        let (mut sums, worlds) = (None, OnceLock::new());
        if expansion.impossible().is_none() {
            conflict::check_failures(&expansion, limits)?;
            let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
            let varying = problem.varying_positions(&expansion);
            let old = |tree: fn(&SavedTree) -> &Option<Arc<ContractionTree>>| match saved {
                Some(saved) => tree(saved)
                    .as_ref()
                    .map_or(PreviousTree::None, PreviousTree::Required),
                None => PreviousTree::None,
            };
            let tree = old(|saved| &saved.sums);
            sums = Some(CompiledEncoding::new(
                tree, &expansion, encoding, varying, limits,
            )?);
            if let tree @ PreviousTree::Required(_) = old(|saved| &saved.worlds) {
                let unfolded = unfolded_expansion(&expansion, model, roots, limits)?;
                let encoding = Encoding::for_worlds(&unfolded)?;
                let varying = problem.varying_positions(&unfolded);
                let part = CompiledEncoding::new(tree, &unfolded, encoding, varying, limits)?;
                worlds.get_or_init(|| part);
            }
        }
        Ok(Self {
            problem,
            expansion,
            sums,
            worlds,
        })
    }

    /// Returns the compiled factor graph for sums; `None` if the evidence at compilation is impossible.
    pub(crate) fn sums_part(&self) -> Option<&CompiledEncoding> {
        self.sums.as_ref()
    }

    /// Returns the predicted cost of the variable elimination that the tree performs.
    pub fn cost(&self) -> PlanCost {
        self.sums
            .as_ref()
            .map_or(PlanCost::default(), |part| part.tree().cost)
    }

    /// Returns the steps in which the elements are summed out; the list is empty if the evidence at compilation is impossible.
    pub fn elimination_tree(&self) -> EliminationTree {
        let part = self.sums_part();
        part.map_or_else(EliminationTree::default, CompiledEncoding::elimination_tree)
    }

    /// Returns the saved form of this tree, from which [`JunctionTree::restore`](crate::JunctionTree::restore) builds the tree again.
    ///
    /// The saved form contains neither values of parameters nor evidence that was set after the compilation.
    pub fn save(&self) -> SavedTree {
        let tree = |part: Option<&CompiledEncoding>| part.map(|part| part.tree().clone());
        SavedTree::new(tree(self.sums.as_ref()), tree(self.worlds.get()))
    }

    /// Returns the memory of the entries of all tables in bytes (eight bytes for each entry). The computation of marginals needs as much memory again
    /// as the entries of all tables of the tree.
    pub fn table_bytes(&self) -> u64 {
        self.sums
            .as_ref()
            .map_or(0, |part| part.tree().table_bytes())
    }

    varying_evidence!();

    fn state(&mut self, place: usize, statement: Option<Model>) -> Result<(), Error> {
        let weights = (self.problem).weights(&self.expansion, place, statement.as_ref())?;
        for part in [self.sums.as_mut(), self.worlds.get_mut()]
            .into_iter()
            .flatten()
        {
            part.state(place, weights.clone());
        }
        self.problem.statements[place] = statement;
        Ok(())
    }

    /// Reads the current values of all [`Param`](figrs_core::Param)s. The tree is compiled again only if a weight that the tree assumes to be zero is
    /// no longer zero.
    ///
    /// **Errors.** The errors of [`JunctionTree::compile`](crate::JunctionTree::compile); after an error, the tree is unchanged.
    pub fn refresh(&mut self) -> Result<(), Error> {
        let problem = &self.problem;
        let (limits, roots) = (&problem.limits, problem.roots());
        let expansion = Arc::new(expand(limits, &problem.model, &roots)?);
        if expansion.impossible().is_some() {
            (self.sums, self.worlds, self.expansion) = (None, OnceLock::new(), expansion);
            return Ok(());
        }
        conflict::check_failures(&expansion, limits)?;
        let renew =
            |old: Option<&CompiledEncoding>, expansion: &Arc<Expansion>, encoding: Encoding| {
                let old = old.map_or(PreviousTree::None, |part| {
                    PreviousTree::IfItFits(part.tree())
                });
                self.part(old, expansion, encoding)
            };
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let sums = renew(self.sums.as_ref(), &expansion, encoding)?;
        let worlds = match self.worlds.get() {
            Some(old) => {
                let unfolded = unfolded_expansion(&expansion, &problem.model, &roots, limits)?;
                let encoding = Encoding::for_worlds(&unfolded)?;
                OnceLock::from(renew(Some(old), &unfolded, encoding)?)
            }
            None => OnceLock::new(),
        };
        (self.sums, self.worlds, self.expansion) = (Some(sums), worlds, expansion);
        Ok(())
    }

    pub(super) fn require_possible(&self) -> Result<(), Error> {
        if self.log_evidence() > f64::NEG_INFINITY {
            return Ok(());
        }
        Err(self.problem.impossible())
    }

    fn part(
        &self,
        old: PreviousTree<'_>,
        expansion: &Arc<Expansion>,
        encoding: Encoding,
    ) -> Result<CompiledEncoding, Error> {
        let (problem, varying) = (&self.problem, self.problem.varying_positions(expansion));
        let mut part = CompiledEncoding::new(old, expansion, encoding, varying, &problem.limits)?;
        let all = problem.present_weights(expansion)?;
        for (place, weights) in all.into_iter().enumerate() {
            part.state(place, weights);
        }
        Ok(part)
    }

    /// Returns the compiled factor graph for single worlds; the first call compiles the graph.
    fn worlds(&self) -> Result<&CompiledEncoding, Error> {
        let Some(sums) = &self.sums else {
            return Err(self.problem.impossible());
        };
        if let Some(part) = self.worlds.get() {
            return Ok(part);
        }
        if !sums.is_conditional() && !self.expansion.shares_calls() {
            return Ok(sums);
        }
        let (problem, roots) = (&self.problem, self.problem.roots());
        let expansion =
            unfolded_expansion(&self.expansion, &problem.model, &roots, &problem.limits)?;
        let encoding = Encoding::for_worlds(&expansion)?;
        let part = self.part(PreviousTree::None, &expansion, encoding)?;
        Ok(self.worlds.get_or_init(|| part))
    }
}

impl Compiled for CompiledTree {
    #[track_caller]
    fn set<T: Value>(&mut self, element: &Element<T>, value: T) -> Result<(), Error> {
        let (place, statement) = self.problem.observation(element, value)?;
        self.state(place, Some(statement))
    }

    fn log_evidence(&self) -> f64 {
        self.sums
            .as_ref()
            .map_or(f64::NEG_INFINITY, CompiledEncoding::log_total)
    }

    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        (self.problem).distribution(&self.expansion, element, |position| {
            self.require_possible()?;
            let Some(part) = &self.sums else {
                return Ok(Vec::new());
            };
            part.prepare(&[position], &self.problem.limits.until)?;
            Ok(part.marginals(&[position]).pop().unwrap_or_default())
        })
    }

    fn answer(&self) -> Result<Answer, Error> {
        if let Some(part) = &self.sums {
            let positions = self.problem.target_positions(&self.expansion);
            part.prepare(positions, &self.problem.limits.until)?;
        }
        let log_evidence = self.log_evidence();
        let mut marginals = Vec::new();
        if !self.problem.targets.is_empty() {
            self.require_possible()?;
            if let Some(part) = &self.sums {
                marginals = part.marginals(self.problem.target_positions(&self.expansion));
            }
        }
        let expansion = &self.expansion;
        Ok((self.problem).answer(expansion, log_evidence, marginals))
    }

    fn most_probable(&self) -> Result<World, Error> {
        match self.k_best(1)?.pop() {
            Some(world) => Ok(world),
            None => Err(self.problem.impossible()),
        }
    }

    fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
        let part = self.worlds()?;
        self.problem.check_worlds(count, part.tree().variables())?;
        let best = part.k_best(count);
        if best.is_empty() && count > 0 {
            return Err(self.problem.impossible());
        }
        Ok(best)
    }

    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error> {
        match self.worlds()?.sample(rng) {
            Some(world) => Ok(world),
            None => Err(self.problem.impossible()),
        }
    }

    fn count(&self) -> Result<BigUint, Error> {
        if self.log_evidence() == f64::NEG_INFINITY {
            return Ok(BigUint::ZERO);
        }
        // A count is assumed to take four times the memory of a floating-point number.
        let bytes = 4.0 * self.worlds()?.tree().table_bytes() as f64;
        self.problem.limits.check_memory(bytes)?;
        Ok(self.worlds()?.count())
    }
}
