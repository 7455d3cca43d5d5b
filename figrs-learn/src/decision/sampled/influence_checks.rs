//! Finds decisions that influence the evidence, or that influence variables whose values are known when decisions are made. It is an error if a
//! decision influences the evidence or a value that is known when a decision is made.

use figrs_core::expand::Expansion;
use figrs_core::graph::DependencyGraph;
use figrs_core::{AnyElement, Label, Model, ModelError};
use figrs_factor::Limits;

use crate::decision::influence;
use crate::decision::problem::{AskedDecision, DecisionQuestion};
use figrs_answer::{Algorithm, Error};
use figrs_infer::sampling::importance::ImportanceSampling;

/// Maximum number of random variables of a model in which all branches are examined for influences.
const MOST_ELEMENTS: usize = 100_000;
/// Number of sampled worlds in which influences of decisions are looked for, if not all branches of the model can be examined.
const WORLDS: u64 = 10_000;

/// Returns an error if a decision influences the evidence, or an element whose value is known when this decision or an earlier decision is made. If
/// the model has no `Chain` elements, the influence of decisions is checked on the graph of the model; otherwise the check enumerates all branches
/// or, if there are too many, uses sampled worlds.
pub(super) fn check(question: &DecisionQuestion) -> Result<(), Error> {
    let roots = question.roots();
    if let Some(graph) = DependencyGraph::without_branches(&question.model, &roots) {
        return by_graph(question, &graph);
    }
    let entries = MOST_ELEMENTS as u64;
    let limits = Limits::default()
        .elements(MOST_ELEMENTS)
        .element_entries(entries);
    let decided = question.offered();
    match Expansion::deciding(&question.model, &roots, &limits, &decided) {
        // Impossible evidence is no error here, because the sampler later returns a better error for it.
        Ok(expansion) if expansion.impossible().is_some() => Ok(()),
        Ok(expansion) => influence::check(&expansion, question),
        Err(_) => by_worlds(question),
    }
}

fn by_graph(question: &DecisionQuestion, graph: &DependencyGraph) -> Result<(), Error> {
    let is_set = |asked: &AskedDecision| {
        let mut set = question.model.interventions().iter();
        set.any(|(set, _)| set.id() == asked.element.id())
    };
    let decisions = question.decisions.iter().enumerate();
    let open: Vec<_> = decisions.filter(|(_, asked)| !is_set(asked)).collect();
    let elements: Vec<AnyElement> = open
        .iter()
        .map(|(_, asked)| asked.element.clone())
        .collect();
    for element in graph.evidence() {
        if let Some(last) = graph.last_read(element, &elements) {
            return Err(Error::DecisionInfluencesKnown {
                decision: elements[last].label(),
                element: element.label(),
                known_to: None,
            });
        }
    }
    for (number, asked) in question.decisions.iter().enumerate() {
        for known in &asked.known {
            let last = graph.last_read(known, &elements);
            if let Some(last) = last.filter(|&last| open[last].0 >= number) {
                return Err(influences_known(elements[last].label(), known, asked));
            }
        }
    }
    Ok(())
}

fn influences_known(decision: Label, known: &AnyElement, asked: &AskedDecision) -> Error {
    Error::DecisionInfluencesKnown {
        decision,
        element: known.label(),
        known_to: Some(Box::new(asked.element.label())),
    }
}

/// Looks for influences of decisions in sampled worlds. While worlds are sampled for a random variable, only the earlier decisions have a policy. If
/// the variable depends on another decision, the sampler returns an error.
fn by_worlds(question: &DecisionQuestion) -> Result<(), Error> {
    let mut model = question.model.clone();
    for (piece, (evidence, _)) in question.model.evidence().iter().enumerate() {
        let alone = model.filtered(|other| other == piece);
        if let Some(decision) = read(question, &alone, evidence)? {
            return Err(Error::DecisionInfluencesKnown {
                decision,
                element: evidence.label(),
                known_to: None,
            });
        }
    }
    for asked in &question.decisions {
        for known in &asked.known {
            if let Some(decision) = read(question, &model, known)? {
                return Err(influences_known(decision, known, asked));
            }
        }
        model = model.follow_any(&asked.element, asked.at_random());
    }
    Ok(())
}

/// Samples worlds, and returns a decision that has no policy yet and that a world reads to compute `element`; `None` if there is no such decision.
fn read(
    question: &DecisionQuestion,
    model: &Model,
    element: &AnyElement,
) -> Result<Option<Label>, Error> {
    let worlds = ImportanceSampling::new(WORLDS);
    match worlds.answer(model, std::slice::from_ref(element)) {
        Err(Error::Model(ModelError::Undecided { element })) => {
            let mut asked = question.decisions.iter();
            if asked.any(|asked| asked.element.label() == element) {
                return Ok(Some(element));
            }
            Err(ModelError::Undecided { element }.into())
        }
        // Other errors are ignored here, because the sampler returns them again when the policies are fitted.
        _ => Ok(None),
    }
}
