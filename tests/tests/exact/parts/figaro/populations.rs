//! Programs of collections and processes: unknown numbers of objects, and states that change in time.

use figrs::prelude::*;
use figrs::{Bins, Elements, Geometric, ParticleFilter, Parts, Process, inject};
use statrs::distribution::{Continuous, ContinuousCDF, Normal as NormalLaw};

use super::check;

/// Checks an estimate; six standard errors give a false alarm in one of 500 million seeds.
#[track_caller]
fn near(what: &str, found: f64, error: f64, expected: f64) {
    let is_near = error < 0.2 && (found - expected).abs() < 6.0 * error;
    assert!(is_near, "{what}: {found} ± {error}, not {expected}");
}

fn standard_normal() -> NormalLaw {
    NormalLaw::standard()
}

/// `OpenUniverse`: two samples near each other come from one of an unknown number of sources.
mod sources {
    use super::*;

    /// Returns the evidence, and whether two samples have one source; `place` makes a source, and `reading` a sample of it.
    fn program(
        place: fn() -> Element<f64>,
        reading: fn(&Element<f64>) -> Element<f64>,
    ) -> (Model, Element<bool>) {
        let number = Uniform::new([1_usize, 2, 3]);
        let sources = Elements::of(&number, move |_| place());
        let sample = || {
            let source = number.flat_map(|&n| Uniform::new(0..n));
            (reading(&sources.at(&source)), source)
        };
        let ((first, a), (second, b)) = (sample(), sample());
        let here = |reading: &f64| (0.7..0.8).contains(reading);
        let model = Model::new()
            .condition(&first, here)
            .condition(&second, here);
        (model, a.equals(&b))
    }

    fn place() -> Element<f64> {
        ContinuousUniform::new(0.0, 1.0)
    }

    fn reading(place: &Element<f64>) -> Element<f64> {
        Normal::new(place, Variance(1.0))
    }

    /// The probability of one source, if places are the middles of `cells` cells.
    fn one_source(cells: u32) -> f64 {
        let normal = standard_normal();
        let here = |cell: u32| {
            let place = (f64::from(cell) + 0.5) / f64::from(cells);
            normal.cdf(0.8 - place) - normal.cdf(0.7 - place)
        };
        let mean = |power: i32| {
            (0..cells).map(|cell| here(cell).powi(power)).sum::<f64>() / f64::from(cells)
        };
        let (one, two) = (mean(2), mean(1) * mean(1));
        let shares = [1.0, 0.5, 1.0 / 3.0];
        let same: f64 = shares.iter().map(|share| share * one).sum();
        same / (same + shares.iter().map(|share| (1.0 - share) * two).sum::<f64>())
    }

    #[test]
    fn samples_near_each_other_have_one_source() {
        let (model, equal) = program(
            || place().discretised(Bins::equal_width(0.0, 1.0, 10)),
            |place| reading(place).discretised(Bins::equal_width_clipped(0.6, 0.9, 3)),
        );
        for algorithm in [
            &VariableElimination::new() as &dyn Algorithm,
            &JunctionTree::new(),
        ] {
            let answer = algorithm.run(&model, &equal).unwrap();
            check(
                "one source",
                answer.probability(&equal, &true).unwrap(),
                one_source(10),
            );
        }
        let (model, equal) = program(place, reading);
        let answer = MetropolisHastings::new(6_000)
            .seed(1)
            .run(&model, &equal)
            .unwrap();
        let error = answer.standard_error(&equal, &true).unwrap();
        near(
            "one source",
            answer.probability(&equal, &true).unwrap(),
            error,
            one_source(1000),
        );
    }
}

/// `Firms`: the winner of a tender, whose bid is probably low.
#[test]
fn the_winner_of_a_tender_is_probably_efficient() {
    #[derive(Clone, Debug, Parts, Value)]
    #[value(parts)]
    struct Firm {
        efficient: Element<bool>,
        bid: Element<f64>,
    }

    let firm = |bid: fn(f64, f64) -> Element<f64>| {
        let efficient = Flip::new(0.3);
        let bid = If::new(&efficient, bid(5.0, 15.0), bid(10.0, 20.0));
        Firm { efficient, bid }
    };
    let program = |bid| {
        let winner = Uniform::new((0..20).map(|_| firm(bid)));
        let model = Model::new().weigh(&winner.part(|firm| &firm.bid), |bid| 20.0 - bid);
        (model, winner.part(|firm| &firm.efficient))
    };
    let expected = 3.0 / 6.5;
    // The weight is linear, so that the middles of cells have the same mean.
    let (model, efficient) = program(|low, high| {
        ContinuousUniform::new(low, high).discretised(Bins::equal_width(low, high, 5))
    });
    let answer = VariableElimination::new().run(&model, &efficient).unwrap();
    check(
        "efficient",
        answer.probability(&efficient, &true).unwrap(),
        expected,
    );
    let (model, efficient) = program(ContinuousUniform::new);
    let answer = ImportanceSampling::new(10_000)
        .seed(1)
        .run(&model, &efficient)
        .unwrap();
    let error = answer.standard_error(&efficient, &true).unwrap();
    near(
        "efficient",
        answer.probability(&efficient, &true).unwrap(),
        error,
        expected,
    );
}

/// `NewProducts`: the sales of a number of products without a maximum.
#[test]
fn research_pays_in_new_products() {
    let normal = standard_normal();
    let deviation = 0.5_f64.sqrt();
    // The expected sales of a product with this quality: the mean of the positive part of a normal number.
    let sales = |quality: f64| {
        let z = quality / deviation;
        quality * normal.cdf(z) + deviation * normal.pdf(z)
    };
    for level in [0.05, 0.85] {
        let number = Geometric::trials(1.0 - level);
        let products = Elements::of(number, |i| Beta::new(1.0, i as f64 + 1.0));
        let sold = products.flat_map(|&quality| Normal::new(quality, Variance(0.5)));
        let total = sold.map(|sold| sold.max(0.0)).sum();
        let answer = ImportanceSampling::new(3_000)
            .seed(1)
            .run(&Model::new(), &total)
            .unwrap();

        let mut expected = 0.0;
        for i in 0..100 {
            // The quality of product i is 1 - u^(1 / (i + 1)) for a uniform u.
            let quality =
                |u: u32| 1.0 - ((f64::from(u) + 0.5) / 200.0).powf(1.0 / f64::from(i + 1));
            let mean = (0..200).map(|u| sales(quality(u))).sum::<f64>() / 200.0;
            expected += level.powi(i) * mean;
        }
        let error = answer
            .distribution(&total)
            .unwrap()
            .standard_error_of(|total| *total);
        near("sales", answer.mean(&total).unwrap(), error, expected);
    }
}

/// `RestaurantMonitoring`: guests arrive and leave, and only some of the arrivals are seen.
#[test]
fn guests_of_a_restaurant_are_followed() {
    const CAPACITY: usize = 10;

    #[derive(Clone, Debug, Value)]
    struct State {
        /// For how many minutes each guest is here.
        seated: Vec<u32>,
        waiting: usize,
        arriving: u64,
    }

    fn next(state: &State) -> Element<State> {
        let stay = |&minutes: &u32| {
            let leaves = Flip::new(f64::from(minutes) / 80.0);
            leaves.map(move |&leaves| (!leaves).then_some(minutes + 5))
        };
        let staying = inject(state.seated.iter().map(stay));
        let waiting = state.waiting;
        (staying, Poisson::new(2.0)).map(move |(staying, &arriving)| {
            let mut seated: Vec<u32> = staying.iter().flatten().copied().collect();
            let waiting = waiting + arriving as usize;
            let new = waiting.min(CAPACITY - seated.len());
            seated.extend(vec![0; new]);
            State {
                seated,
                waiting: waiting - new,
                arriving,
            }
        })
    }

    let start = State {
        seated: vec![0, 5, 15, 15, 25, 30, 40, 60, 65, 75],
        waiting: 3,
        arriving: 0,
    };
    let mut filter = ParticleFilter::seeded(&Constant::new(start), 400, 1).unwrap();
    for seen in [
        None,
        Some(1),
        None,
        None,
        Some(2),
        None,
        Some(0),
        Some(3),
        None,
        None,
        None,
        Some(1),
    ] {
        let evidence = |state: &Element<State>| match seen {
            Some(n) => Model::new().observe(&state.map(|state| state.arriving), n),
            None => Model::new(),
        };
        filter
            .advance(|state| state.flat_map(next), evidence)
            .unwrap();
    }
    let state = filter.answer().distribution(filter.state()).unwrap();
    // The means of 600 000 runs of a program without figrs; the numbers of a run have the standard deviations 1.2 and 2.9.
    near(
        "guests",
        state.expectation(|state| state.seated.len() as f64),
        1.2 / 400_f64.sqrt(),
        9.406,
    );
    near(
        "waiting",
        state.expectation(|state| state.waiting as f64),
        2.9 / 400_f64.sqrt(),
        2.610,
    );
}

/// `HealthProcess`: a process at real instants, whose members are correlated by evidence.
#[test]
fn the_health_of_a_patient_changes_in_time() {
    let prior = Uniform::new((0..10).map(|i| 0.05 + 0.1 * f64::from(i)));
    let rate = Uniform::new((0..50).map(|i| 0.001 + 0.002 * f64::from(i)));
    let seen = [
        (0.1, true),
        (0.25, true),
        (0.3, false),
        (0.31, false),
        (0.34, false),
        (0.36, false),
        (0.4, true),
        (0.5, true),
        (0.55, true),
    ];
    let own = prior.clone();
    let health = Process::new(move |_: &f64| Flip::new(&own));
    let mut times: Vec<f64> = seen
        .iter()
        .map(|seen| seen.0)
        .chain([0.35, 0.37, 0.45, 0.6])
        .collect();
    times.sort_by(f64::total_cmp);
    let states: Vec<Element<bool>> = times.iter().map(|time| health.at(time)).collect();
    let mut model = Model::new();
    for (states, times) in states.windows(2).zip(times.windows(2)) {
        let gap = times[1] - times[0];
        let changes = Flip::new(rate.map(move |rate| 1.0 - (-gap / rate).exp()));
        model = model.observe(&states[0].equals(&states[1]).or(&changes), true);
    }
    for (time, healthy) in &seen {
        model = model.observe(&health.at(time), *healthy);
    }
    let answer = VariableElimination::new()
        .run(&model, (&prior, &rate))
        .unwrap();
    // The numbers are those of a sum outside figrs. Figaro's test has prior means, because its elements are others than those with evidence.
    check(
        "prior",
        answer.mean(&prior).unwrap(),
        0.522_850_108_162_987_9,
    );
    check(
        "rate",
        answer.mean(&rate).unwrap(),
        0.017_622_262_783_288_07,
    );
}
