//! Messages from factors to variables in belief propagation, and the beliefs computed from these messages.

use super::network::{Edge, FactorEntries, MessageGraph};
use figrs_answer::run::watch::RunMonitor;
use figrs_factor::Stopped;
use figrs_factor::algebra::{LogSumProduct, Semiring, SumProduct, log_sum};

/// Smallest logarithm for which a product of message entries can be computed as an ordinary number without loss of precision.
const SAFE: f64 = -600.0;
/// Number of factor table entries that are read between two checks of the deadline.
const SLICE: u64 = 100_000;
const NONE: f64 = f64::NEG_INFINITY;
/// Least natural logarithm of a non-zero entry of a belief propagation message. Without a lower limit for the logarithms of message entries, their
/// absolute values might grow at every iteration if the graph has loops, and an overflow would be mistaken for a zero. A sum of logarithms whose
/// magnitude is below 1e12 has a rounding error of at most a ten-thousandth.
const FLOOR: f64 = -1e12;

/// The semiring in which messages of belief propagation are computed: sum-product or max-product.
pub(super) trait MessageAlgebra {
    /// The semiring for messages that are stored as logarithms.
    type Logs: Semiring<Value = f64>;
    /// The semiring for messages that are stored as ordinary numbers; for max-product, where ordinary numbers are not faster, it is the semiring on
    /// logarithms.
    type Linear: Semiring<Value = f64>;
    const LINEAR: bool;
}

#[derive(Debug)]
pub(super) struct SumMessages;

impl MessageAlgebra for SumMessages {
    type Logs = LogSumProduct;
    type Linear = SumProduct;
    const LINEAR: bool = true;
}

#[derive(Debug)]
pub(super) struct MaxMessages;

impl MessageAlgebra for MaxMessages {
    type Logs = figrs_factor::algebra::MaxProduct;
    type Linear = figrs_factor::algebra::MaxProduct;
    const LINEAR: bool = false;
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ConvergenceCriteria {
    pub(super) iterations: u64,
    pub(super) work: u64,
    pub(super) tolerance: f64,
    pub(super) damping: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ConvergenceResult {
    pub(super) iterations: u64,
    pub(super) residual: f64,
    pub(super) stopped: Stopped,
    /// `true` if the messages exclude every value of some variable.
    pub(super) impossible: bool,
}

/// The messages of a factor graph as natural logarithms; the largest entry of each message is zero.
pub(super) struct Messages<'n> {
    network: &'n MessageGraph,
    /// The messages from factors to variables.
    sent: Vec<f64>,
    /// For each value of each variable, the sum of the logarithms of the non-zero message entries that the variable receives for the value, and the
    /// number of entries that are zero.
    beliefs: Vec<f64>,
    zeros: Vec<u32>,
    incoming: Vec<f64>,
    numbers: Vec<f64>,
    outgoing: Vec<f64>,
    products: Vec<f64>,
}

impl<'n> Messages<'n> {
    pub(super) fn new(network: &'n MessageGraph) -> Self {
        let values = network.starts[network.variables()];
        Self {
            network,
            sent: vec![0.0; network.entries],
            beliefs: vec![0.0; values],
            zeros: vec![0; values],
            incoming: Vec::new(),
            numbers: Vec::new(),
            outgoing: Vec::new(),
            products: Vec::new(),
        }
    }

    /// Sends the messages of all factors, in the order of the factors and in reverse order, until the messages converge.
    pub(super) fn pass_until_convergence<M: MessageAlgebra>(
        &mut self,
        until: ConvergenceCriteria,
        watching: &RunMonitor<'_>,
    ) -> ConvergenceResult {
        let tables = &self.network.tables;
        let each: u64 = 2 * tables.iter().map(FactorEntries::work).sum::<u64>();
        let tolerance = if self.network.is_forest {
            // The answer for a forest is reported as exact; the tolerance must therefore be small.
            until.tolerance.min(1e-10)
        } else {
            until.tolerance
        };
        let mut settling = ConvergenceResult {
            iterations: 0,
            residual: f64::INFINITY,
            stopped: Stopped::Finished,
            impossible: tables.iter().any(|table| table.logs.is_empty()),
        };
        let mut spent = 0u64;
        while settling.residual > tolerance && !settling.impossible {
            if settling.iterations == until.iterations || spent.saturating_add(each) > until.work {
                settling.stopped = Stopped::Budget;
                break;
            }
            self.recompute_beliefs();
            let mut residual: f64 = 0.0;
            let mut since = SLICE;
            let order = (0..tables.len()).chain((0..tables.len()).rev());
            for factor in order {
                since += tables[factor].work() + 1;
                if since >= SLICE {
                    since = 0;
                    if let Some(why) = watching.stopped() {
                        settling.stopped = why;
                        return settling;
                    }
                }
                let Some(change) = self.send_from_factor::<M>(factor, until.damping) else {
                    settling.impossible = true;
                    return settling;
                };
                residual = residual.max(change);
            }
            spent += each;
            settling.iterations += 1;
            settling.residual = residual;
            watching.report(settling.iterations);
        }
        settling
    }

    /// Recomputes the product of all messages to each variable; without this recomputation, rounding errors would accumulate in products that are
    /// only updated.
    pub(super) fn recompute_beliefs(&mut self) {
        self.beliefs.fill(0.0);
        self.zeros.fill(0);
        for edge in &self.network.edges {
            let at = self.network.starts[edge.variable];
            for x in 0..edge.values {
                let message = self.sent[edge.start + x];
                if message == NONE {
                    self.zeros[at + x] += 1;
                } else {
                    self.beliefs[at + x] += message;
                }
            }
        }
    }

    /// Computes the message of a variable to a factor: the product of the messages from all other factors of the variable, divided by the largest
    /// entry of the product.
    fn variable_to_factor(&self, edge: &Edge, into: &mut Vec<f64>) {
        let at = self.network.starts[edge.variable];
        let first = into.len();
        for x in 0..edge.values {
            let message = self.sent[edge.start + x];
            let own = u32::from(message == NONE);
            into.push(if self.zeros[at + x] > own {
                NONE
            } else if own == 1 {
                self.beliefs[at + x]
            } else {
                self.beliefs[at + x] - message
            });
        }
        normalise(&mut into[first..]);
    }

    fn receive_all(&mut self, factor: usize) {
        let mut incoming = std::mem::take(&mut self.incoming);
        incoming.clear();
        for edge in self.network.edges(&self.network.tables[factor]) {
            self.variable_to_factor(edge, &mut incoming);
        }
        self.incoming = incoming;
    }

    /// Sends the messages of `factor` to its variables. Returns the largest change of an entry of the sent messages, or `None` if the messages
    /// exclude every value of a variable.
    fn send_from_factor<M: MessageAlgebra>(&mut self, factor: usize, damping: f64) -> Option<f64> {
        let network = self.network;
        let table = &network.tables[factor];
        self.receive_all(factor);
        let finite = self.incoming.iter().filter(|log| **log > NONE);
        let least = finite.copied().fold(0.0, f64::min);
        let values = self.incoming.len();
        self.outgoing.clear();
        let lowest = table.least + least * table.arity() as f64;
        if M::LINEAR && lowest > SAFE {
            self.outgoing.resize(values, 0.0);
            self.numbers.clear();
            self.numbers
                .extend(self.incoming.iter().map(|log| log.exp()));
            let (rows, arity) = (&table.rows, table.arity());
            accumulate_messages::<M::Linear>(
                (rows, &table.linear, arity),
                &self.numbers,
                &mut self.outgoing,
                &mut self.products,
            );
            self.outgoing.iter_mut().for_each(|x| *x = x.ln());
        } else {
            self.outgoing.resize(values, NONE);
            accumulate_messages::<M::Logs>(
                (&table.rows, &table.logs, table.arity()),
                &self.incoming,
                &mut self.outgoing,
                &mut self.products,
            );
        }
        let mut change: f64 = 0.0;
        for edge in network.edges(table) {
            let message = &mut self.outgoing[edge.local..edge.local + edge.values];
            if !normalise(message) {
                return None;
            }
            let old = &mut self.sent[edge.start..edge.start + edge.values];
            if damping > 0.0 {
                for (new, &old) in message.iter_mut().zip(&*old) {
                    // An entry that is zero stays zero, because later messages cannot make an excluded value possible again.
                    if *new > NONE {
                        *new = (1.0 - damping) * *new + damping * old;
                    }
                }
                normalise(message);
            }
            for new in message.iter_mut().filter(|new| **new > NONE) {
                *new = new.max(FLOOR);
            }
            let at = network.starts[edge.variable];
            for (x, (&new, old)) in message.iter().zip(old).enumerate() {
                change = change.max(difference(new, *old, network.is_forest));
                if new > NONE {
                    self.beliefs[at + x] += new - *old;
                } else if *old > NONE {
                    self.beliefs[at + x] -= *old;
                    self.zeros[at + x] += 1;
                }
                *old = new;
            }
        }
        Some(change)
    }

    /// Returns the logarithms of the product of the messages to a variable; the largest logarithm is zero.
    pub(super) fn belief(&self, variable: usize) -> Vec<f64> {
        let values = self.network.starts[variable]..self.network.starts[variable + 1];
        let log = |at: usize| {
            if self.zeros[at] > 0 {
                NONE
            } else {
                self.beliefs[at]
            }
        };
        let mut belief: Vec<f64> = values.map(log).collect();
        normalise(&mut belief);
        belief
    }

    pub(super) fn marginal(&self, variable: usize) -> Vec<f64> {
        let mut shares = self.belief(variable);
        for share in &mut shares {
            *share = share.exp();
        }
        let total: f64 = shares.iter().sum();
        for share in &mut shares {
            *share /= total;
        }
        shares
    }

    /// Returns the negative Bethe free energy of the factor graph. If the graph is a forest and the messages have converged, the negative Bethe free
    /// energy is the logarithm of the sum of the weights of all assignments.
    pub(super) fn log_total(&mut self) -> f64 {
        self.recompute_beliefs();
        let network = self.network;
        let mut total = 0.0;
        for v in 0..network.variables() {
            let values = network.starts[v]..network.starts[v + 1];
            let log = |at: usize| {
                if self.zeros[at] > 0 {
                    NONE
                } else {
                    self.beliefs[at]
                }
            };
            total += log_sum(values.map(log));
        }
        for (factor, table) in network.tables.iter().enumerate() {
            self.receive_all(factor);
            let incoming = &self.incoming;
            total += table.scale + log_sum(self.entry_beliefs(table));
            for edge in network.edges(table) {
                let own = |x: usize| incoming[edge.local + x] + self.sent[edge.start + x];
                total -= log_sum((0..edge.values).map(own));
            }
        }
        total
    }

    /// Returns, for each entry of a factor, the logarithm of the entry plus the logarithms of the messages from the factor's variables to the factor.
    fn entry_beliefs<'m>(
        &'m self,
        table: &'m FactorEntries,
    ) -> impl Iterator<Item = f64> + Clone + 'm {
        let arity = table.arity();
        (0..table.logs.len()).map(move |i| {
            let row = &table.rows[i * arity..(i + 1) * arity];
            let incoming = row.iter().map(|&at| self.incoming[at as usize]);
            table.logs[i] + incoming.sum::<f64>()
        })
    }

    /// Returns the belief of a factor: the probability of each non-zero entry. Before the belief of a factor is requested, the caller must have
    /// called [`recompute_beliefs`](Self::recompute_beliefs), which multiplies the messages to each variable.
    pub(super) fn factor_belief(&mut self, factor: usize) -> Vec<f64> {
        self.receive_all(factor);
        let logs = self.entry_beliefs(&self.network.tables[factor]);
        let total = log_sum(logs.clone());
        logs.map(|log| (log - total).exp()).collect()
    }

    /// Chooses one value for each variable, factor by factor: each factor gives its variables the joint values with the largest belief, among those
    /// that agree with the values chosen before.
    pub(super) fn decode(&mut self) -> Vec<u32> {
        self.recompute_beliefs();
        let network = self.network;
        let mut chosen: Vec<Option<u32>> = vec![None; network.variables()];
        let mut done = vec![false; network.tables.len()];
        for first in 0..network.variables() {
            if chosen[first].is_none() {
                chosen[first] = Some(best(&self.belief(first)));
            }
            let mut open = vec![first];
            while let Some(v) = open.pop() {
                for &edge in &network.edges_of[v] {
                    let factor = network.edges[edge].factor;
                    if std::mem::replace(&mut done[factor], true) {
                        continue;
                    }
                    self.receive_all(factor);
                    let row = self.best_row(factor, &chosen);
                    for (i, edge) in network.edges(&network.tables[factor]).iter().enumerate() {
                        if chosen[edge.variable].is_none() {
                            let value = match row {
                                Some(row) => row[i] - edge.local as u32,
                                None => best(&self.belief(edge.variable)),
                            };
                            chosen[edge.variable] = Some(value);
                            open.push(edge.variable);
                        }
                    }
                }
            }
        }
        chosen.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Returns the assignment with the largest entry of a factor, among the entries that agree with the values chosen before for variables of the
    /// factor.
    fn best_row(&self, factor: usize, chosen: &[Option<u32>]) -> Option<&'n [u32]> {
        let table = &self.network.tables[factor];
        let edges = self.network.edges(table);
        let mut found: Option<(f64, &[u32])> = None;
        for (row, log) in table.rows.chunks_exact(edges.len().max(1)).zip(&table.logs) {
            let mut weight = *log;
            for (edge, &at) in edges.iter().zip(row) {
                weight += match chosen[edge.variable] {
                    None => self.incoming[at as usize],
                    Some(value) if value == at - edge.local as u32 => 0.0,
                    Some(_) => NONE,
                };
            }
            if weight > found.map_or(NONE, |best| best.0) {
                found = Some((weight, row));
            }
        }
        found.map(|best| best.1)
    }
}

/// Returns the absolute difference of two entries of a message, which are given as logarithms. If `relative` is `true`, the difference of two message
/// entries is computed as the difference of their logarithms.
fn difference(new: f64, old: f64, relative: bool) -> f64 {
    if new == old {
        0.0
    } else if relative {
        (new - old).abs()
    } else {
        (new.exp() - old.exp()).abs()
    }
}

/// Returns the index of the largest number; of equal numbers, the first index.
fn best(logs: &[f64]) -> u32 {
    let mut best = 0;
    for (i, log) in logs.iter().enumerate() {
        if *log > logs[best] {
            best = i;
        }
    }
    best as u32
}

/// Divides a message by its largest entry; returns `false` if all entries are zero.
fn normalise(logs: &mut [f64]) -> bool {
    let most = logs.iter().copied().fold(NONE, f64::max);
    if most == NONE {
        return false;
    }
    for log in logs {
        *log -= most;
    }
    true
}

/// Multiplies each entry of a factor, for each variable of the factor, by the messages of all other variables, and adds the product to the message
/// that the factor sends to the variable.
fn accumulate_messages<S: Semiring<Value = f64>>(
    (rows, entries, arity): (&[u32], &[f64], usize),
    incoming: &[f64],
    outgoing: &mut [f64],
    products: &mut Vec<f64>,
) {
    match arity {
        0 => {}
        1 => {
            for (&at, entry) in rows.iter().zip(entries) {
                S::accumulate(&mut outgoing[at as usize], entry);
            }
        }
        2 => {
            for (row, entry) in rows.chunks_exact(2).zip(entries) {
                let (a, b) = (row[0] as usize, row[1] as usize);
                S::accumulate(&mut outgoing[a], &S::mul(entry, &incoming[b]));
                S::accumulate(&mut outgoing[b], &S::mul(entry, &incoming[a]));
            }
        }
        _ => {
            for (row, entry) in rows.chunks_exact(arity).zip(entries) {
                // For each variable, the product of the entry and the messages of all variables before it.
                products.clear();
                let mut before = *entry;
                for &at in row {
                    products.push(before);
                    before = S::mul(&before, &incoming[at as usize]);
                }
                let mut after = S::one();
                for (&at, before) in row.iter().zip(&*products).rev() {
                    S::accumulate(&mut outgoing[at as usize], &S::mul(before, &after));
                    after = S::mul(&after, &incoming[at as usize]);
                }
            }
        }
    }
}
