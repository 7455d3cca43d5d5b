//! Tests that the same seed gives exactly the same answer on any number of threads.

use std::num::NonZero;

use figrs::prelude::*;
use figrs_tests::random_model::{build, for_random_models};
use figrs_tests::reference_models::{
    Question, burglary, geometric_even, hidden_markov, ladder, random_walk,
};
use proptest::prelude::*;

/// Returns the samplers that share their work among threads, with draws kept.
fn samplers(seed: u64, threads: usize) -> [Box<dyn Algorithm>; 5] {
    let threads = NonZero::new(threads).unwrap();
    // The filter has three blocks of populations that run side by side.
    let filter = SequentialMonteCarlo::new(60).populations(40);
    let filter = filter.seed(seed).threads(threads);
    [
        Box::new(
            ImportanceSampling::new(1500)
                .seed(seed)
                .threads(threads)
                .keep_draws(),
        ),
        Box::new(
            RejectionSampling::new(1500)
                .seed(seed)
                .threads(threads)
                .keep_draws(),
        ),
        Box::new(
            ForwardSampling::new(1500)
                .seed(seed)
                .threads(threads)
                .keep_draws(),
        ),
        Box::new(filter.clone().keep_draws()),
        Box::new(filter.keep_trajectories()),
    ]
}

/// Returns the text of the answer without its times, or of the error.
fn said(answer: &Result<Answer, Error>, read: impl Fn(&Answer) -> String) -> String {
    match answer {
        Err(error) => error.to_string(),
        Ok(answer) => {
            let run = answer.sampling().unwrap();
            format!(
                "{} {:?} {:?} {:?} {:?} {:?} {}",
                run.done,
                run.acceptance,
                run.largest_share,
                answer.log_evidence(),
                answer.draws().unwrap().log_weights,
                answer.draws().unwrap().targets,
                read(answer),
            )
        }
    }
}

#[test]
fn random_models_answer_alike() {
    let seed = std::cell::Cell::new(0);
    for_random_models(60, 51, |description| {
        seed.set(seed.get() + 1);
        let built = build(description);
        let read = |answer: &Answer| {
            let all = built.targets.iter();
            let all = all.map(|t| format!("{:?}", t.probabilities(answer)));
            all.collect::<String>()
        };
        let run = |threads| {
            samplers(seed.get(), threads).map(|algorithm| {
                let prior = algorithm.name() == "ForwardSampling";
                let none = Model::new();
                let model = if prior { &none } else { &built.model };
                said(&algorithm.run(model, built.erased()), read)
            })
        };
        let one = run(1);
        for threads in [2, 3] {
            prop_assert_eq!(&one, &run(threads), "{} threads", threads);
        }
        Ok(())
    });
    assert!(seed.get() >= 60);
}

#[test]
fn known_models_answer_alike() {
    let questions: [Question; 5] = [
        burglary(),
        geometric_even(),
        hidden_markov(50, "M06a_hmm50"),
        random_walk(),
        ladder(100, "M13a_ladder100"),
    ];
    for question in &questions {
        let read = |answer: &Answer| {
            let all = question.quantities.iter();
            let all = all.map(|q| format!("{:?}", q.read(answer)));
            all.collect::<String>()
        };
        let run = |threads| {
            samplers(5, threads)
                .map(|algorithm| said(&algorithm.answer(&question.model, &question.targets), read))
        };
        let one = run(1);
        for threads in [2, 3] {
            assert_eq!(one, run(threads), "{} on {threads} threads", question.name);
        }
    }
}
