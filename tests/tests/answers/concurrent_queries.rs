//! Tests that queries on the same elements from many threads, with different evidence, give the same answers as queries one after another.

use std::thread;

use figrs::prelude::*;
use figrs::{LazyVariableElimination, fold};

/// A ring of tiles with a recursive part, which all threads share.
struct Shared {
    cells: Vec<Element<u8>>,
    length: Element<u32>,
    sum: Element<u32>,
    rate: Param,
}

fn run_length(so_far: u32) -> Element<u32> {
    Flip::new(0.4).flat_map(move |&more| {
        if more && so_far < 12 {
            run_length(so_far + 1)
        } else {
            Constant::new(so_far)
        }
    })
}

impl Shared {
    fn new() -> Self {
        let rate = Param::new("rate", 0.3);
        let first = Flip::new(&rate).map(|&on| u8::from(on));
        let mut cells = vec![first];
        for _ in 0..9 {
            let next = cells[cells.len() - 1]
                .flat_map(|&left| Select::new([(0.5, left), (0.3, (left + 1) % 3), (0.2, 2)]));
            cells.push(next);
        }
        let sum = fold(&cells, 0u32, |sum, &cell| sum + u32::from(cell));
        Self {
            cells,
            length: run_length(0),
            sum,
            rate,
        }
    }

    fn model(&self, case: usize) -> Model {
        let model = Model::new().observe(&self.cells[case % 10], (case % 3) as u8);
        model.condition(&self.sum, move |&sum| sum as usize >= case % 5)
    }

    /// Returns the complete answers to a case as text with all digits.
    fn answers(&self, case: usize) -> Vec<String> {
        let model = self.model(case);
        let seed = case as u64;
        let mut message: Vec<String> = Vec::new();
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            JunctionTree::new(),
            LazyVariableElimination::new(),
            Frontier::new(),
            MpeVariableElimination::new(),
            ImportanceSampling::new(500).seed(seed),
            SequentialMonteCarlo::new(100).seed(seed),
            MetropolisHastings::new(300).seed(seed),
            Gibbs::new(200).seed(seed),
        ] {
            let answer = algorithm.run(&model, (&self.sum, &self.length));
            message.push(match answer {
                Err(error) => error.to_string(),
                Ok(answer) => format!(
                    "{} {:?} {:?} {:?} {:?}",
                    algorithm.name(),
                    answer.most_likely_value(&self.sum),
                    answer
                        .distribution(&self.sum)
                        .map(|found| found.to_string()),
                    answer
                        .distribution(&self.length)
                        .map(|found| found.to_string()),
                    answer.log_evidence().map(|found| found.value.to_bits()),
                ),
            });
        }
        message
    }
}

#[test]
fn answers_do_not_depend_on_who_asks_besides() {
    let shared = Shared::new();
    assert_eq!(shared.rate.get(), 0.3);
    let cases = 0..8;
    let alone: Vec<Vec<String>> = cases.clone().map(|case| shared.answers(case)).collect();
    let shared = &shared;
    let together: Vec<Vec<String>> = thread::scope(|scope| {
        let started = cases.map(|case| scope.spawn(move || shared.answers(case)));
        let started: Vec<_> = started.collect();
        started
            .into_iter()
            .map(|asked| asked.join().unwrap())
            .collect()
    });
    assert_eq!(alone, together);
    for message in &alone {
        assert_eq!(message.len(), 10);
        // Each text begins with the name of the algorithm.
        assert!(
            message[0].starts_with("Enumerate") && message[2].starts_with("JunctionTree"),
            "{message:?}"
        );
    }
    assert_ne!(alone[0], alone[1]);
}
