//! Messages of a mini-bucket elimination.

use crate::graph::{Factor, FactorGraph, LogTable, VarId, log_entry};
use crate::limits::Until;

use super::bucket_order::BucketOrder;
use super::partition::{BucketPartition, MiniBucket, divide};
use crate::algebra::MaxProduct;
use crate::eliminate::{EliminationError, EliminationTable, Projection, Projector};

/// Weight (exponent) of each mini-bucket except the first, for a lower bound; the weights of all mini-buckets of a bucket sum to one. On grids of
/// three-valued variables, the weight -1/2 gave better bounds than -1/16, -1/8, ..., -2.
const NEGATIVE_WEIGHT: f64 = -0.5;

/// The quantity that a mini-bucket elimination bounds, and the direction of the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    /// An upper bound of the largest weight of an assignment.
    MaximumAbove,
    /// An upper bound of the sum of the weights of all assignments.
    SumAbove,
    /// A lower bound of the sum of the weights of all assignments.
    SumBelow,
}

impl BoundKind {
    /// Returns the projection (maximum or power sum) of mini-bucket `i` of the `n` mini-buckets of a bucket, and the share of this mini-bucket in
    /// cost shifting. The shares of the `n` mini-buckets in cost shifting sum to one.
    fn of_mini_bucket(self, i: usize, n: usize) -> (Projection, f64) {
        let even = 1.0 / n as f64;
        match self {
            Self::MaximumAbove => (Projection::Maximum, even),
            Self::SumAbove => (Projection::PowerSum(even), even),
            Self::SumBelow => {
                let weight = if i == 0 {
                    1.0 - NEGATIVE_WEIGHT * (n - 1) as f64
                } else {
                    NEGATIVE_WEIGHT
                };
                (Projection::PowerSum(weight), weight)
            }
        }
    }
}

/// Divides the buckets of an elimination into mini-buckets so that joint tables have at most `limit` entries, or as many as the largest factor.
/// Halves `limit` until all messages together have at most `most` entries. Returns the mini-buckets, the final limit, and the number of entries of
/// all messages.
pub(super) fn fitting_partition(
    graph: &FactorGraph,
    order: &BucketOrder,
    limit: usize,
    most: f64,
) -> (Vec<BucketPartition>, usize, f64) {
    // Tables up to the size of the largest factor add little cost, because that factor is read anyway.
    let largest = graph.factors.iter().map(Factor::entries).max();
    let mut limit = limit.max(largest.unwrap_or(1));
    loop {
        let (buckets, entries) = divide(graph, order, limit);
        if entries <= most || limit <= 1 {
            return (buckets, limit, entries);
        }
        limit /= 2;
    }
}

/// The messages of a mini-bucket elimination.
///
/// The product of the messages without variables is a bound of the maximum or the sum over all assignments. A divided bucket should sum the product
/// of its mini-buckets `f_i` over a variable `x`. For weights `w_i` whose sum is one, the product of the power sums `(sum_x f_i^(1/w_i))^(w_i)` is a
/// bound of the sum of the product of the `f_i` over `x`: an upper bound for positive weights (Hölder's inequality), and a lower bound if all weights
/// except one are negative. In the limit of weight zero, a power sum becomes a maximum.
#[derive(Debug)]
pub struct MiniBuckets {
    messages: Vec<LogTable>,
    sources: Vec<VarId>,
    /// Logarithm of the number of assignments of the summed variables that occur in no table.
    free: f64,
}

impl MiniBuckets {
    /// Returns the total number of entries of all messages.
    pub fn entries(&self) -> usize {
        self.messages.iter().map(|table| table.logs.len()).sum()
    }

    /// Eliminates the variables in the sequence of `order`. `sizes` contains the maximum numbers of entries of a joint table and of all messages
    /// together; a joint table may always have as many entries as the largest factor.
    ///
    /// The limit on the size of a joint table is halved until the messages keep their limit.
    ///
    /// Before a divided bucket is eliminated, its mini-buckets are multiplied by factors that make their projections to the shared variables
    /// proportional (cost shifting). The factors by which the mini-buckets of one bucket are multiplied have the product one; this cost shifting
    /// improves the bound.
    ///
    /// **Complexity.** For each mini-bucket, the elimination computes two joint tables of limited size. **References.** Dechter and Rish,
    /// *Mini-buckets: a general scheme for bounded inference*, Journal of the ACM 50(2), 2003; Liu and Ihler, *Bounding the partition function using
    /// Hölder's inequality*, ICML 2011; Ihler, Flerova, Dechter and Otten, *Join-graph based cost-shifting schemes*, UAI 2012, section 4.
    pub fn new(
        graph: &FactorGraph,
        order: &BucketOrder,
        sizes: (usize, f64),
        kind: BoundKind,
        until: &Until,
    ) -> Result<Self, EliminationError> {
        Self::with_kinds(graph, order, sizes, |_| kind, until)
    }

    /// Eliminates the variables as [`new`](Self::new) does, with upper bounds: maximises over the variables `maximised`, and sums over all other
    /// variables, in the given order.
    ///
    /// For any order, the result is an upper bound of the marginal MAP (the largest sum), because a sum of maxima is at least the maximum of the
    /// sums. If the elimination order begins with all summed variables, each message over maximised variables is a bound of the part of the graph
    /// that the message replaces.
    ///
    /// **References.** Park and Darwiche, *Solving MAP exactly using systematic search*, UAI 2003; Marinescu, Dechter and Ihler, *AND/OR search
    /// for marginal MAP*, UAI 2014.
    pub fn marginal_map(
        graph: &FactorGraph,
        order: &BucketOrder,
        sizes: (usize, f64),
        maximised: &[VarId],
        until: &Until,
    ) -> Result<Self, EliminationError> {
        let mut kinds = vec![BoundKind::SumAbove; graph.cardinalities.len()];
        for v in maximised {
            kinds[v.index()] = BoundKind::MaximumAbove;
        }
        Self::with_kinds(graph, order, sizes, |v| kinds[v.index()], until)
    }

    fn with_kinds(
        graph: &FactorGraph,
        order: &BucketOrder,
        (limit, most): (usize, f64),
        kind_of: impl Fn(VarId) -> BoundKind,
        until: &Until,
    ) -> Result<Self, EliminationError> {
        let (buckets, ..) = fitting_partition(graph, order, limit, most);
        let mut this = Self {
            messages: Vec::new(),
            sources: Vec::new(),
            free: log_free_values(graph, &buckets, &kind_of),
        };
        let mut projector = Projector::new(graph, until.clone());
        for bucket in &buckets {
            let kind = kind_of(bucket.variable);
            let shifts = this.cost_shifts(graph, bucket, kind, &mut projector)?;
            for (i, mini) in bucket.mini_buckets.iter().enumerate() {
                let shift = shifts.get(i);
                let shift = shift.map(|shift| EliminationTable::dense(&bucket.shared, shift));
                let (projection, weight) = kind.of_mini_bucket(i, bucket.mini_buckets.len());
                let logs = if kind == BoundKind::SumBelow && mini.is_shrunk && weight > 0.0 {
                    // A power sum over variables of other buckets is not a lower bound; the message is zero instead.
                    vec![f64::NEG_INFINITY; graph.dense_size(&mini.output)]
                } else {
                    let mut tables = this.operands(graph, mini);
                    tables.extend(shift);
                    projector.project(tables, &mini.output, projection)?
                };
                this.messages
                    .push(LogTable::new(graph, mini.output.clone(), logs));
                this.sources.push(bucket.variable);
            }
        }
        Ok(this)
    }

    /// Returns the messages, in the order of elimination.
    pub fn messages(&self) -> &[LogTable] {
        &self.messages
    }

    /// Returns, for each message, the variable of the bucket that computed it.
    pub fn sources(&self) -> &[VarId] {
        &self.sources
    }

    /// Returns the natural logarithm of the bound of the whole sum.
    pub fn bound(&self, graph: &FactorGraph) -> f64 {
        let messages = self.messages.iter().filter(|table| table.scope.is_empty());
        let messages = messages.map(|table| table.logs[0]);
        let scalars = graph
            .factors
            .iter()
            .filter(|factor| factor.variables.is_empty());
        let scalars = scalars.map(|factor| log_entry(graph, factor, &[]));
        self.free + messages.chain(scalars).sum::<f64>()
    }

    /// Returns the natural logarithm of the upper bound of a maximum, increased by a bound of all rounding errors in its computation. The argument
    /// `magnitude` is the sum, over all factors, of the largest absolute logarithm of a weight.
    pub fn bound_above(&self, graph: &FactorGraph, magnitude: f64) -> f64 {
        // Each factor and message is added once, and cost shifting adds at most a mean and a difference.
        let additions = 4.0 * (graph.factors.len() + self.messages.len()) as f64;
        self.bound(graph) + additions * f64::EPSILON * (1.0 + magnitude)
    }

    fn operands<'a>(
        &'a self,
        graph: &'a FactorGraph,
        mini: &MiniBucket,
    ) -> Vec<EliminationTable<'a, MaxProduct>> {
        let table = |&id: &u32| match (id as usize).checked_sub(graph.factors.len()) {
            None => EliminationTable::of_factor(&graph.factors[id as usize]),
            Some(message) => {
                let message = &self.messages[message];
                EliminationTable::dense(&message.scope, &message.logs)
            }
        };
        mini.tables.iter().map(table).collect()
    }

    /// Returns one factor for each mini-bucket of `bucket`; the product of these factors is one. Multiplication of the mini-buckets by their factors
    /// makes the projections of the mini-buckets to the shared variables proportional (cost shifting, moment matching). The list of factors is empty
    /// if the bucket has only one mini-bucket.
    fn cost_shifts(
        &self,
        graph: &FactorGraph,
        bucket: &BucketPartition,
        kind: BoundKind,
        projector: &mut Projector<'_>,
    ) -> Result<Vec<Vec<f64>>, EliminationError> {
        let n = bucket.mini_buckets.len();
        if n < 2 {
            return Ok(Vec::new());
        }
        let mut shifts = Vec::with_capacity(n);
        for (i, mini) in bucket.mini_buckets.iter().enumerate() {
            let (projection, _) = kind.of_mini_bucket(i, n);
            shifts.push(projector.project(
                self.operands(graph, mini),
                &bucket.shared,
                projection,
            )?);
        }
        for cell in 0..shifts[0].len() {
            let sum: f64 = shifts.iter().map(|shifts| shifts[cell]).sum();
            for (i, shifts) in shifts.iter_mut().enumerate() {
                let (_, share) = kind.of_mini_bucket(i, n);
                let own = &mut shifts[cell];
                *own = if sum.is_finite() {
                    share * sum - *own
                } else if kind == BoundKind::SumBelow || *own == f64::NEG_INFINITY {
                    0.0
                } else {
                    // If the projection of one mini-bucket is zero here, the projections of all other mini-buckets may be set to
                    // zero as well.
                    f64::NEG_INFINITY
                };
            }
        }
        Ok(shifts)
    }
}

/// Returns the logarithm of the number of assignments of the summed variables that occur in no table.
fn log_free_values(
    graph: &FactorGraph,
    buckets: &[BucketPartition],
    kind_of: &impl Fn(VarId) -> BoundKind,
) -> f64 {
    let mut is_free = vec![true; graph.cardinalities.len()];
    let used = buckets
        .iter()
        .filter(|bucket| !bucket.mini_buckets.is_empty());
    for bucket in used {
        is_free[bucket.variable.index()] = false;
    }
    let variables = (0..graph.cardinalities.len() as u32).map(VarId);
    let free = variables.filter(|&v| is_free[v.index()] && kind_of(v) != BoundKind::MaximumAbove);
    free.map(|v| (graph.cardinality(v) as f64).ln()).sum()
}
