//! Tests of levels without unseen states: exactly, by particles, and by counting in the levels of the look-ahead sampler.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use crate::samplers::{exactly, particles};
use figrs_core::stream;
use figrs_design::{Demand, DemandedLevel, ground_gaps};
use figrs_infer::{Compiled, Frontier, Run, SequentialMonteCarlo};
use figrs_models::mdmc::{
    Corpus, CorpusReader, Level, LevelElements, LookAheadSampler, MarkovChain, RowSplits, Structure,
};

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/vglc/smb");

/// Returns a chain with one band for each row.
fn chain(corpus: &Corpus) -> Arc<MarkovChain> {
    let splits = RowSplits::new(corpus.height(), corpus.height()).unwrap();
    Arc::new(MarkovChain::train(corpus, &Structure::NS3, splits).unwrap())
}

fn demanded(chain: &Arc<MarkovChain>, width: usize, demands: &[Demand]) -> DemandedLevel {
    let elements = LevelElements::new(Arc::clone(chain), width).unwrap();
    DemandedLevel::new(&elements, demands).unwrap()
}

/// Tolerance of a count of `n` draws around `n * p`: by Bernstein's inequality a false alarm in less than one of 10⁹ seeds.
fn tolerance(n: f64, p: f64) -> f64 {
    let log = (2.0 / 1e-9_f64).ln();
    log / 3.0 + (log * log / 9.0 + 2.0 * log * n * p * (1.0 - p)).sqrt()
}

/// Returns the first column with a configuration that training never showed, or the width if there is none.
fn first_unseen(chain: &MarkovChain, level: &Level) -> usize {
    let unseen = |&column: &usize| {
        (0..level.height()).any(|row| {
            let tiles = chain.configuration_at(level, row, column, 0).unwrap();
            !chain.seen(0, chain.band(row), &tiles)
        })
    };
    (0..level.width()).find(unseen).unwrap_or(level.width())
}

/// Returns the first column with an unseen configuration for 40 000 levels of 200 columns, which the look-ahead sampler draws without looking ahead.
fn first_columns(chain: &MarkovChain) -> Vec<usize> {
    let sampler = LookAheadSampler::new(chain.clone(), 0, 200).unwrap();
    let level = |number| sampler.sample(&mut stream(6, number));
    (0..40_000)
        .map(|number| {
            let generated = level(number);
            match generated.unseen() {
                0 => 200,
                _ => first_unseen(chain, generated.level()),
            }
        })
        .collect()
}

/// The test uses eight rows, because the exact method takes long for more. Columns have no influence on the columns to their left, so the first
/// columns of a wide level are distributed as a narrow level.
#[test]
fn no_unseen_state_has_the_probability_that_counting_and_particles_show() {
    if !Path::new(DIRECTORY).is_dir() {
        println!("skipped: {DIRECTORY} is not there");
        return;
    }
    let chain = chain(&CorpusReader::new([DIRECTORY]).rows(8).read().unwrap().0);
    let first = first_columns(&chain);
    let n = first.len() as f64;
    for width in [1, 20, 60] {
        let seen = demanded(&chain, width, &[Demand::Seen]);
        let p = Frontier::new().log_evidence(seen.model()).unwrap().exp();
        let count = first.iter().filter(|&&column| column >= width).count() as f64;
        println!("{width} columns: exactly {p}, counted {}", count / n);
        assert!(
            (count - n * p).abs() < tolerance(n, p),
            "{width}: {count} {p}"
        );
        // Five standard errors, estimated from 64 populations, give a false alarm in one of 10⁵ seeds.
        let particles = particles().particles(2).seed(1);
        let message = particles.estimated_log_probability(&seen).unwrap();
        let far = (message.value - p.ln()).abs();
        assert!(
            far <= 5.0 * message.standard_error,
            "{width}: {message:?} {p}"
        );
    }
}

/// The test uses all fourteen rows, where only counting and particles give answers in a short time.
#[test]
fn particles_estimate_what_counting_shows_at_fourteen_rows() {
    if !Path::new(DIRECTORY).is_dir() {
        println!("skipped: {DIRECTORY} is not there");
        return;
    }
    let chain = chain(&CorpusReader::new([DIRECTORY]).read().unwrap().0);
    let first = first_columns(&chain);
    let n = first.len() as f64;
    let count = first.iter().filter(|&&column| column == 200).count() as f64;
    let seen = demanded(&chain, 200, &[Demand::Seen]);
    let message = particles().particles(2).seed(2);
    let message = message.estimated_log_probability(&seen).unwrap();
    let p = message.value.exp();
    println!(
        "counted {} of {n}, particles tell {p} ± {}",
        count,
        p * message.standard_error
    );
    // Five standard errors of the difference give a false alarm in one of 10⁵ seeds.
    let error = (count).sqrt().hypot(n * p * message.standard_error);
    assert!((count - n * p).abs() < 5.0 * error, "{count} {}", n * p);
}

/// The probabilities of all tiles in all cells are compared: exact, by particles, and by rejection of levels that do not meet the demands.
#[test]
fn cells_have_the_same_tiles_exactly_by_particles_and_by_rejection() {
    const WIDTH: usize = 12;
    let chain = chain(&Corpus::shipped().bottom_rows(6).unwrap());
    let demands = [Demand::Seen, Demand::MaximumGap(2)];
    let exact = exactly(demanded(&chain, WIDTH, &demands)).unwrap();
    let demanded = demanded(&chain, WIDTH, &demands);
    let answer = SequentialMonteCarlo::new(1_000)
        .populations(64)
        .seed(5)
        .run(demanded.model(), demanded.cells())
        .unwrap();
    let sampler = LookAheadSampler::new(chain.clone(), 0, WIDTH).unwrap();
    let levels = (0..60_000).map(|number| sampler.sample(&mut stream(7, number)));
    let accepted: Vec<Level> = levels
        .filter(|generated| generated.unseen() == 0)
        .map(figrs_models::mdmc::GeneratedLevel::into_level)
        .filter(|level| ground_gaps(level).iter().all(|(_, width)| *width <= 2))
        .collect();
    let n = accepted.len() as f64;
    println!("{n} of 60000 accepted");
    assert!(n > 10_000.0, "{n}");
    for (index, cell) in demanded.cells().iter().enumerate() {
        let (column, row) = (index / 6, 5 - index % 6);
        for tile in chain.tiles() {
            let own = exact.generator().cell(row, column).unwrap();
            let p = exact
                .exact()
                .unwrap()
                .compiled()
                .probability(own, tile)
                .unwrap();
            let found = accepted
                .iter()
                .filter(|level| level.get(row, column) == Some(*tile));
            let count = found.count() as f64;
            let place = format!("{tile} at {row},{column}: {p}");
            assert!(
                (count - n * p).abs() < tolerance(n, p),
                "{place}, {count} of {n}"
            );
            // Estimates may deviate by six standard errors, or by 1e-4 where the standard error is too small to be estimated.
            let q = answer.probability(cell, tile).unwrap();
            let error = answer.standard_error(cell, tile).unwrap();
            assert!((p - q).abs() < 6.0 * error + 1e-4, "{place}, {q} ± {error}");
        }
    }
}
