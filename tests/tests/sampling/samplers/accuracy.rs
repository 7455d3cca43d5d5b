//! Tests that estimates lie within their stated errors.

use figrs_tests::reference_models::{Question, questions};
use figrs_tests::samplers::{Effort, SAMPLERS, Sampler};
use figrs_tests::significance::{MODELS, within_stated_error};

const SEED: u64 = 20_241_121;

/// Returns the total number of comparisons.
fn comparisons(questions: &[Question]) -> usize {
    let of = |sampler: &Sampler| -> usize {
        let able = questions.iter().filter(|q| sampler.is_able(q));
        able.map(|q| sampler.quantities(q).count()).sum()
    };
    SAMPLERS.iter().map(of).sum()
}

fn wrong_numbers(question: &Question, sampler: &Sampler, alpha: f64) -> Vec<String> {
    let algorithm = (sampler.algorithm)(Effort {
        samples: question.samples,
        seed: SEED,
        sequence: &question.sequence,
    });
    let answer = match algorithm.answer(&question.model, &question.targets) {
        Ok(answer) => answer,
        Err(error) => return vec![error.to_string()],
    };
    let wrong = sampler.quantities(question).filter_map(|quantity| {
        let checked = match quantity.read(&answer) {
            Ok(found) => within_stated_error(quantity.exact, &found, sampler.law, alpha),
            Err(error) => Err(error.to_string()),
        };
        let wrong = checked.err()?;
        Some(format!("{}: {wrong}", quantity.name))
    });
    wrong.collect()
}

#[test]
fn every_sampler_is_within_its_stated_error() {
    let questions = questions();
    let comparisons = comparisons(&questions);
    let alpha = MODELS / comparisons as f64;
    println!("{comparisons} comparisons, each with a false alarm of {alpha:.1e}");
    let mut wrong = Vec::new();
    for sampler in SAMPLERS {
        for question in &questions {
            if sampler.is_able(question) {
                let own = wrong_numbers(question, sampler, alpha).into_iter();
                wrong.extend(
                    own.map(|text| format!("{} on {}: {text}", sampler.name, question.name)),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
