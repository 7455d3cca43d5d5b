//! The most probable world, found by variable elimination with maximisation.

use figrs_core::expand::Expansion;
use figrs_core::{AnyElement, Datum, Limits, Model};

use super::closed_form::best_world_in_closed_form;
use super::question::{Question, encode_worlds, values_in_world};
use figrs_answer::{Algorithm, Answer, Error, setters};
use figrs_factor::eliminate::{EliminationError, most_probable};

/// The most probable explanation: the world (an assignment of values to the roots and the elements on which they depend) with the largest
/// probability.
///
/// A world is one run of the program from its roots: the targets and all elements with evidence. Elements of program branches that a run of the
/// program does not take do not belong to the world, and the probability of the world does not contain their probabilities as factors. Random
/// elements in a branch of the program do not reduce the probability of a world that does not take the branch. The answer has the value of every
/// element of the most probable world, not only the values of the targets.
///
/// In `ExpectationMaximization`, `MpeVariableElimination` gives hard EM: the counts come from the most probable completion of each data row. In hard
/// EM, a max-product contraction tree, which is compiled once within the limits of the algorithm, finds the most probable completions of the data
/// rows. The log-likelihood that hard EM reports is the logarithm of the probability of the completed rows, and no iteration lowers it. The
/// log-likelihood of completed data rows is not the log-likelihood of the observed values alone. The parameters that hard EM estimates are biased
/// towards the completions, and the estimates are not consistent (Celeux and Govaert, "A classification EM algorithm for clustering and two
/// stochastic versions", 1992). Hard EM does not complete a missing value of an element with a density; a data row with such a missing value
/// contributes nothing to the counts of the element.
///
/// **Guarantee.** The returned world is exactly the most probable world. Of equally probable values of an element, the first in its support is
/// chosen; the elements are maximised in an order that is fixed for each model.
///
/// **Complexity.** The complexity is that of [`VariableElimination`](crate::VariableElimination), with maxima in place of sums. In an elimination
/// that maximises, in contrast to an elimination that sums, no factor is omitted, and elements of branches have the additional value `absent` (not
/// evaluated).
///
/// **Errors.** The errors of [`VariableElimination`](crate::VariableElimination).
///
/// **References.** Dechter (1999), "Bucket elimination", section 5.
///
/// ```
/// # use figrs_core::{Constant, Flip, If, Model, Uniform};
/// # use figrs_exact::MpeVariableElimination;
/// # use figrs_answer::Run;
/// let a = Flip::new(0.6);
/// let c = If::new(&a, Uniform::new(1..=10), Constant::new(0));
/// let world = MpeVariableElimination::new().run(&Model::new(), (&a, &c))?;
/// assert_eq!((world.most_likely_value(&a)?, world.most_likely_value(&c)?), (false, 0));
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MpeVariableElimination {
    limits: Limits,
}

impl MpeVariableElimination {
    /// Creates a search for the most probable world with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    setters!(limits: limits);

    /// Returns the limits on the expansion of the model (the listing of all possible values) and on the elimination.
    #[doc(hidden)]
    pub fn own_limits(&self) -> &Limits {
        &self.limits
    }
}

impl Algorithm for MpeVariableElimination {
    fn name(&self) -> &'static str {
        "MpeVariableElimination"
    }

    fn finds_world(&self) -> bool {
        true
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let found = self.answer_to(&Question::new(model, targets));
        found.or_else(|refused| {
            best_world_in_closed_form(self.name(), (model, targets), &self.limits, refused)
        })
    }
}

impl MpeVariableElimination {
    /// Answers a question (a model with targets), and may reuse the expansion (the lists of possible values) that another algorithm made of the
    /// model.
    pub(crate) fn answer_to(&self, question: &Question<'_>) -> Result<Answer, Error> {
        let worlds = question.world_graph(&self.limits)?;
        match most_probable(worlds.graph(), &self.limits) {
            Ok((world, _)) => Ok(worlds.answer(self.name(), &world, Vec::new())),
            Err(EliminationError::Impossible) => Err(question.impossible(&self.limits)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the values of the elements of the most probable world of an expanded model, and the natural logarithm of the world's probability. The
/// closure `impossible` makes the error for impossible evidence.
pub(crate) fn best_world(
    expansion: &Expansion,
    limits: &Limits,
    impossible: impl Fn() -> Error,
) -> Result<(Vec<(AnyElement, Datum)>, f64), Error> {
    let encoding = encode_worlds(expansion, limits, &impossible)?;
    match most_probable(encoding.graph(), limits) {
        Ok((world, log_probability)) => {
            let values = values_in_world(expansion, &encoding, &world).collect();
            Ok((values, log_probability))
        }
        Err(EliminationError::Impossible) => Err(impossible()),
        Err(error) => Err(error.into()),
    }
}
