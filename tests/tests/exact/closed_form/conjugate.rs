//! Parameters with conjugate priors: posteriors computed elsewhere, finite elements that read them, and refusals.

mod precision;

use figrs::prelude::*;
use figrs::{
    AnyElement, Dirichlet, Error, FamilyMixture, InverseGamma, Multinomial, Pareto, Precision,
    Scale,
};
use serde_json::Value as Json;

use super::reference::{cases, check, number, numbers, text};

/// A parameter of any type.
enum Parameter {
    Number(Element<f64>),
    List(Element<Vec<f64>>),
}

impl Parameter {
    fn number(&self) -> &Element<f64> {
        match self {
            Self::Number(element) => element,
            Self::List(_) => panic!("a list is no number"),
        }
    }

    fn target(&self) -> AnyElement {
        match self {
            Self::Number(element) => element.erased().clone(),
            Self::List(element) => element.erased().clone(),
        }
    }

    fn mixture<'a>(&self, answer: &'a Answer) -> &'a FamilyMixture {
        match self {
            Self::Number(element) => answer.family_mixture(element).unwrap(),
            Self::List(element) => answer.family_mixture(element).unwrap(),
        }
    }
}

fn prior(node: &Json, coin: Option<&Element<usize>>) -> Option<Parameter> {
    let n = |name: &str| number(&node[name]);
    Some(Parameter::Number(match text(&node["kind"]).as_str() {
        "beta" => match coin {
            None => Beta::new(n("alpha"), n("beta")),
            Some(coin) => {
                let rows: Vec<Vec<f64>> = node["alpha_beta"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(numbers)
                    .collect();
                coin.flat_map(move |&coin| Beta::new(rows[coin][0], rows[coin][1]))
            }
        },
        "gamma" => Gamma::new(n("shape"), Rate(n("rate"))),
        "inverse_gamma" => InverseGamma::new(n("shape"), Scale(n("scale"))),
        "dirichlet" => return Some(Parameter::List(Dirichlet::new(numbers(&node["alpha"])))),
        _ => return None,
    }))
}

/// Observes a node that reads the parameter.
fn observe(model: Model, node: &Json, parameter: &Parameter, value: &Json) -> Model {
    let count = || value.as_u64().unwrap();
    match text(&node["kind"]).as_str() {
        "bernoulli" => model.observe(&Flip::new(parameter.number()), *value == 1),
        "binomial" => {
            let n = node["n"].as_u64().unwrap();
            model.observe(&Binomial::new(n as u32, parameter.number()), count() as u32)
        }
        "geometric_failures" => {
            model.observe(&figrs::Geometric::failures(parameter.number()), count())
        }
        "poisson" => {
            let rate = match number(&node["rate"]["scaled"][0]) {
                1.0 => parameter.number().clone(),
                exposure => parameter.number() * exposure,
            };
            model.observe(&Poisson::new(&rate), count())
        }
        "exponential" => model.observe(&Exponential::new(Rate(parameter.number())), number(value)),
        "gamma" => {
            let shape = number(&node["shape"]);
            model.observe(&Gamma::new(shape, Rate(parameter.number())), number(value))
        }
        "categorical" => {
            let Parameter::List(shares) = parameter else {
                panic!("shares are a list")
            };
            model.observe(&Select::by(shares, [0_u64, 1, 2]), count())
        }
        _ => {
            let mean = number(&node["mean"]["const"]);
            let reading = if node.get("precision").is_some() {
                Normal::new(mean, Precision(parameter.number()))
            } else {
                Normal::new(mean, Variance(parameter.number()))
            };
            model.observe(&reading, number(value))
        }
    }
}

#[test]
fn posteriors_of_conjugate_priors() {
    let mut found = 0;
    for case in cases("conjugate").unwrap_or_default() {
        let (id, answers) = (text(&case["id"]), &case["answers"]);
        let Some(nodes) = case["model"]["nodes"].as_array() else {
            continue;
        };
        let coin = (id == "which_coin").then(|| {
            let p = numbers(&nodes[0]["p"]);
            Select::new(p.into_iter().enumerate().map(|(i, p)| (p, i)))
        });
        let first = usize::from(coin.is_some());
        let Some(parameter) = prior(&nodes[first], coin.as_ref()) else {
            continue;
        };
        if id == "normal_gamma" {
            continue;
        }
        let evidence = &case["evidence"];
        let model = nodes[first + 1..].iter().fold(Model::new(), |model, node| {
            observe(model, node, &parameter, &evidence[text(&node["name"])])
        });
        let mut targets = vec![parameter.target()];
        targets.extend(coin.iter().map(|coin| coin.erased().clone()));
        let answer = Exact::new().run(&model, &targets).unwrap();
        let log_evidence = answer.log_evidence().unwrap();
        check(&id, log_evidence.value, number(&answers["log_evidence"]));
        assert_eq!(log_evidence.standard_error, 0.0);
        let moments = parameter.mixture(&answer).moments();
        let listed = |json: &Json| {
            if json.is_array() {
                numbers(json)
            } else {
                vec![number(json)]
            }
        };
        for (i, mean) in listed(&answers["mean"]).into_iter().enumerate() {
            check(&id, moments[i].0, mean);
            check(&id, moments[i].1, listed(&answers["variance"])[i]);
        }
        if let Some(coin) = &coin {
            for (value, p) in numbers(&answers["coin"]).into_iter().enumerate() {
                check(&id, answer.probability(coin, &value).unwrap(), p);
            }
            let shares: Vec<f64> = parameter
                .mixture(&answer)
                .components()
                .map(|c| c.0)
                .collect();
            assert_eq!(shares.len(), 2);
        }
        found += 1;
        // Finite elements that read the parameter, and are not observed.
        if let Some(exact) = answers.get("predictive_success") {
            let next = Flip::new(parameter.number());
            let answer = Exact::new()
                .run(&model, (&next, parameter.number()))
                .unwrap();
            check(
                &id,
                answer.probability(&next, &true).unwrap(),
                number(exact),
            );
            check(
                &id,
                answer.mean(parameter.number()).unwrap(),
                number(&answers["mean"]),
            );
        }
        if let Some(exact) = answers.get("predictive_binomial") {
            let next = Binomial::new(exact["n"].as_u64().unwrap() as u32, parameter.number());
            let answer = VariableElimination::new().run(&model, &next).unwrap();
            for (count, p) in numbers(&exact["p"]).into_iter().enumerate() {
                check(&id, answer.probability(&next, &(count as u32)).unwrap(), p);
            }
        }
    }
    assert!(found == 0 || found == 11, "{found}");
}

/// Flips that read one parameter are dependent: the probability of a joint value is that of Pólya's urn.
#[test]
fn finite_elements_that_share_a_parameter() {
    let p = Beta::new(1.0, 2.0);
    let flips: Vec<Element<bool>> = (0..3).map(|_| Flip::new(&p)).collect();
    let heads = figrs::fold(&flips, 0_u32, |heads, &flip| heads + u32::from(flip));
    let answer = Exact::new()
        .run(&Model::new(), (&heads, &flips[0]))
        .unwrap();
    for (count, exact) in [(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)] {
        assert!((answer.probability(&heads, &count).unwrap() - exact).abs() < 1e-12);
    }
    // A noisy report about their number: the parameter is a mixture of four Betas.
    let report = heads.flat_map(|&heads| Flip::new(0.1 + 0.25 * f64::from(heads)));
    let model = Model::new().observe(&report, true);
    let answer = Exact::new().run(&model, &p).unwrap();
    let weights = [0.4 * 0.1, 0.3 * 0.35, 0.2 * 0.6, 0.1 * 0.85];
    let total: f64 = weights.iter().sum();
    let means = (0..4)
        .zip(weights)
        .map(|(heads, weight)| weight * f64::from(1 + heads) / 6.0);
    let mean = means.sum::<f64>() / total;
    assert!((answer.mean(&p).unwrap() - mean).abs() < 1e-12);
    assert!((answer.log_evidence().unwrap().value - total.ln()).abs() < 1e-12);
    let mixture = answer.family_mixture(&p).unwrap();
    let mut named: Vec<String> = mixture.components().map(|component| component.1).collect();
    named.sort();
    assert_eq!(
        named,
        [
            "Beta(1.0, 5.0)",
            "Beta(2.0, 4.0)",
            "Beta(3.0, 3.0)",
            "Beta(4.0, 2.0)"
        ]
    );
    assert!(
        answer
            .summary(&p)
            .unwrap()
            .starts_with("mixture of 4 distributions (")
    );
}

#[test]
fn quantiles_and_densities_of_parameters() {
    let rate = Gamma::new(1.0, Rate(2.0));
    let model = Model::new().observe(&Poisson::new(&rate), 0);
    let answer = Exact::new().run(&model, &rate).unwrap();
    assert_eq!(
        answer.summary(&rate).unwrap(),
        "Gamma(1.0, 3.0) (0.3333, sd 0.3333), exact"
    );
    let mixture = answer.family_mixture(&rate).unwrap();
    // An exponential distribution with the rate three.
    assert!((mixture.cdf(0.5) - (1.0 - (-1.5_f64).exp())).abs() < 1e-12);
    assert!((mixture.quantile(0.5) - 2.0_f64.ln() / 3.0).abs() < 1e-12);
    assert!((mixture.density(0.2) - 3.0 * (-0.6_f64).exp()).abs() < 1e-12);
    let between = mixture.probability_between(1.0, 2.0);
    assert!((between - ((-3.0_f64).exp() - (-6.0_f64).exp())).abs() < 1e-14);
    let (low, high) = mixture.interval(0.5);
    assert!(low < mixture.mean() && mixture.mean() < high);
    assert!(mixture.quantile(1.0).is_nan());
    // A distribution without a mean: half of the inverse of an exponential number lies below 1 / ln 2.
    let heavy = InverseGamma::new(1.0, Scale(1.0));
    let answer = Exact::new().run(&Model::new(), &heavy).unwrap();
    let median = answer.family_mixture(&heavy).unwrap().quantile(0.5);
    assert!((median - 1.0 / 2.0_f64.ln()).abs() < 1e-12, "{median}");
    assert!(answer.mixture(&rate).is_err());
}

/// The logarithm of x / scale is exponential with the shape as its rate, and counts of categories add to the concentrations of a Dirichlet.
#[test]
fn shapes_of_pareto_numbers_and_shares_of_counts() {
    let shape = Gamma::new(2.0, Rate(1.0));
    let model = Model::new()
        .observe(&Pareto::new(&shape, Scale(1.5)), 3.0)
        .observe(&Pareto::new(&shape, Scale(1.5)), 1.5);
    let answer = Exact::new().run(&model, &shape).unwrap();
    let rate = 1.0 + 2.0_f64.ln();
    assert!((answer.mean(&shape).unwrap() - 4.0 / rate).abs() < 1e-12);
    // The evidence is the integral of shape^3 exp(−rate · shape) / (1.5 · 3).
    let evidence = 6.0 / rate.powi(4) / 4.5;
    assert!((answer.log_evidence().unwrap().value - evidence.ln()).abs() < 1e-12);

    let shares = Dirichlet::new([1.0, 2.0, 1.0]);
    let votes = Multinomial::new(4, &shares);
    let model = Model::new().observe(&votes, vec![1, 0, 3]);
    let answer = Exact::new().run(&model, &shares).unwrap();
    for (found, right) in answer
        .family_mixture(&shares)
        .unwrap()
        .moments()
        .iter()
        .zip([2.0, 2.0, 4.0])
    {
        assert!((found.0 - right / 8.0).abs() < 1e-12, "{found:?}");
    }
    // 4 ways · Γ(4) / Γ(8) · Γ(2) / Γ(1) · Γ(2) / Γ(2) · Γ(4) / Γ(1).
    let evidence: f64 = 4.0 * 6.0 / 5040.0 * 6.0;
    assert!((answer.log_evidence().unwrap().value - evidence.ln()).abs() < 1e-12);
}

#[test]
fn parameters_without_a_closed_form_are_refused() {
    let refused = |model: Model, target: &Element<f64>| {
        let error = Exact::new().run(&model, target).unwrap_err();
        assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
        error.to_string()
    };
    let p = Beta::new(2.0, 2.0);
    // A likelihood that is not conjugate.
    let model = Model::new().observe(&Poisson::new(&p), 2);
    assert!(refused(model, &p).contains("its prior is not conjugate to the likelihood of Poisson"));
    // Evidence about the parameter itself, and a multiple of it as a target.
    assert!(
        refused(Model::new().condition(&p, |&p| p > 0.5), &p)
            .contains("observe the elements that depend on it")
    );
    assert!(refused(Model::new(), &(&p * 0.5)).contains("a multiple of a parameter"));
    // A function of the parameter, a count without a largest value, and a parameter that a `Chain` chooses.
    let square = p.map(|p| p * p);
    assert!(
        refused(Model::new().observe(&Flip::new(&square), true), &p)
            .contains("not known to be linear")
    );
    let q = Beta::new(1.0, 1.0);
    let coin = Flip::new(0.5);
    let (first, second) = (p.clone(), q.clone());
    let chosen = coin.flat_map(move |&coin| if coin { first.clone() } else { second.clone() });
    let model = Model::new()
        .observe(&Flip::new(&chosen), true)
        .observe(&Flip::new(&p), true);
    assert!(refused(model, &chosen).contains("another element also depends on it"));
    let rate = Gamma::new(2.0, Rate(1.0));
    let count = Poisson::new(&rate);
    let error = Exact::new().run(&Model::new(), &count).unwrap_err();
    assert!(error.to_string().contains("cannot be listed"), "{error}");
    // An impossible count.
    let few = Model::new().observe(&Binomial::new(3, &p), 5);
    let error = Exact::new().run(&few, &p).unwrap_err();
    assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
}

/// Counts that are impossible for some numbers of tries.
#[test]
fn an_impossible_number_of_tries_has_probability_zero() {
    let (tries, share) = (Uniform::new([3_u32, 5, 6]), Beta::new(1.0, 1.0));
    let model = Model::new().observe(&Binomial::new(&tries, &share), 5);
    let answer = Exact::new().run(&model, (&tries, &share)).unwrap();
    // Under a uniform share, each number of successes has the same probability.
    let (five, six) = (1.0 / 6.0, 1.0 / 7.0);
    for (tries_of, exact) in [(3, 0.0), (5, five), (6, six)] {
        let p = answer.probability(&tries, &tries_of).unwrap();
        assert!((p - exact / (five + six)).abs() < 1e-14, "{tries_of}: {p}");
    }
    let mean = (five * 6.0 / 7.0 + six * 6.0 / 8.0) / (five + six);
    assert!((answer.mean(&share).unwrap() - mean).abs() < 1e-14);
}

/// A Markov chain with an unknown row of probabilities for each state; all states are observed.
#[test]
fn rows_of_an_observed_markov_chain() {
    for case in cases("conjugate").unwrap_or_default() {
        let (laws, answers) = (&case["model"], &case["answers"]);
        if case["id"] != "dirichlet_markov_chain" {
            continue;
        }
        let rows = laws["dirichlet_rows"].as_array().unwrap().iter();
        let rows: Vec<Element<Vec<f64>>> = rows.map(|row| Dirichlet::new(numbers(row))).collect();
        let start = numbers(&laws["initial"]);
        let mut state = Select::new([(start[0], 0_usize), (start[1], 1)]);
        let mut model = Model::new();
        for (t, seen) in numbers(&case["evidence"]["states"]).into_iter().enumerate() {
            if t > 0 {
                let rows = rows.clone();
                state = state.flat_map(move |&state| Select::by(&rows[state], [0_usize, 1]));
            }
            model = model.observe(&state, seen as usize);
        }
        let answer = Exact::new().run(&model, &rows).unwrap();
        check(
            "chain",
            answer.log_evidence().unwrap().value,
            number(&answers["log_evidence"]),
        );
        for (row, exact) in rows.iter().zip(answers["mean_rows"].as_array().unwrap()) {
            let moments = answer.family_mixture(row).unwrap().moments();
            for (found, exact) in moments.iter().zip(numbers(exact)) {
                check("chain", found.0, exact);
            }
        }
    }
}
