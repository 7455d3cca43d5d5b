//! Decides conditional independence of elements by the structure of a model.

use figrs_core::graph::EvidenceRole;
use figrs_core::{Model, Parents};

use figrs_answer::{Error, guarded};
use figrs_exact::dependencies::dependency_graph;

/// True if `a` and `b` are independent given `given` and the evidence of `model`. The result depends only on the structure of the model, not on its
/// probabilities.
///
/// The arguments `a`, `b` and `given` are each an element, a tuple or a list of elements; `()` as `given` states that nothing is given. Independence
/// refers to the joint distribution of `a`, `b` and `given`, conditional on the evidence. A [`Score`](figrs_core::Score) that an element of `a`, `b`
/// or `given` reaches counts as evidence. An intervention cuts the dependence of its element on the parents.
///
/// **Guarantee.** If the result is true, the elements are independent. If the result is false, the elements depend on each other for almost all
/// probabilities of the model, but not necessarily for all (d-separation). The graph of a model contains the branches of all `Chain` elements that
/// the evidence allows, with the elements that these branches create and capture. An observed element counts as a given element. A condition, a
/// weight or a `Score` is an observed node that reads its element, and therefore makes the causes of this element dependent on each other. Functions
/// of given elements, and elements with a single possible value, also count as given. An independence that holds only for some values of the given
/// elements (context-specific independence) is not found, because the graph is the same for all values.
///
/// **Complexity.** Expanding the model takes the time of an expansion; the remaining time is linear in the number of elements and edges.
///
/// **Errors.** [`Error::ImpossibleEvidence`] if the evidence is impossible; the errors of the expansion. Continuous elements and elements with
/// infinitely many values are allowed only in models without `Chain` elements (except members of families of distributions).
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
