//! Conformance cases: one for each way to build an element.

use figrs::prelude::*;
use figrs::{Iid, RichCpd, Table, any, none_of, one_of, tuple};

use crate::conformance::asked::{expectation, probability, probability_that};
use crate::conformance::case::Expected::Number;

cases! {
    flip: Number(0.3), Few, || probability(Model::new(), &Flip::new(0.3), true);

    select_unnormalized: Number(0.5), Few, || {
        let first = Flip::new(0.5);
        let e = If::new(
            &first,
            Select::new([(0.4, 0), (0.6, 1)]),
            Select::new([(1.2, 0), (0.8, 1)]),
        );
        probability(Model::new(), &e, 0)
    };

    uniform_die_mean: Number(3.5), Few, || {
        expectation(Model::new(), &Uniform::new(1..=6), |&d| f64::from(d))
    };

    compound_flip: Number(0.6), Few, || {
        let p = Uniform::new([0.3, 0.5, 0.7, 0.9]);
        probability(Model::new(), &Flip::new(&p), true)
    };

    binomial_pmf: Number(0.3087), Few, || {
        probability(Model::new(), &Binomial::new(5, 0.3), 2)
    };

    dist: Number(0.44), Few, || {
        let d = Dist::new([(0.2, Constant::new(true)), (0.8, Flip::new(0.3))]);
        probability(Model::new(), &d, true)
    };

    compound_dist: Number(17.0 / 24.0), Few, || {
        let p = Select::new([(0.25, 0.2), (0.75, 0.8)]);
        let d = Dist::new([
            (p, Constant::new(true)),
            (Constant::new(0.4), Flip::new(0.3)),
        ]);
        probability(Model::new(), &d, true)
    };

    apply1: Number(0.3), Few, || {
        let s = Select::new([(0.2, 1), (0.3, 2), (0.5, 3)]);
        probability(Model::new(), &s.map(|n| n % 2 == 0), true)
    };

    apply3: Number(0.125), Few, || {
        let die = || Uniform::new(1..=6);
        let sum = (die(), die(), die()).map(|(a, b, c)| a + b + c);
        probability(Model::new(), &sum, 10)
    };

    apply4: Number(0.2572), Few, || {
        let flips = (Flip::new(0.1), Flip::new(0.2), Flip::new(0.3), Flip::new(0.4));
        let heads = flips.map(|(&a, &b, &c, &d)| [a, b, c, d].iter().filter(|&&x| x).count());
        probability_that(Model::new(), &heads, |&n| n >= 2)
    };

    shared_element: Number(1.0), Few, || {
        let f = Flip::new(0.3);
        probability(Model::new(), &f.equals(&f), true)
    };

    inject_tuple: Number(0.2), Few, || {
        let s = Select::new([(0.2, 1), (0.3, 2), (0.5, 3)]);
        let t = tuple((&s, Constant::new(4)));
        probability(Model::new(), &t, (1, 4))
    };

    iid_coins: Number(0.3125), Few, || {
        let p = Select::new([(0.5, 0.25), (0.5, 0.75)]);
        let coins = Iid::new(Flip::new(&p), 2);
        probability(Model::new(), &coins, vec![true, true])
    };

    iid_observed: Number(27.0 / 28.0), Few, || {
        let p = Select::new([(0.5, 0.25), (0.5, 0.75)]);
        let coins = Iid::new(Flip::new(&p), 5);
        let model = Model::new().observe(&coins, vec![true, true, false, true, true]);
        probability(model, &p, 0.75)
    };

    iid_of_numbers: Number(0.5904), Few, || {
        let list = Iid::new(Select::new([(0.2, 6), (0.8, 1)]), 4);
        probability_that(Model::new(), &list, |list| list.contains(&6))
    };

    iid_of_a_chain: Number(0.425), Few, || {
        let many = Flip::new(0.5);
        let die = many.flat_map(|&many| Uniform::new(1..=if many { 4 } else { 2 }));
        let model = Model::new().observe(&Iid::new(&die, 2), vec![1, 1]);
        let again = Iid::new(&die, 2);
        probability_that(model, &again, |d| d[0] != d[1] && d.iter().all(|&d| d <= 2))
    };

    iid_of_a_table: Number(0.81), Few, || {
        let x = Flip::new(0.5);
        let y = Table::new([(&x, [false, true])], [false, true], vec![0.9, 0.1, 0.3, 0.7]);
        let seen = Iid::new(&y, 1);
        let model = Model::new().condition(&seen, |y| !y[0]);
        probability(model.observe(&x, false), &Iid::new(&y, 2), vec![false, false])
    };

    joint_sales: Number(5.0 / 18.0), Few, || {
        let good = Flip::new(0.5);
        let region = || If::new(&good, Uniform::new([80, 120, 160]), Uniform::new([60, 90, 120]));
        let both = tuple((region(), region()));
        probability_that(Model::new(), &both, |&(a, b)| a < 100 && b < 100)
    };

    cpd1: Number(0.22), Few, || {
        let x = Flip::new(0.2);
        let y = Cpd::new(&x, [(false, Flip::new(0.1)), (true, Flip::new(0.7))]);
        probability(Model::new(), &y, true)
    };

    cpd4: Number(0.335), Few, || {
        let x1 = Flip::new(0.2);
        let x2 = Select::new([(0.2, 1), (0.3, 2), (0.5, 3)]);
        let x3 = Constant::new(7);
        let x4 = Flip::new(0.9);
        let y = Cpd::new((&x1, &x2, &x3, &x4), [
            ((false, 1, 7, false), Flip::new(0.1)),
            ((false, 2, 7, false), Flip::new(0.2)),
            ((false, 3, 7, false), Flip::new(0.3)),
            ((true, 1, 7, false), Flip::new(0.4)),
            ((true, 2, 7, false), Flip::new(0.5)),
            ((true, 3, 7, false), Flip::new(0.6)),
            ((false, 1, 7, true), Flip::new(0.15)),
            ((false, 2, 7, true), Flip::new(0.25)),
            ((false, 3, 7, true), Flip::new(0.35)),
            ((true, 1, 7, true), Flip::new(0.45)),
            ((true, 2, 7, true), Flip::new(0.55)),
            ((true, 3, 7, true), Flip::new(0.65)),
        ]);
        probability(Model::new(), &y, true)
    };

    richcpd4: Number(0.6476), Few, || {
        let x1 = Select::new([(0.1, 1), (0.2, 2), (0.3, 3), (0.4, 4)]);
        let x2 = Flip::new(0.6);
        let x3 = Constant::new(5);
        let x4 = Flip::new(0.8);
        let y = RichCpd::new((&x1, &x2, &x3, &x4), [
            ((one_of([1, 2]), any(), one_of([5]), any()), Flip::new(0.1)),
            ((none_of([4]), one_of([false]), any(), any()), Flip::new(0.7)),
            ((any(), any(), none_of([6, 7]), one_of([true])), Flip::new(0.9)),
            ((any(), any(), any(), one_of([false])), Constant::new(true)),
        ]);
        probability(Model::new(), &y, true)
    };
}
