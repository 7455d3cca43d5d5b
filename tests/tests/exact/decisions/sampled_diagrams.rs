//! Tests of policies fitted on draws, for diagrams whose best policies are known exactly.

use std::num::NonZero;

use figrs::prelude::*;
use figrs::{Decision, Error, SampledPolicies, SampledPolicy};

use super::brute_force::{
    Choices, Joint, best_by_turns, joints as every_joint, named, remembered, seen, value_of,
};
use super::published::entrepreneur;
use super::random_diagram::Diagram;

/// Number of standard errors by which an estimate may deviate; two in a million normal numbers deviate more.
const ERRORS: f64 = 5.0;
/// Number of draws from which a mean is treated as normal.
const ENOUGH: usize = 300;

fn near(found: f64, expected: f64, standard_error: f64) {
    let is_near = (found - expected).abs() <= ERRORS * standard_error + 1e-9;
    assert!(is_near, "{found} ± {standard_error} instead of {expected}");
}

/// Each choice is as good as any other within the errors of both, each utility is near the exact one under the policies that follow, and the plan's
/// stated utility is right. Over all diagrams, little utility is lost.
#[test]
fn policies_of_random_diagrams_approach_the_best() {
    let (mut lost, mut solved, mut compared) = (0.0, 0, 0);
    for seed in 0..40 {
        let diagram = Diagram::random(seed, 2);
        let elements = diagram.elements();
        let joints = every_joint(&diagram);
        let decisions = diagram.decisions().into_iter();
        let decisions: Vec<_> = decisions
            .map(|place| elements.values[place].clone())
            .collect();
        let sampler = ImportanceSampling::new(40_000).seed(seed);
        let plan =
            SampledPolicies::by(sampler).run(&elements.model, &elements.utilities, &decisions);
        if joints.is_empty() {
            let is_impossible = matches!(
                plan,
                Err(Error::ImpossibleEvidence { .. } | Error::NoSampleMetEvidence { .. })
            );
            assert!(is_impossible, "{plan:?}");
            continue;
        }
        let plan = plan.unwrap();
        let information = remembered(&named(&diagram));
        let mut policies: Vec<Choices> = Vec::new();
        for (place, known) in &information {
            let policy = plan.policy(&elements.values[*place]).unwrap();
            let choice = |joint: &Joint| {
                (
                    seen(joint, known),
                    policy
                        .choice(&knowing(&elements.values, joint, known))
                        .unwrap(),
                )
            };
            policies.push(joints.iter().map(choice).collect());
        }
        let value = value_of(&diagram, &joints, &information, &policies);
        near(plan.expected_utility(), value, plan.standard_error());
        let best = best_by_turns(&diagram, &joints, &information);
        assert!(value <= best + 1e-9);
        lost += best - value;
        solved += 1;
        for (number, (place, known)) in information.iter().enumerate() {
            let policy = plan.policy(&elements.values[*place]).unwrap();
            let follows = |joint: &&Joint| {
                let later = information.iter().zip(&policies).skip(number + 1);
                later.into_iter().all(|((place, known), policy)| {
                    joint.values[*place] == policy[&seen(joint, known)]
                })
            };
            for (row, &chosen) in &policies[number] {
                let there = |joint: &&&Joint| seen(joint, known) == *row;
                let followed: Vec<&Joint> = joints.iter().filter(follows).collect();
                let rows: Vec<&&Joint> = followed.iter().filter(there).collect();
                let exact = |option: usize| {
                    let with = rows.iter().filter(|joint| joint.values[*place] == option);
                    let weight: f64 = with.clone().map(|joint| joint.weight).sum();
                    with.map(|joint| joint.weight * joint.utility).sum::<f64>() / weight
                };
                let stated = knowing(&elements.values, rows[0], known);
                let found = |option: usize| {
                    policy
                        .utility_of(&stated, &option)
                        .ok()
                        .filter(|found| found.draws >= ENOUGH)
                };
                for option in 0..diagram.cards[*place] {
                    let (Some(option_utility), Some(chosen_utility)) =
                        (found(option), found(chosen))
                    else {
                        continue;
                    };
                    compared += 1;
                    near(
                        option_utility.mean,
                        exact(option),
                        option_utility.standard_error,
                    );
                    let both = option_utility
                        .standard_error
                        .hypot(chosen_utility.standard_error);
                    assert!(
                        exact(option) - exact(chosen) <= ERRORS * both + 1e-9,
                        "seed {seed}"
                    );
                }
            }
        }
    }
    assert!(solved > 30 && compared > 200, "{solved} {compared}");
    assert!(lost / f64::from(solved) < 0.01, "{lost} of {solved}");
}

fn knowing(values: &[Element<usize>], joint: &Joint, known: &[usize]) -> Model {
    known.iter().fold(Model::new(), |model, &place| {
        model.observe(&values[place], joint.values[place])
    })
}

/// On Figaro's `SingleDecision` and `MultiDecision`, plans of three samplers make the best choices, and state the right utilities.
#[test]
fn published_policies_are_found_by_draws() {
    fn solved<S: figrs::Replicate + Clone>(sampler: S) {
        let name = sampler.name();
        let e = entrepreneur(Constant::new(true), 0.0);
        let by = SampledPolicies::by(sampler);
        let plan = by.run(&Model::new(), [&e.value], &e.found).unwrap();
        near(plan.expected_utility(), 3.25, plan.standard_error());
        assert!(plan.standard_error() < 0.15, "{name}: {plan}");
        let policy: SampledPolicy<bool> = plan.policy(&e.found).unwrap();
        let chosen: Vec<bool> = policy.rows().iter().map(|row| row.choose).collect();
        assert_eq!(chosen, [false, true, true], "{name}");
        for (survey, expected) in (0..).zip([-1.25 / 0.41, 1.15 / 0.35, 2.1 / 0.24]) {
            let found = policy
                .utility_of(&Model::new().observe(&e.survey, survey), &true)
                .unwrap();
            near(found.mean, expected, found.standard_error);
            assert!(found.standard_error < 0.5, "{name}: {found}");
        }
        let e = entrepreneur(Decision::new((), [true, false]).named("test"), 1.0);
        let plan = by
            .run(&Model::new(), [&e.cost, &e.value], (&e.test, &e.found))
            .unwrap();
        near(plan.expected_utility(), 2.25, plan.standard_error());
        assert!(
            plan.policy(&e.test).unwrap().choice(&Model::new()).unwrap(),
            "{name}"
        );
        let found = plan.policy(&e.found).unwrap();
        let rows: Vec<bool> = found.rows().iter().map(|row| row.choose).collect();
        // The choices are those without a test, and those after each result of a test.
        assert_eq!(rows, [true, false, true, true], "{name}\n{plan}");
        let limited = by.clone().limited_memory();
        let plan = limited
            .run(&Model::new(), [&e.cost, &e.value], (&e.test, &e.found))
            .unwrap();
        near(plan.expected_utility(), 2.25, plan.standard_error());
        let known: Vec<_> = plan
            .policy(&e.found)
            .unwrap()
            .known()
            .iter()
            .map(|e| e.label().name)
            .collect();
        assert_eq!(known, [Some("survey".to_owned())]);
    }
    solved(ImportanceSampling::new(30_000).seed(3));
    solved(MetropolisHastings::new(30_000).seed(3));
    solved(Gibbs::new(15_000).seed(3));
    solved(ForwardSampling::new(30_000).seed(3));
    solved(RejectionSampling::new(30_000).seed(3));
    solved(SequentialMonteCarlo::new(2000).seed(3));
}

/// Number of plans over which the estimates are averaged.
const RUNS: u64 = 30;

/// Four options and doing nothing are equally good, and eight known bits are irrelevant. The fitted policy looks better than it is, but the plan
/// states its true utility.
#[test]
fn expected_utilities_are_not_optimistic() {
    let bits: Vec<_> = (0..8).map(|_| Flip::new(0.5)).collect();
    let noises: Vec<_> = (0..4).map(|_| Normal::new(0.0, Variance(1.0))).collect();
    let act = Decision::new(&bits, 0..4usize);
    let noise = noises.map(|noises| noises.iter().map(|&&noise| noise).collect::<Vec<f64>>());
    let worth = (&noise, &act).map(|(noise, &act)| noise[act]);
    let (mut message, mut fitted, mut variance) = (0.0, 0.0, 0.0);
    for seed in 0..RUNS {
        let by = SampledPolicies::by(ImportanceSampling::new(3000).seed(seed)).neighbours(3);
        let plan = by.run(&Model::new(), [&worth], &act).unwrap();
        let policy = plan.policy(&act).unwrap();
        assert_eq!(policy.rows().len(), 256);
        message += plan.expected_utility() / RUNS as f64;
        variance += plan.standard_error().powi(2) / (RUNS * RUNS) as f64;
        let rows = policy.rows().iter().map(|row| row.utility.mean);
        fitted += rows.sum::<f64>() / 256.0 / RUNS as f64;
    }
    near(message, 0.0, variance.sqrt());
    assert!(variance.sqrt() < 0.01);
    // The mean of the largest of four means of three draws each is about 0.6.
    assert!(fitted > 0.3, "{fitted}");
}

/// The plan is the same for any number of threads, and differs for another seed.
#[test]
fn plans_follow_from_their_seeds() {
    let signal = Normal::new(0.0, Variance(1.0));
    let act = Decision::new(&signal, [1.0, -1.0]);
    let worth = (&signal, &act).map(|(signal, act)| signal * act);
    let plan = |seed, threads| {
        let threads = NonZero::new(threads).unwrap();
        let one = SampledPolicies::by(ImportanceSampling::new(9000).seed(seed).threads(threads));
        let two = SampledPolicies::by(MetropolisHastings::new(2000).seed(seed).threads(threads));
        let [one, two] = [
            one.run(&Model::new(), [&worth], &act),
            two.run(&Model::new(), [&worth], &act),
        ];
        format!("{}\n{}", one.unwrap(), two.unwrap())
    };
    let first = plan(1, 1);
    assert_eq!(first, plan(1, 3));
    assert_ne!(first, plan(2, 1));
}
