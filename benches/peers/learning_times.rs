//! Times learning with figrs on one Bayesian network and prints times and results as one JSON object; `learning.py` calls it.
//!
//! `learning_times FILE COMPLETE.csv OPEN.csv ROUNDS SECONDS` learns a structure from complete data, and tables by some rounds of
//! expectation-maximisation from data with missing values.

use std::error::Error;
use std::num::NonZero;

use figrs::network::{Network, NetworkLearner, NetworkScore, StructureLearner};
use figrs::{ExpectationMaximization, JunctionTree};
use figrs_benches::Clock;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, complete, open, rounds, seconds] = &words[..] else {
        return Err("give FILE COMPLETE.csv OPEN.csv ROUNDS SECONDS".into());
    };
    let (network, clock) = (Network::read(file)?, Clock::new());
    let (rounds, seconds): (u64, f64) = (rounds.parse()?, seconds.parse()?);
    let open = network.read_data(open)?;
    let algorithm =
        ExpectationMaximization::new(JunctionTree::new()).threads(NonZero::<usize>::MIN);
    let learner = NetworkLearner::by(algorithm.exact_rounds(rounds)).prior(1.0);
    let (tables, learned) = clock.repeat(seconds, || Ok(learner.learn(&network, &open)?))?;
    let (variables, complete) = Network::from_data(complete)?;
    let score = NetworkScore::Bic;
    let mut structures = Vec::new();
    for (name, restarts) in [("climb", 0), ("restarts", 30)] {
        let learner = StructureLearner::new(score)
            .threads(NonZero::<usize>::MIN)
            .restarts(restarts);
        let (times, found) = clock.repeat(seconds, || Ok(learner.learn(&variables, &complete)?))?;
        structures.push((name, json!({"times": times, "score": found.score.total})));
    }
    let structures: serde_json::Map<_, _> = structures
        .into_iter()
        .map(|(name, figures)| (name.to_owned(), figures))
        .collect();
    println!(
        "{}",
        json!({
            "clock": clock.name(),
            "tables": {"times": tables, "log_likelihood": learned.fit.log_likelihood()},
            "structures": structures,
        })
    );
    Ok(())
}
