//! The plan of an elimination and its price, before any number is multiplied.

use figrs_core::factor::{FactorGraph, VarId};

use super::error::EliminationError;
use super::interaction::{Bucket, Interaction, Zeros};
use super::options::{Barren, Options, Order};
use super::order::{as_listed, greedily};
use super::prune::{Pruned, prune};
use super::score::Rule;
use super::validate::validate;

/// What an elimination is predicted to cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanCost {
    /// The number of variables in the largest bucket.
    pub width: usize,
    /// The predicted non-zeros of all joint tables together.
    pub operations: f64,
    /// The predicted entries of the largest message or answer.
    pub largest_table: f64,
}

impl PlanCost {
    fn within(self, options: &Options) -> Result<(), EliminationError> {
        if self.largest_table > options.table_budget as f64 {
            return Err(EliminationError::TableTooLarge {
                needed: self.largest_table,
                limit: options.table_budget,
            });
        }
        if self.operations > options.operation_budget {
            return Err(EliminationError::TooManyOperations {
                needed: self.operations,
                limit: options.operation_budget,
            });
        }
        Ok(())
    }
}

/// How a message is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Dense,
    Sparse,
}

impl Layout {
    /// Dense if that is small or not much larger than what is in it, and within the budget.
    ///
    /// `entries` is the size of the dense message, `joint` the base-2 logarithm of the predicted non-zeros.
    pub(super) fn choose(entries: f64, joint: f64, budget: usize) -> Self {
        let is_worth_it = entries <= 4096.0 || entries.log2() <= joint + 3.0;
        if entries <= budget as f64 && is_worth_it {
            Self::Dense
        } else {
            Self::Sparse
        }
    }
}

/// Up to this many operations for each variable and factor an order is taken that is as cheap if no entry is zero.
///
/// The prediction multiplies the shares of non-zeros of tables as if they were independent, and can promise far too
/// little; an order that needs no such promise is preferred where it costs next to nothing.
const CERTAIN_DRAFT: f64 = 256.0;
/// From this many operations for each variable and factor on, a second order is tried.
const SECOND_DRAFT: f64 = 64.0;

/// What becomes of the tables that are left in the end, over kept variables only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// They are multiplied to one table over all kept variables.
    Joined,
    /// The kept variables are eliminated too, after all others.
    Eliminated,
}

/// Buckets in one order, and their price.
struct Draft {
    buckets: Vec<Bucket>,
    rest: Vec<u32>,
    cost: PlanCost,
    /// The price of eliminating the kept variables afterwards, if that is to be done.
    afterwards: PlanCost,
}

impl Draft {
    fn new(
        graph: &FactorGraph,
        (keep, then): (&[VarId], Rest),
        options: &Options,
        mut interaction: Interaction,
        eliminate: impl Fn(&mut Interaction, &[VarId]) -> Vec<Bucket>,
        mentioned: &[VarId],
    ) -> Self {
        let buckets = eliminate(&mut interaction, mentioned);
        let rest = interaction.rest();
        let budget = options.table_budget;
        let (cost, afterwards) = match then {
            Rest::Joined => (price(graph, keep, &buckets, budget), PlanCost::default()),
            Rest::Eliminated => {
                let kept = interaction.release(keep);
                let last = eliminate(&mut interaction, &kept);
                let price = |buckets: &[Bucket]| price(graph, &[], buckets, budget);
                (price(&buckets), price(&last))
            }
        };
        Self {
            buckets,
            rest,
            cost,
            afterwards,
        }
    }

    /// The work of both parts.
    fn operations(&self) -> f64 {
        self.cost.operations + self.afterwards.operations
    }

    fn largest_table(&self) -> f64 {
        self.cost.largest_table.max(self.afterwards.largest_table)
    }

    /// The draft that fits the budget, or else the one with fewer operations.
    fn or_cheaper(self, other: Self, options: &Options) -> Self {
        let rank = |draft: &Self| {
            (
                draft.largest_table() > options.table_budget as f64,
                draft.operations(),
            )
        };
        if rank(&other) < rank(&self) {
            other
        } else {
            self
        }
    }
}

/// Buckets in the order they are computed.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) buckets: Vec<Bucket>,
    /// Tables left in the end, over kept variables only.
    pub(super) rest: Vec<u32>,
    /// For each factor, whether it takes part.
    pub(super) live: Vec<bool>,
    /// Eliminated variables that nothing mentions, except those that were pruned.
    pub(crate) free: Vec<VarId>,
    pub(crate) cost: PlanCost,
    /// The predicted cost of eliminating the kept variables after the others, where that was asked for.
    pub(super) afterwards: PlanCost,
}

impl Plan {
    /// Plans the elimination of everything but `keep`, and one table over `keep` in the end.
    pub(crate) fn new(
        graph: &FactorGraph,
        keep: &[VarId],
        options: &Options,
        sums_to_one: bool,
    ) -> Result<Self, EliminationError> {
        Self::with_rest(graph, (keep, Rest::Joined), options, sums_to_one)
    }

    /// Plans the elimination of everything but `keep`, and of `keep` afterwards; the buckets are those of the former.
    pub(super) fn in_two_parts(
        graph: &FactorGraph,
        keep: &[VarId],
        options: &Options,
        sums_to_one: bool,
    ) -> Result<Self, EliminationError> {
        Self::with_rest(graph, (keep, Rest::Eliminated), options, sums_to_one)
    }

    /// Plans the elimination of everything as if no entry were zero: for orders in which variables are guessed, not
    /// found by joining tables.
    pub(crate) fn as_if_dense(
        graph: &FactorGraph,
        options: &Options,
    ) -> Result<Self, EliminationError> {
        validate(graph, &[])?;
        let live = vec![true; graph.factors.len()];
        let drawn = || Interaction::new(graph, &live, &[], Zeros::Ignored);
        let variables = (0..graph.cardinalities.len() as u32).map(VarId);
        let interaction = drawn();
        let mentioned: Vec<VarId> = variables.filter(|&v| interaction.is_mentioned(v)).collect();
        let draft = |interaction, rule| {
            let order = |interaction: &mut Interaction, variables: &[VarId]| {
                greedily(interaction, variables, rule)
            };
            Draft::new(
                graph,
                (&[], Rest::Joined),
                options,
                interaction,
                order,
                &mentioned,
            )
        };
        let chosen = draft(interaction, Rule::NonZeros);
        let chosen = chosen.or_cheaper(draft(drawn(), Rule::FillIn), options);
        Ok(Self {
            buckets: chosen.buckets,
            cost: chosen.cost,
            live,
            ..Self::default()
        })
    }

    fn with_rest(
        graph: &FactorGraph,
        (keep, then): (&[VarId], Rest),
        options: &Options,
        sums_to_one: bool,
    ) -> Result<Self, EliminationError> {
        validate(graph, keep)?;
        let pruned = if sums_to_one && options.barren == Barren::Prune {
            prune(graph, keep)
        } else {
            Pruned::nothing(graph)
        };
        let mut plan = Self {
            live: pruned.live,
            ..Self::default()
        };
        let mut mentioned = Vec::new();
        let drawn = |zeros| Interaction::new(graph, &plan.live, keep, zeros);
        let interaction = drawn(Zeros::Ignored);
        let variables = (0..graph.cardinalities.len() as u32).map(VarId);
        for v in variables.filter(|&v| !interaction.is_settled(v)) {
            if interaction.is_mentioned(v) {
                mentioned.push(v);
            } else if !pruned.vanished[v.index()] {
                plan.free.push(v);
            }
        }
        let draft = |interaction, order: &dyn Fn(&mut Interaction, &[VarId]) -> Vec<Bucket>| {
            Draft::new(graph, (keep, then), options, interaction, order, &mentioned)
        };
        let chosen = match &options.order {
            Order::Given(listed) => draft(drawn(Zeros::Counted), &|interaction, variables| {
                as_listed(interaction, listed, variables)
            }),
            Order::Greedy => {
                let draft = |interaction, rule| {
                    draft(interaction, &|interaction, variables| {
                        greedily(interaction, variables, rule)
                    })
                };
                let size = (mentioned.len() + graph.factors.len()) as f64;
                let certain = draft(interaction, Rule::NonZeros);
                let fits = certain.largest_table() <= options.table_budget as f64;
                if fits && certain.operations() <= CERTAIN_DRAFT * size {
                    certain
                } else {
                    let first = draft(drawn(Zeros::Counted), Rule::NonZeros);
                    if first.operations() > SECOND_DRAFT * size {
                        let second = draft(drawn(Zeros::Counted), Rule::FillIn);
                        first.or_cheaper(second, options)
                    } else {
                        first
                    }
                }
            }
        };
        (plan.buckets, plan.rest) = (chosen.buckets, chosen.rest);
        (plan.cost, plan.afterwards) = (chosen.cost, chosen.afterwards);
        Ok(plan)
    }

    /// Refuses a plan that does not fit the budget.
    pub(crate) fn within(self, options: &Options) -> Result<Self, EliminationError> {
        self.cost.within(options)?;
        self.afterwards.within(options)?;
        Ok(self)
    }
}

fn price(graph: &FactorGraph, keep: &[VarId], buckets: &[Bucket], budget: usize) -> PlanCost {
    let answer = entries(graph, keep);
    let mut cost = PlanCost {
        width: keep.len(),
        operations: answer,
        largest_table: answer,
    };
    for bucket in buckets {
        let dense = entries(graph, &bucket.output);
        let message = match Layout::choose(dense, bucket.joint, budget) {
            Layout::Dense => dense,
            Layout::Sparse => dense.min(bucket.joint.exp2()),
        };
        cost.width = cost
            .width
            .max(bucket.output.len() + bucket.eliminated.len());
        cost.operations += bucket.joint.exp2();
        cost.largest_table = cost.largest_table.max(message);
    }
    cost
}

/// The number of joint values of some variables.
pub(super) fn entries(graph: &FactorGraph, variables: &[VarId]) -> f64 {
    variables
        .iter()
        .map(|&v| graph.cardinality(v) as f64)
        .product()
}
