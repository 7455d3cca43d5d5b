//! Conformance cases of networks from textbooks.

use figrs::prelude::*;
use figrs::tuple;

use crate::conformance::asked::{expectation, probability};
use crate::conformance::case::Expected::Number;

/// Returns today's weather with the greeting that depends on it, and tomorrow's weather with its greeting.
fn hello() -> (Element<bool>, Element<&'static str>) {
    let today = Flip::new(0.2).named("sunny today");
    let greeting = If::new(
        &today,
        Select::new([(0.6, "hello"), (0.4, "howdy")]),
        Select::new([(0.2, "hello"), (0.8, "oh no")]),
    );
    let tomorrow = If::new(&today, Flip::new(0.8), Flip::new(0.05)).named("sunny tomorrow");
    let _next_greeting = If::new(
        &tomorrow,
        Select::new([(0.5, "hello"), (0.5, "howdy")]),
        Select::new([(0.1, "hello"), (0.9, "oh no")]),
    );
    (today, greeting)
}

cases! {
    smokers: Number(29.0 / 39.0), Few, || {
        let [alice, bob, clara] = [(); 3].map(|()| Flip::new(0.6));
        let alike = |&(a, b): &(bool, bool)| if a == b { 3.0 } else { 1.0 };
        let model = Model::new()
            .observe(&clara, true)
            .weigh(&tuple((&alice, &bob)), alike)
            .weigh(&tuple((&bob, &clara)), alike);
        probability(model, &alice, true)
    };

    /// The products of the likelihoods are about 1e-361, which no `f64` holds.
    wide_1200: Number(0.5), Few, || {
        let root = Flip::new(0.5);
        let mut model = Model::new();
        for _ in 0..1200 {
            let child = If::new(&root, Flip::new(0.5), Flip::new(0.5));
            model = model.observe(&child, true);
        }
        probability(model, &root, true).samples(150)
    };

    alarm_aima: Number(0.284_171_835_364_392_94), Few, || {
        let burglary = Flip::new(0.001);
        let earthquake = Flip::new(0.002);
        let alarm = Cpd::new((&burglary, &earthquake), [
            ((true, true), Flip::new(0.95)),
            ((true, false), Flip::new(0.94)),
            ((false, true), Flip::new(0.29)),
            ((false, false), Flip::new(0.001)),
        ]);
        let john = Cpd::new(&alarm, [(true, Flip::new(0.9)), (false, Flip::new(0.05))]);
        let mary = Cpd::new(&alarm, [(true, Flip::new(0.7)), (false, Flip::new(0.01))]);
        let model = Model::new().observe(&john, true).observe(&mary, true);
        probability(model, &burglary, true)
    };

    hello_predict: Number(0.28), Few, || {
        probability(Model::new(), &hello().1, "hello")
    };

    hello_infer: Number(3.0 / 7.0), Few, || {
        let (today, greeting) = hello();
        probability(Model::new().observe(&greeting, "hello"), &today, true)
    };

    car_engine: Number(257.0 / 3.0), Few, || {
        let engine = Uniform::new(["V8", "V6", "super"]);
        let power = engine.flat_map(|&engine| match engine {
            "V8" => Select::new([(0.8, "high"), (0.2, "medium")]),
            "V6" => Select::new([(0.2, "high"), (0.5, "medium"), (0.3, "low")]),
            _ => Constant::new("high"),
        });
        let speed = Cpd::new(&power, [
            ("high", Constant::new(90.0)),
            ("medium", Constant::new(80.0)),
            ("low", Constant::new(70.0)),
        ]);
        expectation(Model::new(), &speed, |&v| v)
    };

    hierarchy: Number(2.0 / 3.0), Few, || {
        let truck = Select::new([(0.1, "twenty-wheeler"), (0.3, "pickup"), (0.6, "truck")]);
        let vehicle = Dist::new([(0.6, Constant::new("car")), (0.4, truck)]);
        let size = vehicle.flat_map(|&vehicle| match vehicle {
            "car" => Constant::new("small"),
            "twenty-wheeler" => Constant::new("huge"),
            "pickup" => Constant::new("medium"),
            _ => Select::new([(0.25, "medium"), (0.75, "big")]),
        });
        probability(Model::new().observe(&size, "medium"), &vehicle, "pickup")
    };
}
