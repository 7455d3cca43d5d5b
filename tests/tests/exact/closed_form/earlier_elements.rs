//! Elements of earlier steps, on which a step of a filter must not depend.

use figrs::prelude::*;
use figrs::{Error, Filter, ParticleFilter};

/// A random element of several steps would be treated as independent in each of them.
#[test]
fn random_elements_of_several_steps_are_refused() {
    type Level = Element<f64>;
    let check = |result: Result<(), Error>, words: &str| {
        let error = result.unwrap_err().to_string();
        assert!(
            error.contains("which an earlier step uses, too") && error.contains(words),
            "{error}"
        );
    };
    let is_old = |result: Result<(), Error>| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains("a later step has replaced"), "{error}");
    };
    let drift = Normal::new(0.0, Variance(1.0)).named("drift");
    let walk = |level: &Level| Normal::new(level, Variance(1.0));
    let drifting = |level: &Level| walk(&(level + &drift));
    let none = |_: &Level| Model::new();
    // The first state depends on the element.
    let mut filter = Filter::exact(&walk(&drift)).unwrap();
    check(filter.advance(drifting, none), "drift");
    // Two steps depend on the element, with other steps between them.
    let first = walk(&Constant::new(0.0)).named("first");
    let mut filter = Filter::exact(&first).unwrap();
    filter.advance(drifting, none).unwrap();
    let seen = |level: &Level| Model::new().observe(&walk(level), 1.0);
    for _ in 0..100 {
        filter.advance(walk, seen).unwrap();
    }
    check(filter.advance(drifting, none), "drift");
    filter.observe(seen).unwrap();
    // The evidence is about the first state instead of the present one, or about one element twice.
    check(filter.observe(|_| seen(&first)), "first");
    let coin = Flip::new(0.5).named("coin");
    let coins = |_: &Level| Model::new().observe(&coin, true);
    filter.observe(coins).unwrap();
    check(filter.observe(coins), "coin");
    let old = filter.state().clone();
    for _ in 0..100 {
        filter.advance(walk, none).unwrap();
    }
    is_old(filter.observe(|_| seen(&old)));
    // A law is about several steps.
    let law = Filter::exact(&first).unwrap().law(drifting, walk);
    check(law.map(drop), "drift");
    let coins = |level: &Level| (walk(level), coin.clone());
    let law = Filter::exact(&first).unwrap().law(walk, coins);
    check(law.map(drop), "coin");
    // The element belongs to values that only later states can have.
    let fair = Flip::new(0.5).named("fair");
    let chosen = |up: &Element<bool>| {
        let fair = fair.clone();
        up.flat_map(move |&up| if up { Flip::new(0.5) } else { fair.clone() })
    };
    let known = Filter::exact(&Constant::new(true)).unwrap();
    check(known.law(chosen, Clone::clone).map(drop), "fair");
    // A reading of a law that is observed in another step.
    let law = filter.law(walk, walk).unwrap();
    let mut reading = None;
    let keep = |seen: &Level| {
        reading = Some(seen.clone());
        Model::new().observe(seen, 1.0)
    };
    filter.follow(&law, keep).unwrap();
    let reading = reading.unwrap();
    let late = filter.observe(|_| Model::new().observe(&reading, 2.0));
    assert!(late.is_err());
    // A filter of particles draws the element in each step.
    let mut particles = ParticleFilter::new(&walk(&drift), 100).unwrap();
    check(particles.advance(drifting, none), "drift");
    let mut particles = ParticleFilter::new(&first, 100).unwrap();
    check(particles.observe(|_| seen(&first)), "first");
    particles.advance(drifting, none).unwrap();
    check(particles.advance(drifting, none), "drift");
    let old = particles.state().clone();
    particles.advance(walk, none).unwrap();
    is_old(particles.observe(|_| seen(&old)));
    particles.observe(seen).unwrap();
    // Elements with one value may be shared, and elements of interventions.
    let known = Constant::new(1.0);
    let knob = Select::new([(0.5, 0.0), (0.5, 1.0)]);
    let mut filter = Filter::exact(&first).unwrap();
    for position in [0.0, 1.0] {
        let turned = |level: &Level| walk(&(level + &known + &knob));
        let set = |_: &Level| Model::new().intervene(&knob, position);
        filter.advance(turned, set).unwrap();
    }
}
