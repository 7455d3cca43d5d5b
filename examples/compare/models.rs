//! The models of the comparison: textbook models, networks in files, generators of boards.

use std::path::{Path, PathBuf};

use figrs::prelude::*;
use figrs::{Compare, Learned};
use figrs_command::{Failure, observations, queried, read_network};
use figrs_learn::{Cases, ExpectationMaximization};
use figrs_models::grid::Size;
use figrs_models::island::Island;
use figrs_models::maze::PerfectMaze;
use figrs_models::yin_yang::YinYang;
use figrs_network::NetworkReader;

use super::options::{Generator, Model as Named, Options};

/// Returns the comparison of algorithms that the command-line options describe.
pub(crate) fn question(options: &Options) -> Result<Compare, Failure> {
    if let Some(path) = &options.network {
        return network(path, options);
    }
    if let Some(generator) = options.generator {
        return generated(generator, options);
    }
    Ok(match options.model {
        Some(Named::Sprinkler) => sprinkler(),
        Some(Named::Hmm) => hidden_markov(),
        Some(Named::Mixture) => mixture(),
        Some(Named::Grid) => grid(),
        Some(Named::Geometric) => geometric(),
        Some(Named::Learned) => learned()?,
        Some(Named::Rate) => rate(),
        Some(Named::Kalman) => kalman(),
        Some(Named::Mixed) => mixed(),
        Some(Named::Ratings) => ratings(),
        Some(Named::Burglary) | None => burglary(),
    })
}

fn network(path: &Path, options: &Options) -> Result<Compare, Failure> {
    let network = read_network(path, &NetworkReader::new())?;
    let is_file = |text: &&String| !text.contains('=') || Path::new(text).exists();
    let (files, texts): (Vec<&String>, Vec<&String>) = options.evidence.iter().partition(is_file);
    if let [_, second, ..] = files[..] {
        return Err(
            format!("--evidence {second}: only one file can be read; write VAR=STATE").into(),
        );
    }
    let file = files.first().map(PathBuf::from);
    let texts: Vec<String> = texts.into_iter().cloned().collect();
    let evidence = observations(&network, file.as_deref(), ("--evidence", &texts))?;
    let targets = queried(&network, &options.query)?;
    let targets = targets
        .into_iter()
        .map(|position| network.elements()[position].clone());
    let targets: Vec<Element<_>> = targets.collect();
    Ok(Compare::new(&network.given(&evidence), &targets))
}

fn generated(generator: Generator, options: &Options) -> Result<Compare, Failure> {
    let side = if generator == Generator::Island { 5 } else { 4 };
    let rows = options.rows.unwrap_or(side);
    let columns = options.columns.unwrap_or(side);
    Ok(match generator {
        Generator::YinYang => {
            let elements = YinYang::new(Size::new(rows, columns)?).elements()?;
            Compare::new(elements.model(), numbered(elements.cells(), columns))
        }
        Generator::Maze => {
            let elements = PerfectMaze::new(Size::new(rows, columns)?).elements()?;
            Compare::new(elements.model(), numbered(elements.cells(), columns))
        }
        Generator::Island => {
            let elements = Island::new(Size::new(rows, columns)?)?.elements()?;
            Compare::new(elements.model(), numbered(elements.cells(), columns))
        }
    })
}

/// Names the cells of a grid by their rows and columns.
fn numbered<T: Value>(cells: &[Element<T>], columns: usize) -> Vec<Element<T>> {
    let cells = cells.iter().cloned().enumerate();
    let name = |at: usize| format!("({}, {})", at / columns, at % columns);
    cells.map(|(at, cell)| cell.named(name(at))).collect()
}

fn burglary() -> Compare {
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
    let john = If::new(&alarm, Flip::new(0.90), Flip::new(0.05)).named("John calls");
    let mary = If::new(&alarm, Flip::new(0.70), Flip::new(0.01)).named("Mary calls");
    let model = Model::new().observe(&john, true).observe(&mary, true);
    Compare::new(&model, (&burglary, &earthquake, &alarm))
}

fn sprinkler() -> Compare {
    let cloudy = Flip::new(0.5).named("cloudy");
    let sprinkler = If::new(&cloudy, Flip::new(0.1), Flip::new(0.5)).named("sprinkler");
    let rain = If::new(&cloudy, Flip::new(0.8), Flip::new(0.2)).named("rain");
    let wet = Cpd::new(
        (&sprinkler, &rain),
        [
            ((true, true), Flip::new(0.99)),
            ((true, false), Flip::new(0.90)),
            ((false, true), Flip::new(0.90)),
            ((false, false), Flip::new(0.0)),
        ],
    )
    .named("wet");
    let model = Model::new().observe(&wet, true);
    Compare::new(&model, (&rain, &sprinkler, &cloudy))
}

fn hidden_markov() -> Compare {
    let mut state = Uniform::new([0, 1, 2]).named("state 0");
    let mut model = Model::new();
    for (step, seen) in [0, 0, 1, 2, 2, 1, 0, 0, 2, 2].into_iter().enumerate() {
        let shown = state.flat_map(|&state| {
            let others = (0..3).map(|other| (if other == state { 0.7 } else { 0.15 }, other));
            Select::new(others)
        });
        model = model.observe(&shown.named(format!("seen {step}")), seen);
        let next = state.flat_map(|&state| {
            let stays = [(0.8, state), (0.2, (state + 1) % 3)];
            Select::new(stays)
        });
        state = next.named(format!("state {}", step + 1));
    }
    Compare::new(&model, &state)
}

fn mixture() -> Compare {
    let component = Select::new([(0.5, 'a'), (0.3, 'b'), (0.2, 'c')]).named("component");
    let mut model = Model::new();
    for (number, length) in [0.4, 1.9, 0.7, 1.1, 1.6].into_iter().enumerate() {
        let measured = component.flat_map(|&component| {
            let (mean, spread) = match component {
                'a' => (0.0, 1.0),
                'b' => (1.5, 1.0),
                _ => (1.0, 2.0),
            };
            Normal::new(mean, StandardDeviation(spread))
        });
        model = model.observe(&measured.named(format!("length {number}")), length);
    }
    Compare::new(&model, &component)
}

fn grid() -> Compare {
    const SIDE: usize = 4;
    let cells = (0..SIDE * SIDE).map(|_| Flip::new(0.5)).collect::<Vec<_>>();
    let cells = numbered(&cells, SIDE);
    let mut model = Model::new().observe(&cells[0], true);
    for at in 0..SIDE * SIDE {
        let right = (at % SIDE + 1 < SIDE).then_some(at + 1);
        let below = (at + SIDE < SIDE * SIDE).then_some(at + SIDE);
        for other in [right, below].into_iter().flatten() {
            let alike = cells[at].equals(&cells[other]);
            model = model.weigh_at_most(&alike, 2.0, |&alike| if alike { 2.0 } else { 1.0 });
        }
    }
    Compare::new(&model, &cells[SIDE * SIDE - 1])
}

/// Returns an element for the number of failures before the first success.
fn failures() -> Element<u32> {
    Flip::new(0.5).flat_map(|&success| {
        if success {
            Constant::new(0)
        } else {
            failures().map(|n| n + 1)
        }
    })
}

fn geometric() -> Compare {
    let count = failures().named("failures");
    let model = Model::new().condition(&count, |n| n % 2 == 0);
    let none = count.map(|&n| n == 0).named("none");
    Compare::new(&model, &none)
}

fn learned() -> Result<Compare, Failure> {
    let rate = Learned::beta("P(bad)", 1.0, 1.0);
    let detects = Learned::beta("P(beep | bad)", 8.0, 2.0);
    let errs = Learned::beta("P(beep | good)", 2.0, 8.0);
    let bad = Flip::new(&rate).named("bad");
    let beep = |number: u32| {
        If::new(&bad, Flip::new(&detects), Flip::new(&errs)).named(format!("beep {number}"))
    };
    let beeps: Vec<Element<bool>> = (0..2).map(beep).collect();
    let cases = Cases::new((&bad, &beeps)).weighted_rows([
        (3.0, (Some(true), [true, true])),
        (6.0, (Some(false), [false, false])),
        (8.0, (None, [true, true])),
        (12.0, (None, [true, false])),
        (70.0, (None, [false, false])),
    ]);
    let learner = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    let model = learner.fit(&Model::new(), &cases)?.model();
    let model = model.observe(&beeps[0], true).observe(&beeps[1], false);
    Ok(Compare::new(&model, &bad))
}

fn rate() -> Compare {
    let rate = Learned::beta("P(bad)", 1.0, 1.0);
    let parts = (0..20).map(|number| Flip::new(&rate).named(format!("part {number}")));
    let model = parts
        .enumerate()
        .fold(Model::new(), |model, (number, part)| {
            model.observe(&part, number < 3)
        });
    Compare::new(&model, &rate)
}

fn kalman() -> Compare {
    let mut position = Normal::new(0.0, Variance(4.0));
    let mut velocity = Normal::new(1.0, Variance(1.0));
    let mut model = Model::new();
    for seen in [0.4, 1.1, 2.3, 3.4, 3.9, 5.2, 6.4, 7.0, 8.3, 9.1] {
        position = &position + &velocity;
        velocity = Normal::new(&velocity, Variance(0.05));
        model = model.observe(&Normal::new(&position, Variance(0.5)), seen);
    }
    Compare::new(
        &model,
        (&position.named("position"), &velocity.named("velocity")),
    )
}

fn mixed() -> Compare {
    let kind = Select::new([(0.7, "burnable"), (0.3, "metal")]).named("kind");
    let emission = kind.flat_map(|&kind| match kind {
        "burnable" => Normal::new(-1.0, Variance(0.3)),
        _ => Normal::new(1.5, Variance(1.0)),
    });
    let emission = emission.named("emission");
    let meter = Normal::new(&emission, Variance(0.5));
    Compare::new(&Model::new().observe(&meter, 0.4), (&kind, &emission))
}

fn ratings() -> Compare {
    let skill = |name: &str| Normal::new(25.0, StandardDeviation(25.0 / 3.0)).named(name);
    let performance = |skill: &Element<f64>| Normal::new(skill, StandardDeviation(25.0 / 6.0));
    let (anna, ben) = (skill("anna"), skill("ben"));
    let mut model = Model::new();
    for _ in 0..2 {
        let anna_wins = performance(&anna).greater_than(&performance(&ben));
        model = model.observe(&anna_wins, true);
    }
    let lead = &performance(&anna) - &performance(&ben);
    let model = model.condition(&lead, |lead| lead.abs() < 0.74);
    Compare::new(&model, (&anna, &ben))
}
