//! The algorithms, and the comparison of their answers with a row.

use figrs::prelude::*;
use figrs::{AnyElement, Parents};

use crate::asked::{Asked, Form, Reading};
use crate::case::{Case, Expected, Worlds};

/// What an algorithm claims of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Exact,
    Estimate,
}

/// One algorithm: a new one joins all tables with one row here.
struct Contender {
    algorithm: fn(samples: u64) -> Box<dyn Algorithm>,
    claim: Claim,
    form: Form,
    copes_with: Worlds,
}

/// For the estimates: fixed, so that a test that passed once passes always.
const SEED: u64 = 20_241_121;

const CONTENDERS: &[Contender] = &[
    Contender {
        algorithm: |_| Box::new(Enumerate::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Few,
    },
    Contender {
        algorithm: |_| Box::new(VariableElimination::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: |_| Box::new(JunctionTree::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: |samples| Box::new(ImportanceSampling::new(samples).seed(SEED)),
        claim: Claim::Estimate,
        form: Form::Marginals,
        copes_with: Worlds::Endless,
    },
    Contender {
        algorithm: |_| Box::new(EveryWorld),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Few,
    },
    Contender {
        algorithm: |_| Box::new(MpeVariableElimination::new()),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        // Tables so small that there is something to search.
        algorithm: |_| Box::new(MpeBranchAndBound::new().bound_table(8)),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: |_| Box::new(BestOfTree),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
];

/// `Enumerate::most_probable_world` as an algorithm of its own.
#[derive(Debug)]
struct EveryWorld;

impl Algorithm for EveryWorld {
    fn name(&self) -> &'static str {
        "Enumerate::most_probable_world"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        Enumerate::new().most_probable_world(model, Roots(targets))
    }
}

/// `CompiledTree::most_probable` as an algorithm of its own.
#[derive(Debug)]
struct BestOfTree;

impl Algorithm for BestOfTree {
    fn name(&self) -> &'static str {
        "CompiledTree::most_probable"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let world = JunctionTree::new()
            .compile(model, Roots(targets))?
            .most_probable()?;
        Ok(Answer::world(
            self.name(),
            world.elements(),
            world.log_probability(),
        ))
    }
}

/// Roots of any types.
struct Roots<'a>(&'a [AnyElement]);

impl Parents for Roots<'_> {
    type Arguments = ();
    fn elements(&self) -> Vec<AnyElement> {
        self.0.to_vec()
    }
}

/// Puts one row of a table to every algorithm that can answer it, and reports all that are wrong.
pub(crate) fn put_to_all(cases: &[Case], id: &str) {
    let case = cases.iter().find(|case| case.id == id).unwrap();
    let asked = (case.build)();
    let able = |c: &&Contender| c.form == asked.form && case.worlds <= c.copes_with;
    let mut wrong = Vec::new();
    let mut asked_of = 0;
    for contender in CONTENDERS.iter().filter(able) {
        asked_of += 1;
        let algorithm = (contender.algorithm)(asked.samples);
        let reading = algorithm
            .answer(&asked.model, &asked.targets)
            .and_then(|answer| asked.read(&answer));
        if let Err(difference) = compare(case, &asked, contender.claim, reading) {
            wrong.push(format!("{}: {difference}", algorithm.name()));
        }
    }
    assert!(asked_of > 0, "no algorithm can answer {id}");
    assert!(wrong.is_empty(), "{id}:\n  {}", wrong.join("\n  "));
}

fn compare(
    case: &Case,
    asked: &Asked,
    claim: Claim,
    reading: Result<Reading, Error>,
) -> Result<(), String> {
    let none = matches!(case.expected, Expected::Impossible);
    let refused = match &reading {
        Err(Error::ImpossibleEvidence { .. }) => none && claim == Claim::Exact,
        // A sampler cannot know that evidence is impossible, only that it never came true.
        Err(Error::NoSampleMetEvidence { .. }) => {
            let zero = matches!(case.expected, Expected::Number(0.0));
            (none || zero) && claim == Claim::Estimate
        }
        _ => false,
    };
    match (case.expected, reading) {
        _ if refused => Ok(()),
        (Expected::Impossible, other) => Err(format!("impossible evidence gave {other:?}")),
        (_, Err(error)) => Err(error.to_string()),
        (Expected::Number(right), Ok(reading)) => close(claim, right, &reading),
        (
            Expected::Most {
                values,
                joint,
                posterior,
            },
            Ok(reading),
        ) => {
            let same = |(right, found): (&(&str, &str), &(&str, String))| {
                right.0 == found.0 && right.1 == found.1
            };
            let all = values.len() == reading.values.len();
            if !all || !values.iter().zip(&reading.values).all(same) {
                return Err(format!(
                    "{values:?} is most likely, not {:?}",
                    reading.values
                ));
            }
            let evidence = VariableElimination::new().probability_of_evidence(&asked.model);
            let evidence = evidence.map_err(|error| error.to_string())?;
            // A world is found with its joint probability, a marginal gives the posterior one.
            let (own, other, factor) = match asked.form {
                Form::World => (joint, posterior, 1.0 / evidence),
                Form::Marginals => (posterior, joint, evidence),
            };
            close(claim, own, &reading)?;
            let scaled = Reading {
                number: reading.number * factor,
                standard_error: reading.standard_error * factor,
                ..reading
            };
            close(claim, other, &scaled)
        }
    }
}

/// Exact answers agree to nine digits, and state no error. Estimates lie within five of their own standard
/// errors, which a correct estimate of many effective samples misses with probability 6e-7: about one
/// false alarm in fifteen thousand changes of seed, over all the cases.
fn close(claim: Claim, right: f64, found: &Reading) -> Result<(), String> {
    let tolerance = match claim {
        Claim::Exact => 1e-9 * right.abs() + 1e-15,
        Claim::Estimate => 5.0 * found.standard_error + 1e-9,
    };
    let stated = match claim {
        Claim::Exact => found.standard_error == 0.0,
        // An estimate that claims nothing would always be right.
        Claim::Estimate => found.standard_error <= 0.05 * right.abs().max(1.0),
    };
    if stated && (found.number - right).abs() <= tolerance {
        Ok(())
    } else {
        let Reading {
            number,
            standard_error,
            ..
        } = found;
        Err(format!("{right} is right, not {number} ± {standard_error}"))
    }
}
