//! The search for an order of one component: greedy rules, restarts with noise, and improvement of the best.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::core_graph::Core;
use super::greedy::{Noise, Rule, greedy};
use super::tree::Tree;

/// Up to this many entries for each vertex and table the first order is taken as it is.
const CHEAP: f64 = 256.0;
/// How many words a search may look at for each predicted entry. A word takes about five nanoseconds, an entry one, and
/// entries are gone through about three times: this is a tenth of the running time.
const WORK_PER_ENTRY: f64 = 0.06;
/// How many times the work of the first order a search may take in any case.
const LEAST_PASSES: u64 = 4;
/// No search looks at more words than this: about a second.
const MOST_WORK: f64 = 2e8;
/// Almost simplicial vertices together may cost at most this share of the first order more than they need.
const SLACK: f64 = 1.0 / 64.0;
/// A search ends early when so many rounds in a row found nothing better.
const PATIENCE: usize = 6;

/// The restarts, in turn: a rule, and how many binary digits the noise on its scores spans on either side.
const TURNS: [(Rule, f64); 8] = [
    (Rule::Fill, 1.0),
    (Rule::HeavyFill, 0.5),
    (Rule::FillSaved, 0.25),
    (Rule::SizeAndFill, 0.25),
    (Rule::Fill, 0.5),
    (Rule::HeavyFill, 1.0),
    (Rule::FillSaved, 1.0),
    (Rule::Size, 0.5),
];

/// An order and its price.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) order: Vec<u32>,
    pub(super) price: f64,
}

impl Found {
    fn nothing() -> Self {
        Self { order: Vec::new(), price: f64::INFINITY }
    }
}

/// The search for an order of one component.
pub(super) struct Search {
    start: Core,
    state: Core,
    order: Vec<u32>,
    best: Found,
}

impl Search {
    pub(super) fn new(start: Core) -> Self {
        Self { start, state: Core::default(), order: Vec::new(), best: Found::nothing() }
    }

    /// Tries a rule. Returns whether the order is better than the best so far.
    fn attempt(&mut self, rule: Rule, noise: &Noise, limit: f64) -> Option<f64> {
        self.state.copy_from(&self.start);
        self.order.clear();
        greedy(&mut self.state, rule, noise, limit, &mut self.order)
    }
}

pub(super) fn search(core: Core, size: usize, densities: impl FnOnce(&mut Core)) -> Vec<u32> {
    let n = core.weights.len();
    let mut search = Search::new(core);
    search.state.work = search.start.work;
    let first = search.attempt(Rule::HeavyFill, &Noise::none(n), f64::INFINITY);
    let mut best = Found { price: first.unwrap_or(f64::INFINITY), order: search.order.clone() };
    if best.price <= CHEAP * size as f64 {
        return best.order;
    }
    let first_work = search.state.work;
    // zeros
    densities(&mut search.start);
    let mut dense = true;
    if !search.start.densities.is_empty() {
        let mut sparse = Found::nothing();
        for rule in [Rule::NonZeros, Rule::HeavyFill, Rule::Fill] {
            if let Some(price) = search.attempt(rule, &Noise::none(n), sparse.price) {
                sparse = Found { price, order: search.order.clone() };
            }
        }
        if std::env::var("VERBOSE").is_ok() { println!("dense {:.4e} sparse {:.4e}", best.price, sparse.price); }
        if sparse.price * 4.0 < best.price {
            dense = false;
            best = sparse;
        } else {
            search.start.densities = Default::default();
        }
    }
    let budget = (best.price * WORK_PER_ENTRY).max((LEAST_PASSES * first_work) as f64).min(MOST_WORK) as u64;
    let t = std::time::Instant::now();
    search.state.work = 0;
    let mut head = Vec::new();
    let fixed = search.start.reduce(best.price * SLACK / n as f64, &mut head);
    let (core, names) = search.start.compact();
    if names.is_empty() { return head; }
    let verbose = std::env::var("VERBOSE").is_ok();
    if verbose { println!("first {:.4e} budget {budget} first work {first_work} n {n} core {} free {} {:?}", best.price, names.len(), core.left.len(), t.elapsed()); }
    let n = names.len();
    let free = core.left.clone();
    let mut search = Search::new(core);
    let mut inner = Found::nothing();
    let rules = [Rule::HeavyFill, Rule::Fill, Rule::FillSaved, Rule::SizeAndFill, Rule::Size];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let mut noise = Noise::none(n);
    if dense {
        for rule in rules {
            if search.state.work > budget / 2 { break; }
            if let Some(price) = search.attempt(rule, &noise, inner.price) {
                inner = Found { price, order: search.order.clone() };
            }
        }
    } else {
        for rule in [Rule::NonZeros, Rule::HeavyFill, Rule::Fill] {
            if let Some(price) = search.attempt(rule, &noise, inner.price) {
                inner = Found { price, order: search.order.clone() };
            }
        }
    }
    if verbose { println!("rules {:.4e} work {} {:?}", inner.price + fixed, search.state.work, t.elapsed()); }
    let rounds = env("ROUNDS", 4.0) as u64;
    let mut turn = 0;
    let mut spent = search.state.work;
    let mut overall = Found::nothing();
    for round in 1..=rounds {
        let end = budget * round / rounds;
        let mut local = if round == 1 { inner.clone() } else { Found::nothing() };
        let half = (spent + end) / 2;
        search.state.work = spent;
        while search.state.work < half {
            let (rule, span) = if dense { TURNS[turn % TURNS.len()] } else { [(Rule::NonZeros, 1.0), (Rule::NonZeros, 0.25), (Rule::Fill, 1.0)][turn % 3] };
            turn += 1;
            for (log, factor) in noise.logs.iter_mut().zip(&mut noise.factors) {
                *log = span * (2.0 * rng.random::<f64>() - 1.0);
                *factor = log.exp2();
            }
            if let Some(price) = search.attempt(rule, &noise, local.price) {
                local = Found { price, order: search.order.clone() };
            }
        }
        spent = search.state.work;
        let before = local.price;
        if local.order.is_empty() { continue; }
        if dense {
            let mut tree = Tree::new(&search.start, &local.order);
            let mut width = 5;
            tree.work = spent;
            while tree.work < end && width <= 12 {
                if !tree.improve(&free, width, end) { width += 1; }
            }
            local = Found { price: tree.total(), order: tree.order(&free) };
            spent = tree.work;
        }
        if local.price < overall.price { overall = local.clone(); }
        if verbose { println!("  round {round} restarts {turn} {:.4e} improved {:.4e} overall {:.4e} work {spent} of {budget} {:?}", before + fixed, local.price + fixed, overall.price + fixed, t.elapsed()); }
    }
    if overall.price + fixed >= best.price { return best.order; }
    head.extend(overall.order.iter().map(|&v| names[v as usize]));
    head
}
fn env(k: &str, d: f64) -> f64 { std::env::var(k).ok().and_then(|s| s.parse().ok()).unwrap_or(d) }
