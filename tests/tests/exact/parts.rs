//! Tests of objects with uncertain references: against sums over all worlds, and against the numbers of Figaro's programs.

mod figaro;
mod missing;

use std::collections::BTreeMap;

use figrs::prelude::*;
use figrs::{Distinct, Fault, ModelError, Parts, PlainData, distinct};
use figrs_lower::Observations;
use figrs_tests::oracle::every_run;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::collections::exact;

/// A room with a size, and an owner of uncertain identity.
#[derive(Clone, Debug, Parts, Value)]
#[value(parts)]
struct Room {
    /// The floor is not random, but that of an uncertain room is.
    floor: usize,
    size: Element<u32>,
    owner: Element<Person>,
}

#[derive(Clone, Debug, Parts, Value)]
#[value(parts)]
struct Person {
    age: Element<u32>,
}

#[derive(Parts)]
struct House {
    rooms: Vec<Room>,
    people: BTreeMap<usize, Person>,
    /// References to rooms.
    used: Vec<Element<Room>>,
}

/// The numbers of a random house: the weights of the values of each element.
struct Numbers {
    sizes: Vec<[f64; 3]>,
    ages: Vec<[f64; 2]>,
    owners: Vec<Vec<f64>>,
    used: Vec<Vec<f64>>,
}

/// One joint assignment of values to the elements of a house, by their positions.
struct Assignment {
    sizes: Vec<usize>,
    ages: Vec<usize>,
    owners: Vec<usize>,
    used: Vec<usize>,
}

impl Numbers {
    fn random(random: &mut StdRng) -> Self {
        let rooms = random.random_range(1..=3);
        let people = random.random_range(1..=2);
        let references = random.random_range(1..=3);
        let mut weight = || f64::from(random.random_range(1..=9_u32));
        Self {
            sizes: (0..rooms).map(|_| [weight(), weight(), weight()]).collect(),
            ages: (0..people).map(|_| [weight(), weight()]).collect(),
            owners: (0..rooms)
                .map(|_| (0..people).map(|_| weight()).collect())
                .collect(),
            used: (0..references)
                .map(|_| (0..rooms).map(|_| weight()).collect())
                .collect(),
        }
    }

    fn house(&self) -> House {
        let age = |&[a, b]: &[f64; 2]| Person {
            age: Select::new([(a, 30), (b, 40)]),
        };
        let people: Vec<Person> = self.ages.iter().map(age).collect();
        let choice = |weights: &Vec<f64>, people: &[Person]| {
            Select::new(weights.iter().copied().zip(people.to_vec()))
        };
        let room = |(number, (&[a, b, c], owner)): (usize, (&[f64; 3], &Vec<f64>))| Room {
            floor: number % 2,
            size: Select::new([(a, 1), (b, 2), (c, 3)]),
            owner: choice(owner, &people),
        };
        let rooms: Vec<Room> = self
            .sizes
            .iter()
            .zip(&self.owners)
            .enumerate()
            .map(room)
            .collect();
        let reference =
            |weights: &Vec<f64>| Select::new(weights.iter().copied().zip(rooms.clone()));
        let used = self.used.iter().map(reference).collect();
        House {
            rooms,
            people: people.into_iter().enumerate().collect(),
            used,
        }
    }

    /// The weights of all elements, in the order of `Assignment::from_positions`.
    fn weights(&self) -> Vec<Vec<f64>> {
        let sizes = self.sizes.iter().map(|weights| weights.to_vec());
        let ages = self.ages.iter().map(|weights| weights.to_vec());
        sizes
            .chain(ages)
            .chain(self.owners.iter().cloned())
            .chain(self.used.iter().cloned())
            .collect()
    }

    /// Calls `visit` with every assignment and its probability.
    fn every_assignment(&self, mut visit: impl FnMut(&Assignment, f64)) {
        let weights = self.weights();
        let mut positions = vec![0; weights.len()];
        loop {
            let share =
                |(weights, &at): (&Vec<f64>, &usize)| weights[at] / weights.iter().sum::<f64>();
            let p = weights.iter().zip(&positions).map(share).product();
            let mut rest = positions.iter().copied();
            let mut take = |n: usize| -> Vec<usize> { rest.by_ref().take(n).collect() };
            let assignment = Assignment {
                sizes: take(self.sizes.len()),
                ages: take(self.ages.len()),
                owners: take(self.owners.len()),
                used: take(self.used.len()),
            };
            visit(&assignment, p);
            let Some(at) = (0..positions.len())
                .rev()
                .find(|&at| positions[at] + 1 < weights[at].len())
            else {
                return;
            };
            positions[at] += 1;
            positions[at + 1..].fill(0);
        }
    }
}

impl Assignment {
    fn size(&self, room: usize) -> u32 {
        [1, 2, 3][self.sizes[room]]
    }

    /// The age of the owner of a room.
    fn age(&self, room: usize) -> u32 {
        [30, 40][self.ages[self.owners[room]]]
    }

    /// The rooms that are used, each once.
    fn used(&self) -> Vec<usize> {
        let mut used = self.used.clone();
        used.sort_unstable();
        used.dedup();
        used
    }
}

/// Returns evidence by paths: the age of the first person, and a part of whatever room the reference `last` turns out to be.
fn evidence(case: usize, last: usize) -> PlainData {
    let data = match case % 4 {
        // The floor is evidence on the identity of the room.
        0 => format!(r#"{{"people": {{"0": {{"age": 30}}}}, "used[{last}]": {{"floor": 0}}}}"#),
        1 => format!(r#"{{"people[0].age": 30, "used[{last}].owner": {{"age": 30}}}}"#),
        _ => r#"{"people": {"0": {"age": 30}}}"#.into(),
    };
    serde_json::from_str(&data).unwrap()
}

#[test]
fn uncertain_references_agree_with_sums_over_all_worlds() {
    let mut random = StdRng::seed_from_u64(20_261_128);
    for case in 0..24 {
        let numbers = Numbers::random(&mut random);
        let house = numbers.house();
        let first = &house.used[0];
        // The size of a room and the age of its owner, by Rust and by path.
        let size = first.part(|room| &room.size);
        let same_size = house.find::<u32>("used[0].size").unwrap();
        let age = house.find::<u32>("used[0].owner.age").unwrap();
        let same_age = first.part(|room| &room.owner).part(|person| &person.age);
        let used = distinct(&house.used);
        let total = used.fold_parts(|room| &room.size, 0, |sum, size| sum + size);
        let same_total =
            used.fold_parts_among(&house.rooms, |room| &room.size, 0, |sum, size| sum + size);
        let count = used.map(Distinct::len);
        // The persons who own used rooms, each once; the list has them as often as they own one.
        let owners = house.used.iter().map(|room| room.part(|room| &room.owner));
        let ages = figrs::inject(owners).distinct().fold_parts(
            |person| &person.age,
            0,
            |sum, age| sum + age,
        );
        let last = house.used.len() - 1;
        let last_size = house.find::<u32>(&format!("used[{last}].size")).unwrap();
        let data = evidence(case, last);
        let model = if case < 12 {
            Model::new()
                .observe_path(&house, "used[0].size", 2)
                .unwrap()
        } else {
            Model::new().observe(&same_size, 2)
        };
        let model = model
            .observe_data(&house, &data)
            .unwrap()
            .condition(&last_size, |&size| size < 3);

        let mut evidence = 0.0;
        // Sums over worlds that meet the evidence.
        let mut sums = [0.0; 5];
        numbers.every_assignment(|world, p| {
            let used = world.used();
            if world.size(world.used[0]) != 2
                || world.ages[0] != 0
                || world.size(world.used[last]) == 3
                || case % 4 == 0 && world.used[last] % 2 == 1
                || case % 4 == 1 && world.age(world.used[last]) != 30
            {
                return;
            }
            evidence += p;
            let sum: u32 = used.iter().map(|&room| world.size(room)).sum();
            let mut owners: Vec<usize> = used.iter().map(|&room| world.owners[room]).collect();
            owners.sort_unstable();
            owners.dedup();
            let all: usize = owners
                .iter()
                .map(|&person| [30, 40][world.ages[person]])
                .sum();
            sums[0] += p * f64::from(world.age(world.used[0]));
            sums[1] += p * f64::from(sum);
            sums[2] += p * used.len() as f64;
            sums[3] += p * all as f64;
            sums[4] += p * f64::from(u8::from(sum == 2));
        });
        for algorithm in exact() {
            let run = algorithm.run(
                &model,
                (&size, &age, &same_age, &total, &same_total, &count, &ages),
            );
            let answer =
                run.unwrap_or_else(|error| panic!("case {case}, {}: {error}", algorithm.name()));
            let found = [
                answer.mean(&age).unwrap(),
                answer.mean(&total).unwrap(),
                answer.mean(&count).unwrap(),
                answer.mean(&ages).unwrap(),
                answer.probability(&total, &2).unwrap(),
            ];
            for (at, (found, sum)) in found.iter().zip(sums).enumerate() {
                let expected = sum / evidence;
                let close = (found - expected).abs() < 1e-9 * expected.max(1.0);
                assert!(
                    close,
                    "case {case}, {}, number {at}: {found}, not {expected}",
                    algorithm.name()
                );
            }
            assert!((answer.probability(&size, &2).unwrap() - 1.0).abs() < 1e-12);
            assert!((answer.mean(&same_age).unwrap() - found[0]).abs() < 1e-9);
            assert!((answer.mean(&same_total).unwrap() - found[1]).abs() < 1e-9);
            let log_evidence = answer.log_evidence().unwrap().value;
            assert!(
                (log_evidence - evidence.ln()).abs() < 1e-9,
                "case {case}, {}",
                algorithm.name()
            );
        }
        // Every run that a sampler could make, with its probability and weight.
        let targets = [&age, &total, &same_total].map(|target| target.erased().clone());
        let (mut weights, mut weighted) = (0.0, [0.0; 3]);
        let all = every_run(
            &model,
            &targets,
            Observations::Weigh,
            1_000_000,
            |program, p, w| {
                let weight = (p + w).exp();
                weights += weight;
                for (sum, &slot) in weighted.iter_mut().zip(program.targets()) {
                    let value = program.value(slot).and_then(|value| value.get::<u32>());
                    *sum += weight * f64::from(*value.expect("a target has a value"));
                }
            },
        );
        assert!(all.unwrap());
        assert!(
            (weights - evidence).abs() < 1e-12,
            "case {case}: {weights}, not {evidence}"
        );
        for (found, sum) in weighted.iter().zip([sums[0], sums[1], sums[1]]) {
            assert!(
                (found - sum).abs() < 1e-9,
                "case {case}: {found}, not {sum}"
            );
        }
    }
}

fn person(age: u32) -> Person {
    Person {
        age: Uniform::new([age, age + 1]),
    }
}

/// A sensor with a continuous reading, and data about it as text, which is not random.
#[derive(Clone, Debug, Parts, Value)]
#[value(parts)]
struct Sensor {
    maker: String,
    reading: Element<f64>,
}

#[test]
fn densities_of_uncertain_objects_count() {
    let sensor = |maker: &str, mean| Sensor {
        maker: maker.into(),
        reading: Normal::new(mean, Variance(1.0)),
    };
    let which = Uniform::new([sensor("Ada", 0.0), sensor("Bo", 2.0), sensor("Ada", 1.0)]);
    let maker = which.find::<String>("maker").unwrap();
    let model = Model::new().observe_path(&which, "reading", 1.5).unwrap();
    // Densities at distances of 1.5, 0.5 and 0.5.
    let [far, near] = [1.5_f64, 0.5].map(|distance| (-0.5 * distance * distance).exp());
    let right = near / (far + 2.0 * near);
    let bo = "Bo".to_owned();
    for algorithm in algorithms![
        VariableElimination::new(),
        JunctionTree::new(),
        Exact::new()
    ] {
        let answer = algorithm.run(&model, &maker).unwrap();
        let found = answer.probability(&maker, &bo).unwrap();
        assert!(
            (found - right).abs() < 1e-12,
            "{}: {found}, not {right}",
            algorithm.name()
        );
    }
    for algorithm in algorithms![
        ImportanceSampling::new(10_000).seed(1),
        MetropolisHastings::new(10_000).seed(1)
    ] {
        let answer = algorithm.run(&model, &maker).unwrap();
        let found = answer.probability(&maker, &bo).unwrap();
        let error = answer.standard_error(&maker, &bo).unwrap();
        let is_near = error < 0.05 && (found - right).abs() < 6.0 * error;
        assert!(
            is_near,
            "{}: {found} ± {error}, not {right}",
            algorithm.name()
        );
    }
    let known = model.observe_path(&which, "maker", "Bo").unwrap();
    let answer = VariableElimination::new().run(&known, &maker).unwrap();
    assert!((answer.probability(&maker, &bo).unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn an_answer_prints_the_paths_of_its_targets() {
    let numbers = Numbers {
        sizes: vec![[1.0; 3]],
        ages: vec![[1.0, 3.0]],
        owners: vec![vec![1.0]],
        used: vec![],
    };
    let house = numbers.house();
    let targets = house.name_parts("house").unwrap();
    let model = Model::new()
        .observe_path(&house, "rooms[0].size", 3)
        .unwrap();
    let answer = VariableElimination::new()
        .run(&model, &targets)
        .unwrap()
        .to_string();
    let lines: Vec<&str> = answer.lines().collect();
    assert!(
        lines[0].starts_with("house.rooms[0].size: mean 3.0000"),
        "{answer}"
    );
    assert!(
        lines[2].starts_with("house.people[\"0\"].age: mean 37.5000"),
        "{answer}"
    );
    let impossible = model.observe_path(&house, "rooms[0].size", 4).unwrap();
    let error = VariableElimination::new()
        .run(&impossible, &targets)
        .unwrap_err()
        .to_string();
    assert!(error.contains("`house.rooms[0].size` "), "{error}");
}

#[test]
fn an_object_that_is_not_listed_is_an_error() {
    let people = [person(1), person(2), person(3)];
    let chosen = [Uniform::new(people.clone())];
    let set = distinct(&chosen);
    let age = set.fold_parts_among(&people[..2], |person| &person.age, 0, |sum, age| sum + age);
    for algorithm in exact() {
        let error = algorithm.run(&Model::new(), &age).unwrap_err();
        let is_row = matches!(
            &error,
            figrs::Error::Model(ModelError::Function {
                fault: Fault::Row(_),
                ..
            })
        );
        assert!(is_row, "{}: {error}", algorithm.name());
        let third = people[2].clone();
        let model = Model::new().condition(&chosen[0], move |person| !person.same(&third));
        let answer = algorithm.run(&model, &age).unwrap();
        assert!((answer.mean(&age).unwrap() - 2.0).abs() < 1e-12);
    }
}

#[test]
fn many_references_to_few_objects_are_cheap() {
    // The 12 references have 8^12 joint values, and the sets of objects are at most 2^8.
    let (references, objects) = (12, 8);
    let people: Vec<Person> = (0..objects).map(|_| person(1)).collect();
    let chosen: Vec<Element<Person>> = (0..references)
        .map(|_| Uniform::new(people.clone()))
        .collect();
    let set = distinct(&chosen);
    let count = set.map(Distinct::len);
    let total = set.fold_parts_among(&people, |person| &person.age, 0, |sum, age| sum + age);
    let missed = (1.0 - 1.0 / f64::from(objects)).powi(references);
    let expected = f64::from(objects) * (1.0 - missed);
    for algorithm in algorithms![VariableElimination::new(), Frontier::new()] {
        let answer = algorithm.run(&Model::new(), (&count, &total)).unwrap();
        let (count, total) = (answer.mean(&count).unwrap(), answer.mean(&total).unwrap());
        assert!(
            (count - expected).abs() < 1e-9,
            "{}: {count}, not {expected}",
            algorithm.name()
        );
        assert!(
            (total - 1.5 * expected).abs() < 1e-9,
            "{}: {total}",
            algorithm.name()
        );
        // If the first person is chosen by nobody, the others are chosen as by chance among seven.
        let spared = chosen.iter().fold(Model::new(), |model, chosen| {
            let first = people[0].clone();
            model.condition(chosen, move |person| !person.same(&first))
        });
        let answer = algorithm.run(&spared, set.map(Distinct::len)).unwrap();
        assert!((answer.log_evidence().unwrap().value - missed.ln()).abs() < 1e-9);
    }
}
