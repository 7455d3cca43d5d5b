use super::*;
use crate::element::apply::contained;
use crate::element::param::Operand;
use crate::element::{
    Beta, Concentration, Dirichlet, Exponential, Flip, Gamma, Geometric, Laplace, Normal, Pareto,
    Poisson, Rate, Scale, Select, StandardDeviation, Variance, VonMises,
};

/// Asserts that sufficient statistics, the whole list, and the values one at a time give the same log-probability.
fn agree<T: Value>(member: &Element<T>, values: &[T], parameters: &[&[f64]]) {
    let Kind::Chain(_, op) = member.erased().kind() else {
        panic!("{member:?} is no member of a family");
    };
    let one = op.family().unwrap();
    let list = Iid::new(member, values.len());
    let Kind::Chain(_, op) = list.erased().kind() else {
        panic!("{list:?} is no member of a family");
    };
    let all = op.family().unwrap();
    let summary = all.summary(&values.to_vec());
    for parameters in parameters {
        let arguments: Vec<&dyn Any> = parameters.iter().map(|x| x as &dyn Any).collect();
        let each = values.iter().map(|x| one.log_prob(&arguments, x).unwrap());
        let sum: f64 = each.sum();
        let near = |log: f64| {
            let same = log == sum || (log - sum).abs() < 1e-11 * sum.abs().max(1.0);
            assert!(same, "{member:?} {parameters:?}: {log} and {sum}");
        };
        near(all.log_prob(&arguments, &values.to_vec()).unwrap());
        let columns: Vec<Vec<f64>> = parameters.iter().map(|&x| vec![x; 2]).collect();
        let columns: Vec<&dyn AnyColumn> = columns.iter().map(|c| c as _).collect();
        let rows = all.log_probs(&columns, 2, &values.to_vec()).unwrap();
        assert_eq!(rows[0], rows[1]);
        near(rows[0]);
        if let Some(summary) = &summary {
            near(all.log_prob_for_numbers(parameters, summary).unwrap());
            likelihoods_agree(all, values, &arguments);
        }
        let made = op.call(&arguments).unwrap();
        let Kind::Atomic(atomic) = made.kind() else {
            panic!("{made:?} is not atomic");
        };
        near(atomic.log_prob(&values.to_vec()).unwrap());
        let none = atomic.log_prob(&vec![values[0].clone(); values.len() + 1]);
        assert_eq!(none.unwrap(), f64::NEG_INFINITY);
    }
}

/// Asserts that sufficient statistics and values give the same likelihood of each argument, if the values have a likelihood.
fn likelihoods_agree<T: Value>(all: &dyn FamilyOp, values: &[T], arguments: &[&dyn Any]) {
    let list = values.to_vec();
    let summary = all.summary(&list).unwrap();
    for terms in [
        &[Term::Linear, Term::Square][..],
        &[Term::Log, Term::Inverse],
        &[Term::Log, Term::Linear],
        &[Term::Log, Term::LogComplement],
    ] {
        for open in 0..arguments.len() {
            let of = |value: &dyn Any| {
                let mut found = Likelihood::new(terms);
                all.likelihood(arguments, open, value, &mut found).unwrap();
                found
            };
            let (by_values, by_statistics) = (of(&list), of(&summary));
            assert_eq!(by_values.is_refused(), by_statistics.is_refused());
            for &term in terms.iter().filter(|_| !by_values.is_refused()) {
                let (a, b) = (by_values.get(term), by_statistics.get(term));
                assert!((a - b).abs() <= 1e-9 * a.abs(), "{term:?}: {a}, not {b}");
            }
        }
    }
}

#[test]
fn likelihoods_of_weights_are_those_of_their_values() {
    let weights = Dirichlet::new([1.0, 2.0, 3.0]);
    let letters = ['b', 'a', 'b', 'c'];
    for (of, is_refused) in [("abc", false), ("abb", true)] {
        let list = Iid::new(Select::by(&weights, of.chars()), letters.len());
        let Kind::Chain(_, op) = list.erased().kind() else {
            panic!("{list:?} is no member of a family");
        };
        let letters = letters.map(|letter| if is_refused { 'b' } else { letter });
        let all = op.family().unwrap();
        let (list, arguments) = (letters.to_vec(), vec![0.2, 0.3, 0.5]);
        let summary = all.summary(&list).unwrap();
        let [values, statistics] = [&list as &dyn Any, &summary].map(|value| {
            let mut found = Likelihood::new(&[Term::LogOfEach]);
            all.likelihood(&[&arguments], 0, value, &mut found).unwrap();
            found
        });
        assert_eq!(values.is_refused(), is_refused);
        assert_eq!(statistics.is_refused(), is_refused);
        if !is_refused {
            for position in 0..arguments.len() {
                assert_eq!(values.log_of(position), statistics.log_of(position));
            }
        }
    }
}

#[test]
fn statistics_say_what_the_values_say() {
    let [a, b] = [0, 1].map(|_| Exponential::new(Rate(1.0)));
    let numbers: Vec<f64> = (1..30)
        .map(|i| (f64::from(i) * 0.754).fract() + 0.1)
        .collect();
    let counts: Vec<u64> = (1..30).map(|i| i * i % 7).collect();
    let both: &[&[f64]] = &[&[0.5, 0.7], &[1.0, 1.0], &[30.0, 0.01], &[2000.0, 900.0]];
    let one: &[&[f64]] = &[&[0.01], &[0.3], &[1.0]];
    agree(&Normal::new(&a, StandardDeviation(&b)), &numbers, both);
    agree(&Normal::new(&a, Variance(0.3)), &numbers, one);
    agree(&Gamma::new(&a, Rate(&b)), &numbers, both);
    agree(&Gamma::new(&a, Scale(&b)), &[1e-9, 2.0, 1e9], both);
    agree(&Exponential::new(Scale(&a)), &numbers, one);
    agree(&Laplace::new(&a, Scale(&b)), &numbers, both);
    agree(&VonMises::new(&a, Concentration(&b)), &numbers, both);
    agree(&Pareto::new(&a, Scale(&b)), &numbers, both);
    let low: &[&[f64]] = &[&[0.5, 0.01], &[2000.0, 0.1], &[3.0, 1e-300]];
    agree(&Pareto::new(&a, Scale(&b)), &numbers, low);
    let inside: Vec<f64> = numbers.iter().map(|x| x / 1.2).collect();
    agree(&Beta::new(&a, &b), &inside, both);
    agree(&Beta::new(&a, &b), &[1e-300, 0.5, 1.0 - 1e-16], both);
    agree(&Poisson::new(&a), &counts, &[&[0.2], &[2.5], &[1e6]]);
    agree(&Poisson::new(&a), &[0, 0], &[&[0.2], &[2.5]]);
    agree(
        &Poisson::new(&a),
        &[1 << 20, (1 << 20) + 3],
        &[&[1e6], &[1_048_577.5]],
    );
    agree(&Geometric::failures(&a), &counts, one);
    let after: Vec<u64> = counts.iter().map(|k| k + 1).collect();
    agree(&Geometric::trials(&a), &after, one);
    let truths = [true, false, true, true];
    agree(&Flip::new(&a), &truths, &[&[0.0], &[0.3], &[1.0]]);
    agree(&Flip::new(&a), &[true], &[&[0.0], &[1.0]]);
    let letters = ['a', 'b', 'c', 'a'];
    let weights = [(Element::clone(&a), 'a'), (b, 'b')];
    agree(&Select::new(weights.clone()), &letters, both);
    let [first, second] = [&a, &weights[1].0].map(Operand::from);
    let logits = vec![first, second, 0.5.into()];
    let far: &[&[f64]] = &[&[-1.0, 2.0], &[-1e9, 3.0], &[f64::NEG_INFINITY, 0.0]];
    agree(&Select::by_logits(logits, ['a', 'b', 'b']), &letters, far);
    agree(&Select::new(weights), &letters[..2], both);
}

#[test]
fn long_lists_of_finitely_many_values_are_not_listed() {
    let kind = |count| {
        let list = Iid::new(Flip::new(0.25), count);
        let Kind::Atomic(op) = list.erased().kind() else {
            panic!("{list:?} is not atomic");
        };
        contained(|| op.outcomes()).unwrap().unwrap()
    };
    let two = kind(2).unwrap();
    assert_eq!(two.support.get::<Vec<bool>>(1), Some(&vec![true, false]));
    assert_eq!(two.probabilities, [0.0625, 0.1875, 0.1875, 0.5625]);
    assert_eq!(kind(0).unwrap().probabilities, [1.0]);
    assert_eq!(kind(16).unwrap().probabilities.len(), 1 << 16);
    assert_eq!(kind(17).unwrap_err(), NotEnumerable::TooMany);
    assert_eq!(kind(1_000_000).unwrap_err(), NotEnumerable::TooMany);
}
