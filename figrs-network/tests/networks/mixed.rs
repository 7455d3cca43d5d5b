//! Tests of networks of finite and real variables against the enumeration of their finite variables with dense normal distributions.

use std::fmt::Write as _;

use figrs_core::AnyElement;
use figrs_infer::{Algorithm, VariableElimination};
use figrs_network::{LinearNormal, MixedNetwork, NetworkFormat};
use figrs_reals::WithReals;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A random network of three finite and four real variables in NET. Nodes stand in a random order.
fn random_net(rng: &mut StdRng) -> String {
    let sizes = [2, 3, 2];
    let mut blocks = Vec::new();
    for (i, size) in sizes.into_iter().enumerate() {
        let states: Vec<String> = (0..size).map(|state| format!("s{state}")).collect();
        blocks.push(format!("node d{i} {{ states = ({}); }}", states.join(" ")));
        let rows = if i == 0 { 1 } else { sizes[i - 1] };
        let mut numbers = String::new();
        for _ in 0..rows {
            let mut shares: Vec<u32> = (0..size).map(|_| rng.random_range(1..=8)).collect();
            shares[0] += 64 - shares.iter().sum::<u32>();
            for share in shares {
                write!(numbers, " {}", f64::from(share) / 64.0).unwrap();
            }
        }
        let parent = if i == 0 {
            String::new()
        } else {
            format!(" | d{}", i - 1)
        };
        blocks.push(format!(
            "potential (d{i}{parent}) {{ data = ({numbers} ); }}"
        ));
    }
    for i in 0..4 {
        blocks.push(format!("continuous node x{i} {{ }}"));
        let finite: Vec<usize> = (0..3).filter(|_| rng.random_bool(0.5)).collect();
        let real: Vec<usize> = (0..i).filter(|_| rng.random_bool(0.7)).collect();
        let mut parents: Vec<String> = finite.iter().map(|d| format!("d{d}")).collect();
        parents.extend(real.iter().map(|x| format!("x{x}")));
        let rows: usize = finite.iter().map(|&d| sizes[d]).product();
        let mut normals = String::new();
        for _ in 0..rows {
            let constant: f64 = rng.random_range(-3.0..3.0);
            let mut mean = format!("{constant}");
            for x in &real {
                let weight: f64 = rng.random_range(0.1..2.0);
                match rng.random_range(0..4) {
                    0 => write!(mean, " + {weight} * x{x}"),
                    1 => write!(mean, " - x{x} * {weight}"),
                    2 => write!(mean, " - ({weight} - x{x}) / 2"),
                    _ => write!(mean, " + x{x}"),
                }
                .unwrap();
            }
            let variance: f64 = rng.random_range(0.05..2.0);
            write!(normals, " normal ({mean}, {variance})").unwrap();
        }
        let bar = if parents.is_empty() { "" } else { " | " };
        let parents = parents.join(" ");
        blocks.push(format!(
            "potential (x{i}{bar}{parents}) {{ data = ({normals} ); }}"
        ));
    }
    for last in (1..blocks.len()).rev() {
        blocks.swap(last, rng.random_range(0..=last));
    }
    format!("net {{ }}\n{}\n", blocks.join("\n"))
}

/// The joint normal distribution of all real variables: means and covariances.
#[derive(Clone)]
struct Joint {
    means: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Joint {
    /// The distribution given the row of each variable; the variables are listed with parents first.
    fn new(rows: &[(usize, &LinearNormal)]) -> Self {
        let n = rows.len();
        let mut joint = Self {
            means: vec![0.0; n],
            covariance: vec![vec![0.0; n]; n],
        };
        for &(child, row) in rows {
            let terms = row.terms();
            let mean: f64 = terms
                .iter()
                .map(|&(parent, w)| w * joint.means[parent])
                .sum();
            joint.means[child] = row.constant() + mean;
            // A later variable still has zero covariances.
            let own = |with: usize, joint: &Self| -> f64 {
                terms
                    .iter()
                    .map(|&(parent, w)| w * joint.covariance[parent][with])
                    .sum()
            };
            for other in 0..n {
                let covariance = own(other, &joint);
                joint.covariance[child][other] = covariance;
                joint.covariance[other][child] = covariance;
            }
            joint.covariance[child][child] = own(child, &joint) + row.variance();
        }
        joint
    }

    /// Conditions on the value of one variable; returns the logarithm of its density.
    fn observe(&mut self, variable: usize, value: f64) -> f64 {
        let variance = self.covariance[variable][variable];
        let off = value - self.means[variable];
        let column: Vec<f64> = self.covariance.iter().map(|row| row[variable]).collect();
        for (i, ci) in column.iter().enumerate() {
            self.means[i] += ci * off / variance;
            for (j, cj) in column.iter().enumerate() {
                self.covariance[i][j] -= ci * cj / variance;
            }
        }
        -0.5 * ((2.0 * std::f64::consts::PI * variance).ln() + off * off / variance)
    }
}

/// The real variables of a random network with parents first: a parent has a smaller number in its name.
fn parents_first(network: &MixedNetwork) -> Vec<usize> {
    let mut order: Vec<usize> = (0..network.reals().len()).collect();
    order.sort_by_key(|&real| network.reals()[real].name().to_owned());
    order
}

/// Checks the log-evidence and all posteriors of a network against the enumeration.
fn check(network: &MixedNetwork, observed: &[(&str, f64)]) {
    let finite = network.finite();
    let sizes = finite.variables().iter().map(|v| v.states().len());
    let sizes: Vec<usize> = sizes.collect();
    let order = parents_first(network);
    let index = |variables: &[usize], world: &[usize]| {
        variables
            .iter()
            .fold(0, |row, &v| row * sizes[v] + world[v])
    };
    let mut worlds = Vec::new();
    for number in 0..sizes.iter().product() {
        let mut rest: usize = number;
        let digits = sizes.iter().map(|&size| {
            let digit = rest % size;
            rest /= size;
            digit
        });
        let world: Vec<usize> = digits.collect();
        let tables = finite.tables().iter();
        let factors = tables.map(|table| table.numbers()[index(table.variables(), &world)]);
        let mut log_weight = factors.product::<f64>().ln();
        let rows = order.iter().map(|&real| {
            let variable = &network.reals()[real];
            (
                real,
                &variable.rows()[index(variable.finite_parents(), &world)],
            )
        });
        let mut joint = Joint::new(&rows.collect::<Vec<_>>());
        for &(name, value) in observed {
            log_weight += joint.observe(network.real_position(name).unwrap(), value);
        }
        worlds.push((world, log_weight.exp(), joint));
    }
    let total: f64 = worlds.iter().map(|(_, weight, _)| weight).sum();
    let values: Vec<String> = observed
        .iter()
        .map(|(name, x)| format!("\"{name}\": {x}"))
        .collect();
    let evidence = network
        .evidence_from_json(&format!("{{{}}}", values.join(", ")))
        .unwrap();
    assert_eq!(evidence.real_observations().len(), observed.len());
    let targets = finite
        .elements()
        .iter()
        .map(|element| element.erased().clone());
    let reals = network.real_elements().iter();
    let targets = targets.chain(reals.map(|element| element.erased().clone()));
    let targets: Vec<AnyElement> = targets.collect();
    let algorithm = WithReals::new(VariableElimination::new());
    let answer = algorithm
        .answer(&network.given(&evidence), &targets)
        .unwrap();
    let near = |found: f64, exact: f64, scale: f64| {
        assert!(
            (found - exact).abs() < 1e-9 * scale,
            "{found}, exactly {exact}"
        );
    };
    near(
        answer.log_evidence().unwrap().value,
        total.ln(),
        1.0 + total.ln().abs(),
    );
    for (v, element) in finite.elements().iter().enumerate() {
        for state in 0..sizes[v] {
            let exact = worlds.iter().filter(|(world, _, _)| world[v] == state);
            let exact: f64 = exact.map(|(_, weight, _)| weight / total).sum();
            let found = answer.probability_that(element, |x| x.index() == state);
            near(found.unwrap(), exact, 1.0);
        }
    }
    for (real, element) in network.real_elements().iter().enumerate() {
        let expected = |of: &dyn Fn(&Joint) -> f64| -> f64 {
            let terms = worlds
                .iter()
                .map(|(_, weight, joint)| weight / total * of(joint));
            terms.sum()
        };
        let mean = expected(&|joint| joint.means[real]);
        let square = expected(&|joint| joint.covariance[real][real] + joint.means[real].powi(2));
        near(answer.mean(element).unwrap(), mean, 1.0 + square);
        near(
            answer.variance(element).unwrap(),
            square - mean * mean,
            1.0 + square,
        );
    }
}

#[test]
fn posteriors_of_random_networks_are_those_of_an_enumeration() {
    for seed in 0..40 {
        let mut rng = StdRng::seed_from_u64(seed);
        let text = random_net(&mut rng);
        let network = MixedNetwork::from_net(&text).unwrap();
        let value = |rng: &mut StdRng| rng.random_range(-4.0..4.0);
        let (first, second) = (value(&mut rng), value(&mut rng));
        check(&network, &[]);
        check(&network, &[("x3", first)]);
        check(&network, &[("x1", second), ("x3", first)]);
    }
}

#[test]
fn a_written_network_has_the_same_numbers() {
    for seed in 0..40 {
        let mut rng = StdRng::seed_from_u64(seed);
        let network = MixedNetwork::from_net(&random_net(&mut rng)).unwrap();
        let written = network.to_text(NetworkFormat::Net).unwrap();
        let again = MixedNetwork::from_text(&written, "again").unwrap();
        assert_eq!(network.reals(), again.reals(), "{written}");
        assert_eq!(written, again.to_text(NetworkFormat::Net).unwrap());
    }
    let named = "net { } node d { figrs_name = \"the day\"; states = (a b); } potential (d) { data = (0.5 0.5); }
        continuous node x { figrs_name = \"heat of the day\"; } continuous node y { }
        potential (y | x d) { data = ( Normal (-(x - 1) * 2, 1) % comment (\n , normal (2e-1, 0.5) ); }
        potential (x) { data = normal (0, 1); }";
    assert!(MixedNetwork::from_net(named).is_err());
    let named = named.replace("normal (0, 1);", "(normal (0, 1));");
    let network = MixedNetwork::from_net(&named).unwrap();
    let y = &network.reals()[1];
    assert_eq!((y.real_parents(), y.finite_parents()), (&[0][..], &[0][..]));
    let [first, second] = y.rows() else { panic!() };
    assert_eq!(
        (first.constant(), first.terms(), first.variance()),
        (2.0, &[(0, -2.0)][..], 1.0)
    );
    assert_eq!(
        (second.constant(), second.terms(), second.variance()),
        (0.2, &[][..], 0.5)
    );
    let written = network.to_text(NetworkFormat::Net).unwrap();
    let again = MixedNetwork::from_net(&written).unwrap();
    assert_eq!(network.reals(), again.reals());
    assert_eq!(again.reals()[0].name(), "heat of the day");
}
