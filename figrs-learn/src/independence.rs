//! Decides conditional independence of random variables by the structure of a model.

use figrs_core::graph::EvidenceRole;
use figrs_core::{Model, Parents};

use figrs_answer::{Error, guarded};
use figrs_exact::dependencies::dependency_graph;

/// True if `a` and `b` are independent given `given` and the evidence of `model`. The independence test depends only on the structure of the model,
/// not on its probabilities.
///
/// The arguments `a`, `b` and `given` are each a random variable, a tuple or a list of random variables; `()` as `given` states that nothing is
/// given. Independence refers to the joint distribution of the variables in `a`, `b` and `given`, conditional on the evidence. A
/// [`Score`](figrs_core::Score) (a weight of worlds) on which a variable of `a`, `b` or `given` depends counts as evidence. An intervention on a
/// random variable cuts the dependence of the variable on its parents.
///
/// **Guarantee.** If the result is true, the variables in `a` are independent of those in `b`, given `given` and the evidence. If the result is
/// false, the variables in `a` and `b` depend on each other for almost all probabilities of the model, but not necessarily for all (d-separation).
/// The graph of a model contains the branches of all `Chain` elements that the evidence allows, with the random variables that these branches create
/// and use. In the test for d-separation, an observed variable counts as a given variable. A condition, a weight or a `Score` is an observed node
/// that reads a random variable, and therefore makes the causes of this variable dependent on each other. Functions of given variables, and variables
/// with a single possible value, also count as given. An independence that holds only for some values of the given variables (context-specific
/// independence) is not found, because the graph is the same for all values.
///
/// **Complexity.** Enumerating the branches and values of the model takes the time of an expansion, as for exact inference; the remaining time is
/// linear in the number of variables and edges.
///
/// **Errors.** [`Error::ImpossibleEvidence`] if the evidence is impossible; the errors of the enumeration of branches and values (expansion).
/// Continuous variables and variables with infinitely many values are allowed only in models without `Chain` elements (except members of families of
/// distributions).
///
/// **References.** Geiger, Verma and Pearl, *Identifying independence in Bayesian networks*, Networks 20, 1990; Koller and Friedman,
/// *Probabilistic graphical models*, 2009, algorithm 3.1.
///
/// ```
/// # use figrs_core::{Flip, If, Model, Parents};
/// # use figrs_learn::independent;
/// let (burglary, earthquake) = (Flip::new(0.01), Flip::new(0.02));
/// let alarm = (&burglary, &earthquake).flat_map(|(b, e)| Flip::new(if *b || *e { 0.9 } else { 0.01 }));
/// let calls = If::new(&alarm, Flip::new(0.7), Flip::new(0.01));
/// let model = Model::new();
/// assert!(independent(&model, &burglary, &earthquake, ())?);
/// assert!(!independent(&model, &burglary, &earthquake, &calls)?);
/// assert!(independent(&model, &burglary, &calls, &alarm)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub fn independent(
    model: &Model,
    a: impl Parents,
    b: impl Parents,
    given: impl Parents,
) -> Result<bool, Error> {
    let (a, b, given) = (a.elements(), b.elements(), given.elements());
    guarded(|| {
        let graph = dependency_graph(model, &[&a[..], &b, &given].concat())?;
        let separation = graph.separation(&a, &given, EvidenceRole::Given);
        Ok(!b.iter().any(|element| separation.reaches(element)))
    })
}
