//! Filters that are saved and loaded: they go on with the same bits.

use figrs::prelude::*;
use figrs::{Covariance, Error, Filter, MultivariateNormal, ParticleFilter, filter_state};

/// A body that moves or rests.
#[derive(Clone, Debug)]
struct Body {
    moving: Element<bool>,
    position: Element<f64>,
}

filter_state!(Body { moving: Element<bool>, position: Element<f64> });

fn first() -> Body {
    Body {
        moving: Flip::new(0.3),
        position: Normal::new(0.0, Variance(4.0)),
    }
}

fn step(body: &Body) -> Body {
    let moving = body
        .moving
        .flat_map(|&m| Flip::new(if m { 0.9 } else { 0.2 }));
    let drift = moving.map(|&m| if m { 1.0 } else { 0.0 });
    Body {
        position: Normal::new(&body.position + &drift, Variance(0.1)),
        moving,
    }
}

fn seen(body: &Body, reading: f64) -> Model {
    Model::new().observe(&Normal::new(&body.position, Variance(0.5)), reading)
}

const READINGS: [f64; 6] = [0.3, 1.1, 2.4, 3.0, 3.2, 3.1];

#[test]
fn a_filter_goes_on_where_it_was_saved() {
    let kinds = [
        Filter::exact(&first()).unwrap().window(2),
        Filter::moments(&first()).unwrap().window(1),
        Filter::factored(&first(), 1).unwrap().window(2),
        Filter::particles(&first(), 5, 1).unwrap().window(3),
    ];
    for mut filter in kinds {
        for reading in &READINGS[..3] {
            filter.advance(step, |body| seen(body, *reading)).unwrap();
        }
        let bytes = postcard::to_stdvec(&filter.save()).unwrap();
        let mut again = Filter::load(&first(), postcard::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(again.steps(), 3);
        for reading in &READINGS[3..] {
            for filter in [&mut filter, &mut again] {
                filter.advance(step, |body| seen(body, *reading)).unwrap();
            }
        }
        for lag in 0.. {
            let (Some(one), Some(other)) = (filter.past(lag), again.past(lag)) else {
                assert!(filter.past(lag).is_none() && again.past(lag).is_none());
                break;
            };
            let mean = |filter: &Filter<Body>, body: &Body| filter.answer().mean(&body.position);
            assert_eq!(mean(&filter, one).unwrap(), mean(&again, other).unwrap());
        }
        let moving =
            |filter: &Filter<Body>| filter.probability(|body| &body.moving, &true).unwrap();
        assert_eq!(moving(&filter), moving(&again));
        let evidence = filter.log_evidence().value;
        assert_eq!(evidence, again.log_evidence().value);
    }
}

#[test]
fn particles_go_on_where_they_were_saved() {
    let mut filter = ParticleFilter::seeded(&first(), 500, 3).unwrap().window(2);
    for reading in &READINGS[..3] {
        filter.advance(step, |body| seen(body, *reading)).unwrap();
    }
    let bytes = postcard::to_stdvec(&filter.save()).unwrap();
    let mut again = ParticleFilter::load(&first(), postcard::from_bytes(&bytes).unwrap()).unwrap();
    let mean = |filter: &ParticleFilter<Body>| filter.mean(|body| &body.position).unwrap();
    assert!((mean(&filter) - mean(&again)).abs() < 1e-12);
    for reading in &READINGS[3..] {
        for filter in [&mut filter, &mut again] {
            filter.advance(step, |body| seen(body, *reading)).unwrap();
        }
    }
    let smaller = filter.clone().window(1);
    assert!(smaller.past(1).is_some() && smaller.past(2).is_none());
    let loaded = ParticleFilter::load(&first(), smaller.save()).unwrap();
    assert!((mean(&loaded) - mean(&filter)).abs() < 1e-12);
    assert_eq!(mean(&filter), mean(&again));
    let past =
        |filter: &ParticleFilter<Body>| filter.answer().mean(&filter.past(2).unwrap().position);
    assert_eq!(past(&filter).unwrap(), past(&again).unwrap());
    assert_eq!(filter.log_evidence().value, again.log_evidence().value);
}

#[test]
fn saved_filters_of_other_states_are_refused() {
    fn refused(result: Result<impl std::fmt::Debug, Error>, words: &str) {
        match result {
            Err(error @ Error::Saved { what: "filter", .. }) => {
                assert!(error.to_string().contains(words), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
    let state = (Flip::new(0.3), Normal::new(0.0, Variance(1.0)));
    let filter = Filter::exact(&state).unwrap();
    let text = serde_json::to_value(filter.save()).unwrap();
    let edited = |key: &str, value: serde_json::Value| {
        let mut text = text.clone();
        *text.pointer_mut(key).unwrap() = value;
        serde_json::from_value(text).map(|saved| Filter::load(&state, saved))
    };
    refused(edited("/version", 9.into()).unwrap(), "another version");
    let past = serde_json::json!([[], [], []]);
    refused(edited("/past", past).unwrap(), "damaged");
    let share = "/beliefs/0/components/0/share";
    refused(edited(share, 0.9.into()).unwrap(), "damaged");
    for approximation in [
        serde_json::json!({"Groups": 0}),
        serde_json::json!({"Particles": {"most": 0, "seed": 1, "draws": 0}}),
    ] {
        refused(edited("/approximation", approximation).unwrap(), "damaged");
    }
    let none = serde_json::json!([]);
    refused(
        edited("/beliefs/0/components", none.clone()).unwrap(),
        "no distribution",
    );
    refused(
        edited("/beliefs/0/components/0/values/0", none.clone()).unwrap(),
        "damaged",
    );
    refused(
        edited("/beliefs/0/components/0/mean", none.clone()).unwrap(),
        "damaged",
    );
    refused(
        edited(
            "/beliefs/0/numbers/1",
            serde_json::json!({"start": 1, "end": 2}),
        )
        .unwrap(),
        "other types",
    );
    // A damaged distribution of a past state.
    let mut filter = filter.window(1);
    let step = |(mode, number): &(Element<bool>, Element<f64>)| {
        (mode.clone(), Normal::new(number, Variance(1.0)))
    };
    filter.advance(step, |_| Model::new()).unwrap();
    let text = serde_json::to_value(filter.save()).unwrap();
    let kernel = "/past/0/0";
    for (key, value) in [
        ("/options", serde_json::json!([])),
        ("/options/0/0/component", 2.into()),
        ("/options/0/0/share", 0.5.into()),
        ("/options/0/0/offset", serde_json::json!([1.0, 2.0])),
        ("/options/0/0/coefficients", serde_json::json!([])),
        ("/options/0/0/covariance", serde_json::json!([])),
        ("/components/0/0", serde_json::json!([])),
    ] {
        let mut text = text.clone();
        *text.pointer_mut(&format!("{kernel}{key}")).unwrap() = value;
        let saved = serde_json::from_value(text).unwrap();
        refused(Filter::load(&state, saved), "damaged");
    }
    let list = vec![Flip::new(0.5), Flip::new(0.5)];
    let saved = Filter::exact(&list).unwrap().save();
    refused(
        Filter::load(&list[..1].to_vec(), saved),
        "differs from that of the first state",
    );
    // A list is not a number.
    let vector = MultivariateNormal::new([0.0, 0.0], Covariance::diagonal([1.0, 1.0]));
    let text = serde_json::to_value(Filter::exact(&vector).unwrap().save()).unwrap();
    let saved = serde_json::from_value(text).unwrap();
    let number = Normal::new(0.0, Variance(1.0));
    refused(Filter::load(&number, saved), "other types");
    // A state without elements has no past states.
    let nothing: Vec<Element<bool>> = Vec::new();
    let mut text = serde_json::to_value(Filter::exact(&nothing).unwrap().save()).unwrap();
    (text["past"], text["window"]) = (serde_json::json!([[], []]), u64::MAX.into());
    let saved = serde_json::from_value(text).unwrap();
    refused(
        Filter::load(&nothing, saved),
        "differs from that of the first state",
    );
    let particles = ParticleFilter::new(&list, 10).unwrap();
    refused(
        ParticleFilter::load(&list[..1].to_vec(), particles.save()),
        "differs from that of the first state",
    );
    let text = serde_json::to_value(particles.save()).unwrap();
    let edited = |key: &str, value: serde_json::Value| {
        let mut text = text.clone();
        *text.pointer_mut(key).unwrap() = value;
        serde_json::from_value(text).map(|saved| ParticleFilter::load(&list, saved))
    };
    refused(edited("/version", 9.into()).unwrap(), "another version");
    refused(edited("/weights", none.clone()).unwrap(), "damaged");
    refused(edited("/particles", u64::MAX.into()).unwrap(), "damaged");
    let error = ParticleFilter::new(&list, u64::MAX).unwrap_err();
    assert!(matches!(error, Error::InvalidSetting { .. }), "{error}");
    refused(edited("/states/0", none.clone()).unwrap(), "damaged");
    let two = serde_json::json!([[[true], [true]], [[true], [true]]]);
    refused(edited("/states/0", two).unwrap(), "damaged");
    refused(edited("/states/0/0/0", none).unwrap(), "missing");
}
