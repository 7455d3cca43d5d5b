//! Tests of every finding, with answers from a run or answers built by hand.

mod answers;
mod chains;
mod choices;
mod unseen;
mod weights;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use figrs_core::{
    Constant, Element, Flip, If, Model, Normal, Parents, StandardDeviation, Uniform, Value, stream,
    tuple,
};
use rand::RngExt;

use figrs_answer::answer::draws::{Draws, TargetDraws};
use figrs_factor::Stopped;
use figrs_infer::{
    Answer, Estimate, Finding, LogEvidence, Measure, Part, RunStatistics, TargetMarginal,
};
use figrs_infer::{
    BeliefPropagation, Error, ForwardSampling, ImportanceSampling, LazyVariableElimination,
    MetropolisHastings, Quality, Run, SequentialMonteCarlo, SimulatedAnnealing,
    VariableElimination, algorithms,
};

const NO_EVIDENCE: LogEvidence = LogEvidence {
    value: 0.0,
    standard_error: 0.0,
};

/// The answer of several chains of equal length with these draws.
fn chained<T: Value>(element: &Element<T>, draws: &[T], chains: usize) -> Answer {
    let mut values = element.erased().no_values();
    let indices: Vec<u32> = draws
        .iter()
        .map(|v| values.insert(v).unwrap() as u32)
        .collect();
    let support = values.build();
    let mut probabilities = vec![0.0; support.len()];
    for &i in &indices {
        probabilities[i as usize] += 1.0 / indices.len() as f64;
    }
    let target = TargetMarginal {
        element: element.erased().clone(),
        support,
        probabilities,
        estimate: Estimate::Chains {
            indices: indices.into(),
            chains,
        },
    };
    Answer::marginals("Chains", vec![target], NO_EVIDENCE)
}

fn approximate(sampling: RunStatistics) -> Answer {
    let coin = Flip::new(0.5);
    let mut values = coin.erased().no_values();
    values.insert(&true);
    let target = TargetMarginal {
        element: coin.erased().clone(),
        support: values.build(),
        probabilities: vec![1.0],
        estimate: Estimate::Approximate,
    };
    Answer::marginals("Approximation", vec![target], NO_EVIDENCE).with_sampling(sampling)
}

fn uniform(count: usize, seed: u64) -> Vec<f64> {
    let mut random = stream(seed, 0);
    (0..count).map(|_| random.random()).collect()
}

fn number() -> Element<f64> {
    Constant::new(0.0).named("x")
}

fn finished() -> RunStatistics {
    RunStatistics::new(Stopped::Finished, 100, Duration::from_secs(1))
}

fn found(answer: &Answer, test: impl Fn(&Finding) -> bool) -> String {
    let diagnosis = answer.diagnose();
    let found = diagnosis.findings().iter().find(|finding| test(finding));
    found.unwrap_or_else(|| panic!("{diagnosis}")).to_string()
}

/// A model of a normal mean that is observed three times with noise; its posterior is known in closed form.
fn continuous() -> (Model, Element<f64>) {
    let mean = Normal::new(0.0, StandardDeviation(2.0)).named("mean");
    let model = [1.0, 2.0, 1.5]
        .into_iter()
        .fold(Model::new(), |model, seen| {
            model.observe(&Normal::new(&mean, StandardDeviation(1.0)), seen)
        });
    (model, mean)
}
