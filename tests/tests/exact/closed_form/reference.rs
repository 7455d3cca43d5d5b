//! Answers computed elsewhere with 30 to 50 digits: conjugate normals, regression, smoothers, networks, switching systems.

use std::collections::BTreeMap;
use std::fs;

use figrs::prelude::*;
use figrs::{Algorithm, AnyElement, Covariance, Error, MultivariateNormal, weighted_sum};
use serde_json::Value as Json;

/// The cases of one group; `None`, with a printed reason, if the file is not at hand.
pub(super) fn cases(group: &str) -> Option<Vec<Json>> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/reference/reals.json"
    );
    let Ok(text) = fs::read_to_string(path) else {
        println!("skipped: {path} is not at hand");
        return None;
    };
    let all: Json = serde_json::from_str(&text).unwrap();
    let cases = all["cases"].as_array().unwrap().iter();
    let own: Vec<Json> = cases
        .filter(|case| case["group"] == group)
        .cloned()
        .collect();
    assert!(!own.is_empty(), "{group}");
    Some(own)
}

pub(super) fn number(json: &Json) -> f64 {
    json.as_f64()
        .unwrap_or_else(|| panic!("{json} is no number"))
}

pub(super) fn numbers(json: &Json) -> Vec<f64> {
    json.as_array().unwrap().iter().map(number).collect()
}

pub(super) fn matrix(json: &Json) -> Vec<Vec<f64>> {
    json.as_array().unwrap().iter().map(numbers).collect()
}

/// Checks a number to 1e-10 of its size, and to 1e-12 near zero.
pub(super) fn check(name: &str, found: f64, exact: f64) {
    let apart = (found - exact).abs();
    assert!(
        apart <= 1e-10 * exact.abs() + 1e-12,
        "{name}: {found}, exactly {exact}"
    );
}

/// A network of the file: its elements by name.
#[derive(Default)]
struct Network {
    reals: BTreeMap<String, Element<f64>>,
    finite: BTreeMap<String, Element<usize>>,
    states: BTreeMap<String, Vec<String>>,
}

pub(super) fn text(json: &Json) -> String {
    json.as_str()
        .map_or_else(|| json.to_string(), str::to_owned)
}

impl Network {
    fn new(nodes: &Json) -> Self {
        let mut this = Self::default();
        for node in nodes.as_array().unwrap() {
            let name = text(&node["name"]);
            if node["kind"] == "normal" {
                let element = this.normal_node(node);
                this.reals.insert(name.clone(), element.named(name));
            } else {
                let states: Vec<String> = node["states"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(text)
                    .collect();
                let element = this.finite_node(node);
                this.states.insert(name.clone(), states);
                this.finite.insert(name.clone(), element.named(name));
            }
        }
        this
    }

    fn parents(&self, node: &Json) -> Vec<(String, Element<usize>)> {
        let parents = node.get("discrete_parents").and_then(Json::as_array);
        let names = parents.into_iter().flatten().map(text);
        names
            .map(|name| (name.clone(), self.finite[&name].clone()))
            .collect()
    }

    /// The states that a row of a table is given for.
    fn given(&self, row: &Json, parents: &[(String, Element<usize>)]) -> Vec<usize> {
        let states = row["given"].as_array().unwrap().iter().map(text);
        let place = |(state, (name, _)): (String, &(String, Element<usize>))| {
            self.states[name]
                .iter()
                .position(|other| *other == state)
                .unwrap()
        };
        states.zip(parents).map(place).collect()
    }

    fn finite_node(&self, node: &Json) -> Element<usize> {
        let parents = self.parents(node);
        let select = |p: &[f64]| Select::new(p.iter().enumerate().map(|(i, &p)| (p, i)));
        let rows = node["table"].as_array().unwrap().iter();
        let rows: Vec<(Vec<usize>, Vec<f64>)> = rows
            .map(|row| (self.given(row, &parents), numbers(&row["p"])))
            .collect();
        if parents.is_empty() {
            return select(&rows[0].1);
        }
        let elements: Vec<Element<usize>> =
            parents.into_iter().map(|(_, element)| element).collect();
        elements.flat_map(move |values: Vec<&usize>| {
            let is_row = |row: &&(Vec<usize>, Vec<f64>)| row.0.iter().eq(values.iter().copied());
            select(&rows.iter().find(is_row).unwrap().1)
        })
    }

    fn normal_node(&self, node: &Json) -> Element<f64> {
        let Some(table) = node.get("table").and_then(Json::as_array) else {
            return self.normal(node);
        };
        let parents = self.parents(node);
        let rows = table.iter();
        let rows: Vec<(Vec<usize>, Element<f64>)> = rows
            .map(|row| (self.given(row, &parents), self.normal(row)))
            .collect();
        if parents.is_empty() {
            return rows[0].1.clone();
        }
        let elements: Vec<Element<usize>> =
            parents.into_iter().map(|(_, element)| element).collect();
        elements.flat_map(move |values: Vec<&usize>| {
            let is_row =
                |row: &&(Vec<usize>, Element<f64>)| row.0.iter().eq(values.iter().copied());
            rows.iter().find(is_row).unwrap().1.clone()
        })
    }

    /// A normal element; one with variance zero is a linear function of its parents.
    fn normal(&self, row: &Json) -> Element<f64> {
        let variance = number(&row["variance"]);
        let mean = &row["mean"];
        let constant = mean.as_f64().unwrap_or_else(|| number(&mean["const"]));
        let terms = mean
            .get("terms")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let terms: Vec<(f64, &Element<f64>)> = terms
            .map(|term| (number(&term[0]), &self.reals[&text(&term[1])]))
            .collect();
        match (terms.is_empty(), variance == 0.0) {
            (true, true) => Constant::new(constant),
            (true, false) => Normal::new(constant, Variance(variance)),
            (false, true) => weighted_sum(terms) + constant,
            (false, false) => Normal::new(&(weighted_sum(terms) + constant), Variance(variance)),
        }
    }

    fn observed(&self, evidence: &Json) -> Model {
        let mut model = Model::new();
        for (name, value) in evidence.as_object().into_iter().flatten() {
            model = if let Some(element) = self.reals.get(name) {
                model.observe(element, number(value))
            } else {
                let state = text(value);
                let place = self.states[name].iter().position(|other| *other == state);
                model.observe(&self.finite[name], place.unwrap())
            };
        }
        model
    }
}

/// Compares the answers to a case that lists nodes with the answers of the file.
fn check_network(case: &Json) {
    let network = Network::new(&case["model"]["nodes"]);
    let model = network.observed(&case["evidence"]);
    let answers = &case["answers"];
    let order = answers.get("order").or(answers.get("continuous"));
    let names: Vec<String> = match order {
        Some(order) => order.as_array().unwrap().iter().map(text).collect(),
        None => vec!["mu".to_owned()],
    };
    let reals: Vec<&Element<f64>> = names.iter().map(|name| &network.reals[name]).collect();
    let mut targets: Vec<AnyElement> = reals.iter().map(|e| e.erased().clone()).collect();
    targets.extend(network.finite.values().map(|e| e.erased().clone()));
    let algorithms: [&dyn Algorithm; 3] = [
        &Exact::new(),
        &VariableElimination::new(),
        &JunctionTree::new(),
    ];
    for algorithm in algorithms {
        let id = format!("{}, {}", text(&case["id"]), algorithm.name());
        let answer = algorithm.answer(&model, &targets).unwrap();
        let log_evidence = answer.log_evidence().unwrap().value;
        check(&id, log_evidence, number(&answers["log_evidence"]));
        for (i, element) in reals.iter().enumerate() {
            let (mean, variance) = match order {
                Some(_) => (&answers["mean"][i], &answers["cov"][i][i]),
                None => (&answers["mean"], &answers["variance"]),
            };
            let name = format!("{id}: {}", names[i]);
            check(&name, answer.mean(element).unwrap(), number(mean));
            check(&name, answer.variance(element).unwrap(), number(variance));
        }
        for (name, shares) in answers["discrete"].as_object().into_iter().flatten() {
            for (state, share) in numbers(shares).into_iter().enumerate() {
                let found = answer.probability(&network.finite[name], &state).unwrap();
                check(&format!("{id}: {name}"), found, share);
            }
        }
    }
}

#[test]
fn linear_gaussian_networks() {
    for case in cases("linear_gaussian_network").unwrap_or_default() {
        check_network(&case);
    }
}

#[test]
fn conditional_linear_gaussian_networks() {
    for case in cases("conditional_linear_gaussian").unwrap_or_default() {
        check_network(&case);
    }
}

#[test]
fn normal_priors_of_normal_means() {
    let known = [
        "normal_normal_single",
        "normal_normal",
        "hierarchical_normal",
        "normal_chain",
        "three_level_normal",
    ];
    let mut found = 0;
    for case in cases("conjugate").unwrap_or_default() {
        if known.contains(&case["id"].as_str().unwrap()) {
            check_network(&case);
            found += 1;
        }
    }
    assert!(found == 0 || found == known.len());
}

#[test]
fn regressions_with_known_noise() {
    for case in cases("regression").unwrap_or_default() {
        if case["id"] != "regression_known_noise" {
            continue;
        }
        let settings = &case["model"];
        let prior = Covariance::rows(matrix(&settings["prior_cov"]));
        let weights = MultivariateNormal::new(numbers(&settings["prior_mean"]), prior);
        let noise = number(&settings["noise_variance"]);
        let predicted = |x: Vec<f64>| weights.affine([x], [0.0]).entry(0);
        let mut model = Model::new();
        for (x, y) in matrix(&settings["X"])
            .into_iter()
            .zip(numbers(&case["evidence"]["y"]))
        {
            model = model.observe(&Normal::new(predicted(x), Variance(noise)), y);
        }
        let next = Normal::new(predicted(numbers(&settings["x_new"])), Variance(noise));
        let answer = Exact::new().run(&model, (&weights, &next)).unwrap();
        let answers = &case["answers"];
        check(
            "evidence",
            answer.log_evidence().unwrap().value,
            number(&answers["log_evidence"]),
        );
        let mixture = answer.mixture(&weights).unwrap();
        let (means, covariance) = (mixture.means(), mixture.covariance());
        for (i, mean) in numbers(&answers["mean"]).into_iter().enumerate() {
            check("mean", means[i], mean);
            for (j, entry) in numbers(&answers["cov"][i]).into_iter().enumerate() {
                check("covariance", covariance[i][j], entry);
            }
        }
        let predictive = &answers["predictive"];
        check(
            "prediction",
            answer.mean(&next).unwrap(),
            number(&predictive["mean"]),
        );
        check(
            "prediction",
            answer.variance(&next).unwrap(),
            number(&predictive["variance"]),
        );
    }
}

#[test]
fn smoothers() {
    for case in cases("state_space").unwrap_or_default() {
        let id = text(&case["id"]);
        let settings = &case["model"];
        let covariance = |name: &str| Covariance::rows(matrix(&settings[name]));
        let (a, b) = (matrix(&settings["A"]), numbers(&settings["b"]));
        let (h, d) = (matrix(&settings["H"]), numbers(&settings["d"]));
        let steps = case["evidence"]["y"].as_array().unwrap();
        let start = MultivariateNormal::new(
            numbers(&settings["initial_mean"]),
            covariance("initial_cov"),
        );
        let mut states = vec![start];
        let mut model = Model::new();
        for (t, reading) in steps.iter().enumerate() {
            if t > 0 {
                let mean = states[t - 1].affine(a.clone(), b.clone());
                states.push(MultivariateNormal::new(&mean, covariance("Q")));
            }
            let reading = reading.as_array().unwrap();
            // Single numbers of a reading may be missing: the noise of the others is their part of the covariance.
            let seen: Vec<usize> = (0..reading.len())
                .filter(|&i| !reading[i].is_null())
                .collect();
            if seen.is_empty() {
                continue;
            }
            let rows: Vec<Vec<f64>> = seen.iter().map(|&i| h[i].clone()).collect();
            let offset: Vec<f64> = seen.iter().map(|&i| d[i]).collect();
            let noise = matrix(&settings["R"]);
            let noise = seen
                .iter()
                .map(|&i| seen.iter().map(|&j| noise[i][j]).collect::<Vec<f64>>());
            let mean = states[t].affine(rows, offset);
            let read = MultivariateNormal::new(&mean, Covariance::rows(noise));
            let values: Vec<f64> = seen.iter().map(|&i| number(&reading[i])).collect();
            model = model.observe(&read, values);
        }
        let answer = Exact::new().run(&model, &states).unwrap();
        let answers = &case["answers"];
        check(
            &id,
            answer.log_evidence().unwrap().value,
            number(&answers["log_evidence"]),
        );
        let smoothed = &answers["smoothed"];
        for (t, state) in states.iter().enumerate() {
            let mixture = answer.mixture(state).unwrap();
            let (means, covariance) = (mixture.means(), mixture.covariance());
            for (i, mean) in numbers(&smoothed["mean"][t]).into_iter().enumerate() {
                check(&format!("{id}, mean {t}"), means[i], mean);
                for (j, entry) in numbers(&smoothed["cov"][t][i]).into_iter().enumerate() {
                    check(&format!("{id}, covariance {t}"), covariance[i][j], entry);
                }
            }
        }
    }
}

#[test]
fn switching_systems() {
    for case in cases("switching").unwrap_or_default() {
        let id = text(&case["id"]);
        let settings = case["model"].clone();
        let regime = |p: &Json| {
            let p = numbers(p);
            Select::new(p.into_iter().enumerate().map(|(i, p)| (p, i)))
        };
        let covariance = |json: &Json| Covariance::rows(matrix(json));
        let start = covariance(&settings["initial_cov"]);
        let mut regimes = vec![regime(&settings["initial_regime"])];
        let mut states = vec![MultivariateNormal::new(
            numbers(&settings["initial_mean"]),
            start,
        )];
        let mut model = Model::new();
        for (t, reading) in case["evidence"]["y"].as_array().unwrap().iter().enumerate() {
            if t > 0 {
                let transition = settings["transition"].clone();
                regimes.push(regimes[t - 1].flat_map(move |&s| regime(&transition[s])));
                let (before, laws) = (states[t - 1].clone(), settings.clone());
                states.push(regimes[t].flat_map(move |&s| {
                    let mean = before.affine(matrix(&laws["A"][s]), numbers(&laws["b"][s]));
                    MultivariateNormal::new(&mean, Covariance::rows(matrix(&laws["Q"][s])))
                }));
            }
            if reading[0].is_null() {
                continue;
            }
            let (state, laws) = (states[t].clone(), settings.clone());
            let read = regimes[t].flat_map(move |&s| {
                let mean = state.affine(matrix(&laws["H"][s]), numbers(&laws["d"][s]));
                MultivariateNormal::new(&mean, Covariance::rows(matrix(&laws["R"][s])))
            });
            model = model.observe(&read, numbers(reading));
        }
        let mut targets: Vec<AnyElement> = states.iter().map(|e| e.erased().clone()).collect();
        targets.extend(regimes.iter().map(|e| e.erased().clone()));
        let answer = Exact::new().answer(&model, &targets).unwrap();
        let answers = &case["answers"];
        check(
            &id,
            answer.log_evidence().unwrap().value,
            number(&answers["log_evidence"]),
        );
        let smoothed = &answers["smoothed"];
        for t in 0..states.len() {
            for (s, p) in numbers(&smoothed["regime"][t]).into_iter().enumerate() {
                check(&id, answer.probability(&regimes[t], &s).unwrap(), p);
            }
            let mixture = answer.mixture(&states[t]).unwrap();
            let (means, covariance) = (mixture.means(), mixture.covariance());
            for (i, mean) in numbers(&smoothed["mean"][t]).into_iter().enumerate() {
                check(&id, means[i], mean);
                for (j, entry) in numbers(&smoothed["cov"][t][i]).into_iter().enumerate() {
                    check(&id, covariance[i][j], entry);
                }
            }
        }
    }
}

#[test]
fn regressions_with_unknown_noise_are_refused() {
    let noise = Gamma::new(2.0, figrs::Rate(1.0)).named("noise");
    let slope = Normal::new(0.0, Variance(4.0));
    let reading = Normal::new(&slope, figrs::Precision(&noise)).named("reading");
    let model = Model::new().observe(&reading, 1.0);
    let error = Exact::new().run(&model, &slope).unwrap_err();
    assert!(
        matches!(&error, Error::NotClosedForm { element, .. } if element.name.as_deref() == Some("noise")),
        "{error}"
    );
}
