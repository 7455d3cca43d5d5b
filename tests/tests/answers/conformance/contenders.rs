//! The algorithms of the conformance tests, and the comparison of their answers with a case.

use figrs::prelude::*;
use figrs::{
    AnyElement, BeliefPropagation, Bytes, Circuit, DeepeningEnd, LazyVariableElimination,
    MpeBeliefPropagation, MpeBranchAndBound, MpeSlices, Parents, Slices,
};

use figrs_tests::samplers::{Effort, SAMPLERS, Sampler};
use figrs_tests::significance::{CONFORMANCE, Law, within_stated_error};

use crate::conformance::asked::{Asked, Form, Reading, Worlds};
use crate::conformance::case::{Case, Expected};
use crate::conformance::reference::number_of_cases;

/// The claim of an algorithm about its numbers. An algorithm that claims bounds is exact if it has expanded the whole model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Exact,
    Bounds,
    Estimate(Law),
    /// The numbers are exact if the answer says so. Otherwise no accuracy is claimed, and the checks are that the stated error is NaN and that a
    /// world has its stated probability.
    Approximation,
}

/// An algorithm of the conformance tests. A new algorithm joins all tables by one row here; a new sampler joins by a row in `figrs_tests::samplers`.
struct Contender {
    algorithm: fn() -> Box<dyn Algorithm>,
    claim: Claim,
    form: Form,
    copes_with: Worlds,
}

/// Seed of the samplers; it is fixed, so that a test that passed once always passes.
const SEED: u64 = 20_241_121;

/// Largest allowed width of bounds.
const WIDTH: f64 = 1e-6;

const CONTENDERS: &[Contender] = &[
    Contender {
        algorithm: || Box::new(Enumerate::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Few,
    },
    Contender {
        algorithm: || Box::new(VariableElimination::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(JunctionTree::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(Exact::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        // The memory is so small that the algorithm has to condition on something.
        algorithm: || Box::new(Slices::within(Bytes(1 << 16))),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        // Long sums are left to variable elimination.
        algorithm: || Box::new(Circuit::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Few,
    },
    Contender {
        algorithm: || Box::new(Frontier::new()),
        claim: Claim::Exact,
        form: Form::Marginals,
        copes_with: Worlds::Few,
    },
    Contender {
        algorithm: || Box::new(LazyVariableElimination::to_width(WIDTH)),
        claim: Claim::Bounds,
        form: Form::Marginals,
        copes_with: Worlds::Endless,
    },
    Contender {
        algorithm: || Box::new(BeliefPropagation::new()),
        claim: Claim::Approximation,
        form: Form::Marginals,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(MpeBeliefPropagation::new()),
        claim: Claim::Approximation,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(EveryWorld),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Few,
    },
    Contender {
        algorithm: || Box::new(MpeVariableElimination::new()),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(MpeExact::new()),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(MpeSlices::within(Bytes(1 << 16))),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        // The tables are so small that there is something to search.
        algorithm: || Box::new(MpeBranchAndBound::new().bound_table(8)),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(BestOfTree),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Many,
    },
    Contender {
        algorithm: || Box::new(BestOfCircuit),
        claim: Claim::Exact,
        form: Form::World,
        copes_with: Worlds::Few,
    },
];

/// `Enumerate::most_probable_world` as an algorithm.
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

/// `CompiledTree::most_probable` as an algorithm.
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

/// `CompiledCircuit::most_probable` as an algorithm.
#[derive(Debug)]
struct BestOfCircuit;

impl Algorithm for BestOfCircuit {
    fn name(&self) -> &'static str {
        "CompiledCircuit::most_probable"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let world = Circuit::new()
            .compile(model, Roots(targets))?
            .most_probable()?;
        Ok(Answer::world(
            self.name(),
            world.elements(),
            world.log_probability(),
        ))
    }
}

/// Targets of any types.
struct Roots<'a>(&'a [AnyElement]);

impl Parents for Roots<'_> {
    type Arguments = ();
    fn elements(&self) -> Vec<AnyElement> {
        self.0.to_vec()
    }
}

/// Runs every algorithm that can answer a case on it, and reports all wrong answers.
pub(crate) fn put_to_all(cases: &[Case], id: &str) {
    let case = cases.iter().find(|case| case.id == id).unwrap();
    let asked = (case.build)();
    let able = |c: &&Contender| {
        let unbounded = case.worlds == Worlds::Endless && !asked.has_bounds();
        c.form == asked.form
            && case.worlds <= c.copes_with
            && !(c.claim == Claim::Bounds && unbounded)
    };
    let mut wrong = Vec::new();
    let mut asked_of = 0;
    let excused = |sampler: &&Sampler| {
        case.worlds > sampler.copes_with
            || !sampler.takes(&asked.model)
            || sampler.excuse(id).is_some()
    };
    for sampler in samplers(&asked).filter(|sampler| !excused(sampler)) {
        asked_of += 1;
        let algorithm = (sampler.algorithm)(Effort {
            samples: asked.samples,
            seed: SEED,
            sequence: &[],
        });
        let answer = algorithm.answer(&asked.model, &asked.targets);
        let checked = if asked.about_evidence && !sampler.knows_evidence {
            no_evidence(answer)
        } else {
            let reading = answer.and_then(|answer| asked.read(&answer));
            compare(case, &asked, Claim::Estimate(sampler.law), reading)
        };
        if let Err(difference) = checked {
            wrong.push(format!("{}: {difference}", algorithm.name()));
        }
    }
    for contender in CONTENDERS.iter().filter(able) {
        asked_of += 1;
        let algorithm = (contender.algorithm)();
        let answer = algorithm.answer(&asked.model, &asked.targets);
        let difference = match (contender.claim, &answer) {
            (Claim::Approximation, Ok(found)) if !claims_exactness(found) => {
                let reading = asked.read(found);
                modest(reading)
            }
            // Messages may not reveal that no world is possible, or may not agree on a world; and Frontier refuses Scores that only some branches
            // reach.
            (Claim::Approximation, Err(Error::NoWorldDecoded { .. }))
            | (Claim::Exact, Err(Error::SharedScore { .. })) => Ok(()),
            (Claim::Approximation, _) => {
                let reading = answer.and_then(|answer| asked.read(&answer));
                compare(case, &asked, Claim::Exact, reading)
            }
            (Claim::Bounds, Ok(bounds)) if !is_exact(bounds) => {
                compare_bounds(case, &asked, bounds)
            }
            (claim, _) => {
                let reading = answer.and_then(|answer| asked.read(&answer));
                compare(case, &asked, claim, reading)
            }
        };
        if let Err(difference) = difference {
            wrong.push(format!("{}: {difference}", algorithm.name()));
        }
    }
    if let Expected::Bounds {
        depth,
        lower,
        upper,
    } = case.expected
    {
        let algorithm = LazyVariableElimination::to_depth(depth);
        let answer = algorithm.answer(&asked.model, &asked.targets).unwrap();
        let found = asked.read_bounds(&answer).unwrap().unwrap();
        let same = (found.lower - lower).abs() < 1e-12 && (found.upper - upper).abs() < 1e-12;
        if !same {
            wrong.push(format!(
                "[{lower}, {upper}] is right at depth {depth}, not {found:?}"
            ));
        }
    }
    assert!(asked_of > 0, "no algorithm can answer {id}");
    assert!(wrong.is_empty(), "{id}:\n  {}", wrong.join("\n  "));
}

/// Returns the samplers that give answers of the right kind.
fn samplers(asked: &Asked) -> impl Iterator<Item = &'static Sampler> {
    let all: &[Sampler] = match asked.form {
        Form::Marginals => SAMPLERS,
        Form::World => &[],
    };
    all.iter()
}

/// Checks that a Markov chain sampler, which does not estimate the probability of the evidence, says so.
fn no_evidence(answer: Result<Answer, Error>) -> Result<(), String> {
    match answer.and_then(|answer| answer.log_evidence()) {
        Err(
            Error::NotInAnswer { .. }
            | Error::ImpossibleEvidence { .. }
            | Error::NoSampleMetEvidence { .. },
        ) => Ok(()),
        other => Err(format!("{other:?} for the probability of evidence")),
    }
}

/// True if an approximate algorithm says that its answer is exact.
fn claims_exactness(answer: &Answer) -> bool {
    let marginals = answer.log_evidence().map(|log| log.standard_error == 0.0);
    marginals.or_else(|_| answer.is_proven()).unwrap_or(false)
}

/// Checks that an approximation is a number, and that it states no error.
fn modest(reading: Result<Reading, Error>) -> Result<(), String> {
    match reading {
        Ok(Reading {
            number,
            standard_error: error,
            ..
        }) if number.is_finite() && (error.is_nan() || error == 0.0) => Ok(()),
        Ok(reading) => Err(format!("{reading:?} of an approximation")),
        // Without convergence there is no number.
        Err(Error::NotInAnswer { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// True if an algorithm that may answer with bounds has expanded the whole model.
fn is_exact(answer: &Answer) -> bool {
    answer
        .deepening()
        .is_none_or(|d| d.ended == DeepeningEnd::Complete)
}

/// Checks that bounds contain the right number, and that they are as narrow as requested.
fn compare_bounds(case: &Case, asked: &Asked, answer: &Answer) -> Result<(), String> {
    let found = match asked.read_bounds(answer) {
        Some(found) => found.map_err(|error| error.to_string())?,
        None => return Err("there are bounds where none can be read".into()),
    };
    let right = match case.expected {
        Expected::Number(right) => right,
        other => return Err(format!("{found} where {other:?} is right")),
    };
    let slack = 1e-12 * right.abs();
    let holds = found.lower - slack <= right && right <= found.upper + slack;
    if holds && found.width() <= WIDTH {
        Ok(())
    } else {
        Err(format!("{right} is right, not {found:?}"))
    }
}

fn compare(
    case: &Case,
    asked: &Asked,
    claim: Claim,
    reading: Result<Reading, Error>,
) -> Result<(), String> {
    let none = matches!(case.expected, Expected::Impossible);
    let zero = matches!(case.expected, Expected::Number(0.0));
    let estimate = matches!(claim, Claim::Estimate(_));
    let refused = match &reading {
        Err(Error::ImpossibleEvidence { .. }) => none || (zero && estimate),
        // A sampler cannot know that evidence is impossible, only that no sample met it.
        Err(Error::NoSampleMetEvidence { .. }) => (none || zero) && estimate,
        _ => false,
    };
    match (case.expected, reading) {
        _ if refused => Ok(()),
        (Expected::Impossible, other) => Err(format!("impossible evidence gave {other:?}")),
        (_, Err(error)) => Err(error.to_string()),
        (Expected::Number(right), Ok(reading)) => close(claim, right, &reading),
        (Expected::Bounds { lower, upper, .. }, Ok(reading)) => {
            let slack = 5.0 * reading.standard_error;
            let inside = lower - slack <= reading.number && reading.number <= upper + slack;
            inside
                .then_some(())
                .ok_or_else(|| format!("{} is outside [{lower}, {upper}]", reading.number))
        }
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
            // The probability of a world that was found is its joint probability; a marginal gives the posterior probability.
            let (own, other, factor) = match asked.form {
                Form::World => (joint, posterior, 1.0 / evidence),
                Form::Marginals => (posterior, joint, evidence),
            };
            close(claim, own, &reading)?;
            if estimate {
                return Ok(());
            }
            let scaled = Reading {
                number: reading.number * factor,
                standard_error: reading.standard_error * factor,
                ..reading
            };
            close(claim, other, &scaled)
        }
    }
}

/// Checks that exact answers agree to nine digits and state no error, and that estimates lie within their stated errors.
fn close(claim: Claim, right: f64, found: &Reading) -> Result<(), String> {
    if let Claim::Estimate(law) = claim {
        let comparisons = number_of_cases() * SAMPLERS.len();
        return within_stated_error(right, found, law, CONFORMANCE / comparisons as f64);
    }
    let Reading {
        number,
        standard_error,
        ..
    } = found;
    let near = (number - right).abs() <= 1e-9 * right.abs() + 1e-15;
    if near && *standard_error == 0.0 {
        Ok(())
    } else {
        Err(format!("{right} is right, not {number} ± {standard_error}"))
    }
}
