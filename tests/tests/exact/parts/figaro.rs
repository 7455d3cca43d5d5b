//! Programs of Figaro's examples and book, as a user writes them, with the right numbers.

mod objects;
mod populations;

use figrs::prelude::*;
use figrs::{Bins, Distinct, Parts, PlainData, distinct, inject};
use statrs::distribution::{ContinuousCDF, Normal as NormalLaw};

fn exact() -> Vec<Box<dyn Algorithm>> {
    algorithms![
        VariableElimination::new(),
        JunctionTree::new(),
        Enumerate::new(),
        Exact::new()
    ]
    .into()
}

#[track_caller]
fn check(what: &str, found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9,
        "{what}: {found}, not {expected}"
    );
}

/// A car whose engine is uncertain.
mod cars {
    use super::*;

    #[derive(Clone, Debug, Parts, Value)]
    #[value(parts)]
    struct Engine {
        power: Element<&'static str>,
    }

    #[derive(Parts)]
    struct Car {
        engine: Element<Engine>,
        speed: Element<u32>,
    }

    impl Car {
        fn new() -> Self {
            let engine = Uniform::new([
                Engine {
                    power: Select::new([(0.8, "high"), (0.2, "medium")]),
                },
                Engine {
                    power: Select::new([(0.2, "high"), (0.5, "medium"), (0.3, "low")]),
                },
                Engine {
                    power: Constant::new("high"),
                },
            ]);
            let power = engine.part(|engine| &engine.power);
            let speeds = [
                ("high", Constant::new(90)),
                ("medium", Constant::new(80)),
                ("low", Constant::new(70)),
            ];
            Self {
                speed: Cpd::new(&power, speeds),
                engine,
            }
        }
    }

    #[test]
    fn the_speed_of_a_car_depends_on_its_uncertain_engine() {
        let car = Car::new();
        let power = car.find::<&str>("engine.power").unwrap();
        let seen: PlainData = serde_json::from_str(r#"{"speed": 90}"#).unwrap();
        let fast = Model::new().observe_data(&car, &seen).unwrap();
        for algorithm in exact() {
            let answer = algorithm.run(&Model::new(), &car.speed).unwrap();
            let mean = (90.0 * 2.0 + 80.0 * 0.7 + 70.0 * 0.3) / 3.0;
            check("speed", answer.mean(&car.speed).unwrap(), mean);
            let answer = algorithm.run(&fast, &power).unwrap();
            check(
                "power of a fast car",
                answer.probability(&power, &"high").unwrap(),
                1.0,
            );
            // The evidence on the power of whatever the engine is.
            let strong = Model::new()
                .observe_path(&car, "engine.power", "medium")
                .unwrap();
            let answer = algorithm.run(&strong, &car.speed).unwrap();
            check(
                "evidence",
                answer.log_evidence().unwrap().value,
                (0.7_f64 / 3.0).ln(),
            );
            check(
                "speed of medium power",
                answer.mean(&car.speed).unwrap(),
                80.0,
            );
        }
    }
}

/// Samples of uncertain sources, and distances between samples and sources.
mod sources {
    use super::*;

    #[derive(Clone, Copy, Debug, Value)]
    struct Source(u8);

    #[derive(Parts)]
    struct Pair {
        #[parts(value)]
        source: Source,
        distance: Element<f64>,
    }

    #[derive(Parts)]
    struct Lab {
        samples: [Element<Source>; 2],
        pairs: Vec<Pair>,
    }

    impl Pair {
        fn new(source: Source, sample: &Element<Source>) -> Self {
            let bins = || Bins::equal_width_clipped(-10.0, 10.0, 200);
            let right = Normal::new(0.0, Variance(1.0)).discretised(bins());
            let wrong = ContinuousUniform::new(0.0, 10.0).discretised(bins());
            Self {
                source,
                distance: If::new(&sample.is(source), right, wrong),
            }
        }
    }

    #[test]
    fn the_distances_tell_the_sources_of_samples() {
        let (one, two, three) = (Source(1), Source(2), Source(3));
        let samples = [
            Select::new([(0.5, one), (0.5, two)]),
            Select::new([(0.9, one), (0.1, three)]),
        ];
        let [first, second] = &samples;
        let pairs = vec![
            Pair::new(one, first),
            Pair::new(two, first),
            Pair::new(one, second),
            Pair::new(three, second),
        ];
        let lab = Lab { samples, pairs };
        let mut model = Model::new().observe(&lab.samples[0].differs(&lab.samples[1]), true);
        for (pair, low) in [0.5, 1.5, 2.5, 0.5].into_iter().enumerate() {
            let distance = lab.find::<f64>(&format!("pairs[{pair}].distance")).unwrap();
            model = model.condition(&distance, move |d| (low..low + 0.1).contains(d));
        }
        let normal = NormalLaw::new(0.0, 1.0).unwrap();
        let likelihood = |low: f64, is_right: bool| {
            if is_right {
                normal.cdf(low + 0.1) - normal.cdf(low)
            } else {
                0.01
            }
        };
        // The weights of the worlds with the first sample from source 1, and from source 2.
        let mut by_source = [0.0; 2];
        for (a, p) in [(1, 0.5), (2, 0.5)] {
            for (b, q) in [(1, 0.9), (3, 0.1)] {
                if a != b {
                    by_source[a - 1] += p
                        * q
                        * likelihood(0.5, a == 1)
                        * likelihood(1.5, a == 2)
                        * likelihood(2.5, b == 1)
                        * likelihood(0.5, b == 3);
                }
            }
        }
        let first = &lab.samples[0];
        for algorithm in algorithms![
            VariableElimination::new(),
            JunctionTree::new(),
            Exact::new()
        ] {
            let answer = algorithm.run(&model, first).unwrap();
            let expected = by_source[0] / (by_source[0] + by_source[1]);
            check(
                "source 1",
                answer.probability(first, &one).unwrap(),
                expected,
            );
        }
        // A pair states its source, which is not random.
        let stated = Model::new().observe_path(&lab, "pairs[0].source", 2);
        assert!(
            stated
                .unwrap_err()
                .to_string()
                .starts_with("`pairs[0].source` is not random: it is Source(1)")
        );
        assert_eq!(lab.pairs[0].source.0, 1);
    }
}

/// A container with an uncertain number of components, some of which may be one object.
mod components {
    use super::*;

    #[derive(Clone, Debug, Value)]
    struct Component {
        force: Element<u32>,
    }

    impl Component {
        fn new() -> Self {
            Self {
                force: Select::new([(0.2, 2), (0.3, 3), (0.5, 5)]),
            }
        }
    }

    fn pick(shared: &[Component; 2]) -> Element<Component> {
        let [a, b] = shared.clone();
        Select::new([(0.1, a), (0.2, b), (0.7, Component::new())])
    }

    #[test]
    fn a_component_that_is_picked_twice_counts_once() {
        let shared = [Component::new(), Component::new()];
        let for_chain = shared.clone();
        let components = Uniform::new([1, 2]).flat_map(move |&n| {
            let picks: Vec<Element<Component>> = (0..n).map(|_| pick(&for_chain)).collect();
            inject(&picks)
        });
        let sum = components.distinct().fold_parts(
            |component| &component.force,
            0,
            |sum, force| sum + force,
        );
        // Two picks are one object with probability 0.1² + 0.2².
        let (one, two) = (0.5, 2.0 * 0.2 * 0.3);
        let expected = 0.5 * one + 0.5 * (0.05 * one + 0.95 * two);
        // The same without a list: the number of picks is known.
        let picks = [pick(&shared), pick(&shared)];
        let set = distinct(&picks);
        let pair = set.fold_parts(|component| &component.force, 0, |sum, force| sum + force);
        let count = set.map(Distinct::len);
        for algorithm in exact() {
            let answer = algorithm.run(&Model::new(), (&sum, &pair, &count)).unwrap();
            check("sum 5", answer.probability(&sum, &5).unwrap(), expected);
            check(
                "sum 5 of two picks",
                answer.probability(&pair, &5).unwrap(),
                0.05 * one + 0.95 * two,
            );
            check("one object", answer.probability(&count, &1).unwrap(), 0.05);
        }
    }
}
