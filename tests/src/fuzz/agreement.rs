//! All algorithms with small budgets, and checks that their answers to the same question agree.

use figrs::Limits;
use std::num::NonZero;

use figrs::eliminate::EliminationError;
use figrs::prelude::*;
use figrs::{
    AnyElement, BeliefPropagation, Bounds, LazyVariableElimination, LogEvidence, ModelError,
    MpeBeliefPropagation, MpeBranchAndBound, SimulatedAnnealing,
};

use crate::oracle::close;

/// Tolerance between the numbers of exact algorithms.
const EXACT: f64 = 1e-9;

/// Number of worlds that are enumerated, of samples that are drawn, and of steps that are made.
const WORLDS: u64 = 2_000;
const DRAWS: u64 = 40;

fn limits() -> Limits {
    Limits::default()
        .element_entries(1 << 12)
        .elements(5_000)
        .expansion_memory(1 << 30)
        .depth(20)
        .table_entries(1 << 12)
        .work(1e4)
        .memory(1 << 24)
}

/// Returns the algorithm with whose answers all others are compared.
pub(super) fn enumerate() -> Enumerate {
    Enumerate::new()
        .max_worlds(WORLDS)
        .max_evaluations(100_000)
        .max_elements(2_000)
}

/// Returns the exact algorithms for marginals.
pub(super) fn exact() -> [Box<dyn Algorithm>; 3] {
    algorithms![
        VariableElimination::new().limits(limits()),
        JunctionTree::new()
            .limits(limits())
            .threads(NonZero::<usize>::MIN),
        Frontier::new().memory(1 << 22),
    ]
}

/// Returns the exact algorithms for the most probable world.
pub(super) fn exact_worlds() -> [Box<dyn Algorithm>; 2] {
    algorithms![
        MpeVariableElimination::new().limits(limits()),
        MpeBranchAndBound::new()
            .expansion_limits(&limits())
            .bound_table(64)
            .work(10_000),
    ]
}

/// Returns an algorithm that gives bounds.
pub(super) fn bounds() -> LazyVariableElimination {
    LazyVariableElimination::to_depth(3)
        .work(100_000)
        .limits(limits())
}

/// Returns the approximate algorithms, whose marginals are not compared with anything.
pub(super) fn approximate() -> [Box<dyn Algorithm>; 7] {
    let one = NonZero::<usize>::MIN;
    algorithms![
        ForwardSampling::new(DRAWS).threads(one).max_elements(2_000),
        RejectionSampling::new(DRAWS)
            .threads(one)
            .max_elements(2_000),
        ImportanceSampling::new(DRAWS)
            .threads(one)
            .max_elements(2_000),
        SequentialMonteCarlo::new(8)
            .populations(2)
            .threads(one)
            .max_elements(2_000),
        MetropolisHastings::new(DRAWS)
            .chains(2)
            .burn_in(5)
            .max_tries(50)
            .threads(one)
            .max_elements(2_000),
        Gibbs::new(DRAWS)
            .chains(2)
            .burn_in(5)
            .block_table(256)
            .threads(one)
            .expansion_limits(&limits()),
        BeliefPropagation::new()
            .iterations(20)
            .work(10_000)
            .expansion_limits(&limits()),
    ]
}

/// Returns the algorithms that find a world which need not be the most probable one.
pub(super) fn approximate_worlds() -> [Box<dyn Algorithm>; 2] {
    algorithms![
        SimulatedAnnealing::new(DRAWS)
            .chains(2)
            .max_tries(50)
            .threads(NonZero::<usize>::MIN)
            .max_elements(2_000),
        MpeBeliefPropagation::new()
            .iterations(20)
            .work(10_000)
            .expansion_limits(&limits()),
    ]
}

/// True if an algorithm failed because of a limit, or because it refuses models of this kind.
fn is_refusal(error: &Error) -> bool {
    use EliminationError::{TableTooLarge, TooManyOperations, TooMuchMemory};
    match error {
        Error::Elimination(error) => matches!(
            error,
            TableTooLarge { .. } | TooManyOperations { .. } | TooMuchMemory { .. }
        ),
        Error::Model(error) => matches!(
            error,
            ModelError::TableTooLarge { .. }
                | ModelError::TooDeep { .. }
                | ModelError::TooManyElements { .. }
                | ModelError::TooMuchMemory { .. }
                | ModelError::NotFinite { .. }
                | ModelError::MixedObservation { .. }
        ),
        Error::TooManyWorlds { .. }
        | Error::SharedScore { .. }
        | Error::FrontierTooLarge { .. }
        | Error::FrontierTooWide { .. }
        | Error::NotClosedForm { .. }
        | Error::NoWorldFound { .. } => true,
        _ => false,
    }
}

/// Checks the answer of an exact algorithm against the reference: it must give the same numbers, find the evidence impossible too, fail where the
/// reference fails, or refuse the model.
pub(super) fn same(
    name: &str,
    reference: &Result<Answer, Error>,
    found: &Result<Answer, Error>,
    numbers: impl Fn(&Answer) -> Result<Vec<f64>, Error>,
) {
    match (reference, found) {
        (Ok(reference), Ok(found)) => {
            let [expected, found] = [reference, found].map(&numbers);
            let (expected, found) = (expected.expect(name), found.expect(name));
            let is_same = |(a, b): (&f64, &f64)| close(*a, *b, EXACT);
            assert!(
                expected.len() == found.len() && expected.iter().zip(&found).all(is_same),
                "{name}: {expected:?} is right, not {found:?}"
            );
        }
        (_, Err(refused)) if is_refusal(refused) => {}
        (Err(refused), _) if is_refusal(refused) => {}
        // One algorithm may ask for the weights of values that only other evidence excludes; and if a model has both a mistake and impossible
        // evidence, algorithms may find either of them first.
        (
            Ok(_),
            Err(Error::Model(
                ModelError::InvalidWeight { .. } | ModelError::WeightAboveMaximum { .. },
            )),
        )
        | (
            Err(Error::Model(
                ModelError::InvalidWeight { .. } | ModelError::WeightAboveMaximum { .. },
            )),
            Ok(_),
        )
        | (
            Err(Error::ImpossibleEvidence { .. } | Error::Model(_)),
            Err(Error::ImpossibleEvidence { .. } | Error::Model(_)),
        ) => {}
        (expected, found) => panic!("{name}: {expected:?} is right, not {found:?}"),
    }
}

/// Returns the natural logarithm of the probability of evidence, as a list of one number.
pub(super) fn log_evidence(answer: &Answer) -> Result<Vec<f64>, Error> {
    let LogEvidence { value, .. } = answer.log_evidence()?;
    Ok(vec![value])
}

/// Runs all algorithms on one model and checks their answers; `numbers` reads the probabilities of an answer.
pub(super) fn ask_all(
    model: &Model,
    targets: &[AnyElement],
    numbers: impl Fn(&Answer) -> Result<Vec<f64>, Error>,
) {
    let roots = Roots(targets);
    let reference = enumerate().run(model, roots);
    if let Ok(answer) = &reference {
        are_probabilities("Enumerate", &numbers(answer).expect("targets of the run"));
    }
    for algorithm in exact() {
        let found = algorithm.answer(model, targets);
        same(algorithm.name(), &reference, &found, |answer| {
            Ok([log_evidence(answer)?, numbers(answer)?].concat())
        });
    }
    for algorithm in approximate() {
        // Marginals cannot be read if belief propagation has not converged, or if no draw contains them.
        if let Ok(found) = algorithm
            .answer(model, targets)
            .and_then(|answer| numbers(&answer))
        {
            are_probabilities(algorithm.name(), &found);
        }
    }
    let best = enumerate().most_probable_world(model, roots);
    for algorithm in exact_worlds() {
        let found = algorithm.answer(model, targets);
        let is_cut = found
            .as_ref()
            .is_ok_and(|found| found.is_proven() == Ok(false));
        if !is_cut {
            same(algorithm.name(), &best, &found, |world| {
                Ok(vec![world.log_probability()?])
            });
        }
    }
    for algorithm in approximate_worlds() {
        let found = algorithm.answer(model, targets);
        let logs = found.and_then(|found| found.log_probability());
        let best = best.as_ref().map(Answer::log_probability);
        if let (Ok(log), Ok(Ok(best))) = (logs, best) {
            assert!(
                log <= best || close(log, best, EXACT),
                "{}: {log} is above {best}",
                algorithm.name()
            );
        }
    }
    if let (Ok(bounds), Ok(right)) = (bounds().run(model, roots), &reference) {
        let right = right.log_evidence().expect("exact").value;
        if let Ok(Bounds { lower, upper }) = bounds.log_evidence_bounds() {
            let holds = lower <= right && right <= upper;
            assert!(
                holds || close(lower, right, EXACT) || close(upper, right, EXACT),
                "{right} is not from {lower} to {upper}"
            );
        }
    }
    compiled(model, roots, &reference);
}

/// Checks that a compiled tree counts, draws, finds the best worlds, and can be restored after it was saved.
fn compiled(model: &Model, roots: Roots, reference: &Result<Answer, Error>) {
    let compiler = JunctionTree::new()
        .limits(limits())
        .threads(NonZero::<usize>::MIN);
    let Ok(tree) = compiler.compile(model, roots) else {
        return;
    };
    if let Ok(best) = tree.k_best(3) {
        assert!(best.is_sorted_by(|a, b| a.log_probability() >= b.log_probability()));
        let count = tree.count();
        if let Ok(count) = &count {
            assert!(*count >= best.len().into(), "{count} worlds, and {best:?}");
        }
        for world in tree.samples(1).into_iter().flatten().take(3) {
            let log = world.log_probability();
            let most = best[0].log_probability();
            assert!(
                log <= most || close(log, most, EXACT),
                "{log} is above {most}"
            );
        }
    }
    let again = compiler
        .restore(model, roots, &tree.save())
        .expect("what was saved");
    assert_eq!(
        again.log_evidence().to_bits(),
        tree.log_evidence().to_bits()
    );
    if let Ok(reference) = reference {
        let right = reference.log_evidence().expect("exact").value;
        assert!(close(tree.log_evidence(), right, EXACT));
    }
}

fn are_probabilities(name: &str, numbers: &[f64]) {
    for &p in numbers {
        assert!((-EXACT..=1.0 + EXACT).contains(&p), "{name}: {numbers:?}");
    }
}

/// Targets of any types.
#[derive(Clone, Copy)]
struct Roots<'a>(&'a [AnyElement]);

impl Parents for Roots<'_> {
    type Arguments = ();
    fn elements(&self) -> Vec<AnyElement> {
        self.0.to_vec()
    }
}
