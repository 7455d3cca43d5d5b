//! Tests of plans for random influence diagrams, against enumeration of all policies.

use figrs::prelude::*;
use figrs::{DecisionPlan, Error, MaximiseUtility};
use proptest::prelude::*;
use proptest::sample::Index;

use super::brute_force::{
    Choices, Information, Joint, best_by_turns, best_of_all, joints as every_joint, named,
    remembered, seen, value_of,
};
use super::random_diagram::{Diagram, Elements, Node};

/// Largest number of policies that are enumerated.
const ALL: usize = 3000;

fn near(found: f64, expected: f64) -> Result<(), TestCaseError> {
    let is_near = (found - expected).abs() < 1e-9;
    prop_assert!(is_near, "{found} instead of {expected}");
    Ok(())
}

fn solve(
    algorithm: &MaximiseUtility,
    diagram: &Diagram,
    elements: &Elements,
) -> Result<DecisionPlan, Error> {
    let decisions = diagram.decisions().into_iter();
    let decisions: Vec<_> = decisions
        .map(|place| elements.values[place].clone())
        .collect();
    algorithm.run(&elements.model, &elements.utilities, &decisions)
}

/// Returns a model that observes the known values.
fn knowing(elements: &Elements, known: &[usize], values: &[usize]) -> Model {
    known
        .iter()
        .zip(values)
        .fold(Model::new(), |model, (&place, &value)| {
            model.observe(&elements.values[place], value)
        })
}

/// Returns the choices of a plan for all possible information.
fn choices(
    plan: &DecisionPlan,
    elements: &Elements,
    information: &Information,
    joints: &[Joint],
) -> Vec<Choices> {
    let of = |(place, known): &(usize, Vec<usize>)| {
        let policy = plan.policy(&elements.values[*place]).unwrap();
        let rows = joints.iter().map(|joint| seen(joint, known));
        rows.map(|row| {
            let choice = policy.choice(&knowing(elements, known, &row)).unwrap();
            (row, choice)
        })
        .collect()
    };
    information.iter().map(of).collect()
}

/// Checks that the expected utility of each choice is the mean over the worlds with this information and choice.
fn utilities_agree(
    plan: &DecisionPlan,
    (diagram, elements): (&Diagram, &Elements),
    information: &Information,
    joints: &[Joint],
) -> Result<(), TestCaseError> {
    let policies = choices(plan, elements, information, joints);
    let follows = |joint: &Joint, from: usize, but: usize| {
        let all = information.iter().zip(&policies).enumerate();
        all.filter(|(i, _)| *i >= from && *i != but)
            .all(|(_, ((place, known), policy))| {
                joint.values[*place] == policy[&seen(joint, known)]
            })
    };
    for (number, (place, known)) in information.iter().enumerate() {
        for row in policies[number].keys() {
            for option in 0..diagram.cards[*place] {
                let there = |j: &&Joint| seen(j, known) == *row && j.values[*place] == option;
                let mean = |from: usize| {
                    let all = joints.iter().filter(there);
                    let all: Vec<&Joint> = all.filter(|j| follows(j, from, number)).collect();
                    let weight: f64 = all.iter().map(|j| j.weight).sum();
                    let total: f64 = all.iter().map(|j| j.weight * j.utility).sum();
                    (weight > 0.0).then_some(total / weight)
                };
                // The known values may be impossible after the earlier choices of the plan.
                let Some(expected) = mean(0).or_else(|| mean(number)) else {
                    continue;
                };
                let known = knowing(elements, known, row);
                let found = plan
                    .utility_of(&elements.values[*place], &known, &option)
                    .unwrap();
                near(found, expected)?;
            }
        }
    }
    Ok(())
}

/// Returns the information in which the first decision also knows a further variable.
fn informed(information: &Information, place: usize) -> Information {
    let mut information = information.clone();
    if let Some((_, known)) = information.first_mut() {
        known.push(place);
    }
    information
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn plans_are_the_best_of_all(seed in proptest::arbitrary::any::<u64>()) {
        let diagram = Diagram::random(seed, 3);
        let elements = diagram.elements();
        let joints = every_joint(&diagram);
        let plan = solve(&MaximiseUtility::new(), &diagram, &elements);
        if joints.is_empty() {
            prop_assert!(matches!(plan, Err(Error::ImpossibleEvidence { .. })), "{plan:?}");
            return Ok(());
        }
        let plan = plan.unwrap();
        prop_assert!(plan.is_optimal());
        let information = remembered(&named(&diagram));
        let best = best_by_turns(&diagram, &joints, &information);
        if let Some(of_all) = best_of_all(&diagram, &joints, &information, ALL) {
            near(of_all, best)?;
        }
        near(plan.expected_utility(), best)?;
        let policies = choices(&plan, &elements, &information, &joints);
        near(value_of(&diagram, &joints, &information, &policies), best)?;
        utilities_agree(&plan, (&diagram, &elements), &information, &joints)?;
    }

    #[test]
    fn limited_memory_is_never_above_the_best(seed in proptest::arbitrary::any::<u64>()) {
        let diagram = Diagram::random(seed, 3);
        let elements = diagram.elements();
        let joints = every_joint(&diagram);
        prop_assume!(!joints.is_empty());
        let algorithm = MaximiseUtility::new().limited_memory();
        let plan = solve(&algorithm, &diagram, &elements).unwrap();
        let information = named(&diagram);
        let policies = choices(&plan, &elements, &information, &joints);
        let value = value_of(&diagram, &joints, &information, &policies);
        near(plan.expected_utility(), value)?;
        if let Some(best) = best_of_all(&diagram, &joints, &information, ALL) {
            prop_assert!(value <= best + 1e-9);
            if plan.is_optimal() {
                near(value, best)?;
            }
        }
        // No change of a single choice improves the plan.
        for (number, (place, _)) in information.iter().enumerate() {
            for row in policies[number].keys() {
                for option in 0..diagram.cards[*place] {
                    let mut others = policies.clone();
                    others[number].insert(row.clone(), option);
                    let changed = value_of(&diagram, &joints, &information, &others);
                    prop_assert!(changed <= value + 1e-9, "{changed} {value}");
                }
            }
        }
    }

    #[test]
    fn information_and_control_are_worth_what_they_change(seed in proptest::arbitrary::any::<u64>(), at in proptest::arbitrary::any::<Index>()) {
        let diagram = Diagram::random(seed, 2);
        let elements = diagram.elements();
        let joints = every_joint(&diagram);
        prop_assume!(!joints.is_empty());
        let plan = solve(&MaximiseUtility::new(), &diagram, &elements).unwrap();
        let place = at.index(diagram.nodes.len());
        let element = &elements.values[place];
        let value = plan.value_of_information(element);
        match value {
            Err(error) => {
                let is_refused = matches!(error, Error::DecisionInfluencesKnown { known_to: Some(_), .. });
                prop_assert!(is_refused && diagram.is_influenced(place), "{error}");
            }
            // A branch that is never taken has no influence.
            Ok(value) => {
                let known = remembered(&informed(&named(&diagram), place));
                let expected = best_by_turns(&diagram, &joints, &known);
                near(value, expected - plan.expected_utility())?;
            }
        }
        if !matches!(diagram.nodes[place], Node::Decision { .. }) {
            let mut controlled = diagram.clone();
            controlled.nodes[place] = Node::Decision { known: Vec::new() };
            let mut first = named(&diagram);
            first.insert(0, (place, Vec::new()));
            let all = every_joint(&controlled);
            let expected = best_by_turns(&controlled, &all, &remembered(&first));
            // A variable cannot be set to a value that it never has.
            let reached = joints.iter().map(|joint| joint.values[place]);
            let reached: std::collections::BTreeSet<usize> = reached.collect();
            match plan.value_of_control(element) {
                Err(error) => {
                    let is_refused = matches!(error, Error::DecisionInfluencesKnown { known_to: None, .. });
                    let evidence = controlled.evidence;
                    let is_influenced = evidence.is_some_and(|(at, _)| controlled.is_influenced(at));
                    prop_assert!(is_refused && is_influenced, "{error}");
                }
                Ok(found) if reached.len() == diagram.cards[place] => {
                    near(found, expected - plan.expected_utility())?;
                }
                Ok(_) => {}
            }
        }
    }
}

/// With limited memory, the value of information is the difference between the plans found with and without it; it is negative if the plan found with
/// it is a worse local optimum.
#[test]
fn information_of_limited_memory_is_worth_what_the_plans_differ() {
    let (mut compared, mut negative) = (0, 0);
    for seed in 0..1500 {
        let diagram = Diagram::random(seed, 3);
        let elements = diagram.elements();
        if every_joint(&diagram).is_empty() {
            continue;
        }
        let limited = MaximiseUtility::new().limited_memory();
        let plan = solve(&limited, &diagram, &elements).unwrap();
        // These elements are created before any decision.
        for place in 0..diagram.decisions()[0] {
            let mut informed = diagram.clone();
            for node in &mut informed.nodes {
                if let Node::Decision { known } = node
                    && !known.contains(&place)
                {
                    known.push(place);
                }
            }
            let with = solve(&limited, &informed, &informed.elements()).unwrap();
            let value = plan.value_of_information(&elements.values[place]).unwrap();
            let expected = with.expected_utility() - plan.expected_utility();
            assert!(
                (value - expected).abs() < 1e-9,
                "seed {seed}: {value} {expected}"
            );
            if plan.is_optimal() && with.is_optimal() {
                assert!(value > -1e-9, "seed {seed}: {value}");
            }
            negative += u32::from(value < -1e-9);
            compared += 1;
        }
    }
    assert!(compared > 1000 && negative > 0, "{compared} {negative}");
}
