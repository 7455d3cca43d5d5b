//! The burglary alarm: the program builds a model, states evidence, and compares several algorithms.
//!
//! `cargo run --release --example burglary`

use std::io::{self, Write};

use figrs::prelude::*;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    tour(&mut io::stdout().lock())
}

fn tour(out: &mut impl Write) -> Result<(), Failure> {
    // The world: a burglary or an earthquake may ring the alarm, and the neighbours may call.
    let burglary = Flip::new(0.001).named("burglary");
    let earthquake = Flip::new(0.002).named("earthquake");
    let alarm = Cpd::new(
        (&burglary, &earthquake),
        [
            ((true, true), Flip::new(0.95)),
            ((true, false), Flip::new(0.94)),
            ((false, true), Flip::new(0.29)),
            ((false, false), Flip::new(0.001)),
        ],
    )
    .named("alarm");
    let john = alarm.flat_map(|&rings| Flip::new(if rings { 0.90 } else { 0.05 }));
    let mary = alarm.flat_map(|&rings| Flip::new(if rings { 0.70 } else { 0.01 }));

    // The evidence is a separate value: both neighbours call.
    let model = Model::new().observe(&john, true).observe(&mary, true);

    writeln!(out, "P(burglary | John and Mary call)\n")?;
    let comparison = figrs::compare(
        &model,
        &burglary,
        algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            ImportanceSampling::new(1_000_000).seed(7),
        ],
    );
    writeln!(out, "{comparison}")?;
    let evidence = VariableElimination::new().probability_of_evidence(&model)?;
    writeln!(out, "P(evidence) = {evidence:.12}")?;

    writeln!(out, "\nThe most probable world")?;
    let world = MpeVariableElimination::new().run(&model, (&burglary, &earthquake, &alarm))?;
    for element in [&burglary, &earthquake, &alarm] {
        let name = element.label().short().to_string();
        writeln!(out, "  {name:20} {}", world.most_likely_value(element)?)?;
    }
    writeln!(
        out,
        "  {:20} {:.14}",
        "probability",
        world.log_probability()?.exp()
    )?;

    writeln!(out, "\nThe alarm, as far as we know")?;
    write!(
        out,
        "{}",
        VariableElimination::new()
            .run(&model, &alarm)?
            .distribution(&alarm)?
    )?;
    Ok(())
}
