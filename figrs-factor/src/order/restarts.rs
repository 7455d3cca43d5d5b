//! Search for an elimination order of one component: greedy rules, restarts with noise, and local improvement of the best
//! order.

use crate::limits::Until;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::greedy::{GreedyCriterion, ScoreNoise, greedy};
use super::interaction_graph::InteractionGraph;
use super::order_tree::BagTree;
use crate::eliminate::error::{EliminationError, check_interrupt};

/// The first order is accepted if its joint tables have at most this number of entries for each variable and table of a component.
pub(super) const CHEAP_ORDER_ENTRIES: f64 = 256.0;
/// Number of memory words that the search for an order may read for each predicted entry of the joint tables. With this limit, the search for an
/// order takes about a tenth of the running time of the elimination.
const WORK_PER_ENTRY: f64 = 0.05;
/// Minimum budget of a search, as a multiple of the work for the first order.
const MIN_PASSES: u64 = 3;
/// Default of the maximum number of memory words that a search for an order reads: about half a second of work.
pub const MAX_WORK: u64 = 100_000_000;
/// Maximum total cost of the almost simplicial vertices that are eliminated before the search, relative to the best cost found before.
const MAX_EXCESS_SHARE: f64 = 1.0 / 64.0;
/// The search takes predicted zeros into account if they reduce the cost at least by this factor.
const WORTH_COUNTING: f64 = 4.0;
/// Divisor of the search budget; the quotient is the budget of all greedy rules without noise together.
const RULES: u64 = 3;
/// Divisor of the search budget; the quotient is the budget of one batch of restarts.
const BATCHES: u64 = 8;
/// Local improvements of an order are tried if its cost is at most this multiple of the best cost.
const MAX_IMPROVABLE_RATIO: f64 = 1.5;
/// Numbers of buckets that a local improvement reorders together, during the search and at its end.
const WINDOWS: (usize, usize) = (5, 10);

/// Greedy rules that are tried without noise, in this sequence.
const DENSE_RULES: [GreedyCriterion; 5] = [
    GreedyCriterion::HeavyFill,
    GreedyCriterion::FillSaved,
    GreedyCriterion::Fill,
    GreedyCriterion::SizeAndFill,
    GreedyCriterion::Size,
];
const SPARSE_RULES: [GreedyCriterion; 3] = [
    GreedyCriterion::NonZeros,
    GreedyCriterion::HeavyFill,
    GreedyCriterion::Fill,
];

/// The restarts of the search, which are repeated in this sequence. Each restart has a greedy rule, and the maximum absolute base-2 logarithm of the
/// noise on the scores of this rule.
const DENSE_TURNS: [(GreedyCriterion, f64); 8] = [
    (GreedyCriterion::Fill, 1.0),
    (GreedyCriterion::HeavyFill, 0.5),
    (GreedyCriterion::FillSaved, 0.25),
    (GreedyCriterion::Fill, 0.5),
    (GreedyCriterion::SizeAndFill, 0.25),
    (GreedyCriterion::HeavyFill, 1.0),
    (GreedyCriterion::FillSaved, 1.0),
    (GreedyCriterion::Size, 0.5),
];
const SPARSE_TURNS: [(GreedyCriterion, f64); 3] = [
    (GreedyCriterion::NonZeros, 1.0),
    (GreedyCriterion::NonZeros, 0.25),
    (GreedyCriterion::Fill, 1.0),
];

/// An elimination order and its cost: the total number of entries of all joint tables.
#[derive(Debug)]
pub(super) struct CostedOrder {
    pub(super) order: Vec<u32>,
    pub(super) price: f64,
}

impl CostedOrder {
    fn nothing() -> Self {
        Self {
            order: Vec::new(),
            price: f64::INFINITY,
        }
    }
}

/// Searches for a cheap elimination order of those vertices of the component `core` that may be eliminated.
///
/// `tables` is the number of tables of the component. `max_work` is the maximum number of memory words that the search reads after it has found a
/// first order. `count_zeros`, which is called only if the first order is not cheap, adds the predicted densities of tables to the graph.
///
/// **Guarantee.** The search for an order is deterministic: its work is counted in memory words, and its noise has a fixed seed. The resulting order
/// need not be the best order, which is hard to find. The cost of the resulting order is at most the cost of the greedy order by weighted fill-in.
///
/// **Complexity.** If the first greedy order is cheap, the search returns this order. If the first greedy order is not cheap, the work of the search
/// is proportional to the predicted running time of the elimination, up to a constant limit.
///
/// **References.** Kask, Gelfand, Otten and Dechter, *Pushing the power of stochastic greedy ordering schemes for
/// inference in graphical models*, AAAI 2011.
///
/// **Errors.** [`EliminationError::Interrupted`] if the run is stopped.
pub(super) fn search(
    core: InteractionGraph,
    tables: usize,
    (max_work, until): (u64, &Until),
    count_zeros: impl FnOnce(&mut InteractionGraph),
) -> Result<CostedOrder, EliminationError> {
    let n = core.weights.len();
    let size = core.left.len() + tables;
    let mut search = RestartSearch::new(core, max_work, until);
    search.attempt(DENSE_RULES[0], &ScoreNoise::none(n))?;
    if max_work == 0 || search.best.price <= CHEAP_ORDER_ENTRIES * size as f64 {
        return Ok(search.best);
    }
    let first_work = search.state.work;
    count_zeros(&mut search.start);
    let mut share = 1.0;
    if !search.start.densities.is_empty() {
        let dense = search.take_best();
        let counted = search.price(&dense.order);
        search.attempt(SPARSE_RULES[0], &ScoreNoise::none(n))?;
        if search.best.price * WORTH_COUNTING > dense.price {
            share = counted / dense.price;
            search.best = dense;
            search.start.densities.clear();
        } else if counted < search.best.price {
            search.best = CostedOrder {
                price: counted,
                ..dense
            };
        }
    }
    let mut head = Vec::new();
    let cheap = search.best.price * MAX_EXCESS_SHARE / n as f64;
    let reduced = search.start.reduce(cheap, &mut head);
    let (core, names) = search.start.compact();
    let mut inner = RestartSearch::new(core, max_work, until);
    inner.fixed = reduced;
    inner.share = share;
    inner.least = MIN_PASSES * first_work;
    inner.run()?;
    if inner.best.price + reduced < search.best.price {
        head.extend(inner.best.order.iter().map(|&v| names[v as usize]));
        search.best = CostedOrder {
            order: head,
            price: inner.best.price + reduced,
        };
    }
    Ok(search.best)
}

struct RestartSearch<'u> {
    until: &'u Until,
    start: InteractionGraph,
    /// The interaction graph of the order under construction, which also counts the work of the search.
    state: InteractionGraph,
    order: Vec<u32>,
    best: CostedOrder,
    fixed: f64,
    /// Predicted fraction of non-zero entries in all joint tables.
    share: f64,
    least: u64,
    most: u64,
}

impl<'u> RestartSearch<'u> {
    fn new(start: InteractionGraph, most: u64, until: &'u Until) -> Self {
        let mut search = Self {
            until,
            start,
            state: InteractionGraph::default(),
            order: Vec::new(),
            best: CostedOrder::nothing(),
            fixed: 0.0,
            share: 1.0,
            least: 0,
            most,
        };
        search.state.work = search.start.work;
        search
    }

    fn take_best(&mut self) -> CostedOrder {
        std::mem::replace(&mut self.best, CostedOrder::nothing())
    }

    /// Tries the greedy rule `rule`, and stores its order if it is the cheapest so far.
    fn attempt(
        &mut self,
        rule: GreedyCriterion,
        noise: &ScoreNoise,
    ) -> Result<(), EliminationError> {
        check_interrupt(self.until)?;
        self.state.copy_from(&self.start);
        self.order.clear();
        let limit = self.best.price;
        if let Some(price) = greedy(&mut self.state, rule, noise, limit, &mut self.order) {
            self.best.order.clone_from(&self.order);
            self.best.price = price;
        }
        Ok(())
    }

    /// Returns the cost of `order`; predicted zeros reduce the cost if the graph has densities.
    fn price(&mut self, order: &[u32]) -> f64 {
        self.state.copy_from(&self.start);
        self.state.forget_weights();
        self.order.clear();
        let mut price = 0.0;
        for &v in order {
            if self.state.is_remaining(v) {
                price += self.state.eliminate(v, &mut self.order);
            }
        }
        price
    }

    fn rules(&mut self, rules: &[GreedyCriterion]) -> Result<(), EliminationError> {
        let noise = ScoreNoise::none(self.start.weights.len());
        for &rule in rules {
            self.attempt(rule, &noise)?;
            if self.state.work > self.budget(self.best.price) / RULES {
                break;
            }
        }
        Ok(())
    }

    /// Returns the number of memory words that the search may read if the cost of its best order is `price`.
    fn budget(&self, price: f64) -> u64 {
        let work = (price + self.fixed) * self.share * WORK_PER_ENTRY;
        (work as u64).max(self.least).min(self.most)
    }

    /// Runs the greedy rules without noise, and improves their best order. After the greedy rules, alternates batches of restarts and improvements of
    /// the best order, and finally improves this order in larger windows (subsets of buckets).
    fn run(&mut self) -> Result<(), EliminationError> {
        let n = self.start.weights.len();
        let is_dense = self.start.densities.is_empty();
        let (rules, turns) = if is_dense {
            (&DENSE_RULES[..], &DENSE_TURNS[..])
        } else {
            (&SPARSE_RULES[..], &SPARSE_TURNS[..])
        };
        self.rules(rules)?;
        let free = self.start.left.clone();
        if free.len() < 3 {
            return Ok(());
        }
        self.improve(&free, WINDOWS.0, self.budget(self.best.price) / 4 * 3)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
        let mut noise = ScoreNoise::none(n);
        let mut turns = turns.iter().cycle();
        loop {
            let budget = self.budget(self.best.price);
            let batch = budget / BATCHES;
            if self.state.work + batch >= budget {
                break;
            }
            let best = self.take_best();
            let end = self.state.work + batch;
            while self.state.work < end
                && let Some(&(rule, span)) = turns.next()
            {
                noise.draw(&mut rng, span);
                self.attempt(rule, &noise)?;
            }
            if self.best.price < best.price * MAX_IMPROVABLE_RATIO {
                self.improve(&free, WINDOWS.0, budget)?;
            }
            if best.price <= self.best.price {
                self.best = best;
            }
        }
        for width in WINDOWS.0 + 1..=WINDOWS.1 {
            self.improve(&free, width, self.budget(self.best.price))?;
        }
        Ok(())
    }

    /// Reorders up to `width` buckets of the best order at a time, until the cost no longer falls or the budget is used up.
    fn improve(&mut self, free: &[u32], width: usize, end: u64) -> Result<(), EliminationError> {
        if !self.start.densities.is_empty() || self.best.order.is_empty() || self.state.work >= end
        {
            return Ok(());
        }
        let mut tree = BagTree::new(&self.start, &self.best.order);
        tree.work += self.state.work;
        while tree.improve(free, width, end) && tree.work < end {
            check_interrupt(self.until)?;
        }
        self.state.work = tree.work;
        let price = tree.total();
        if price < self.best.price {
            self.best = CostedOrder {
                order: tree.order(free),
                price,
            };
        }
        Ok(())
    }
}
