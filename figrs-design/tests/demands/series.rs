//! Tests of series of demands on levels of one model, such as an editor requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::samplers::{Levels, particles};
use figrs_design::{Demand, DemandedLevel, DemandedLevelError, Mask};
use figrs_infer::Error;
use figrs_models::mdmc::{Corpus, LevelElements, MarkovChain, RowSplits, Structure, Tile};

const COLUMNS: usize = 30;

fn elements() -> LevelElements {
    let splits = RowSplits::new(14, 14).unwrap();
    let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, splits).unwrap();
    LevelElements::new(Arc::new(chain), COLUMNS).unwrap()
}

fn pinned(row: usize, column: usize, symbol: char) -> Demand {
    let mut mask = Mask::free(14, COLUMNS);
    mask.set(row, column, Tile::platformer(symbol).unwrap());
    Demand::Pinned(mask)
}

fn drawn(demanded: DemandedLevel) -> Vec<String> {
    let sampler = particles()
        .particles(8)
        .numbered(Arc::new(demanded))
        .unwrap();
    let levels = sampler.levels(3, 0..4).unwrap();
    levels
        .iter()
        .map(|level| level.level().to_string())
        .collect()
}

#[test]
fn levels_do_not_depend_on_the_demands_before() {
    let elements = elements();
    let mut known = DemandedLevel::new(&elements, &[]).unwrap();
    for column in 8..12 {
        let demands = [Demand::Seen, pinned(5, column, 'o'), Demand::playable()];
        known = known.demanding(&demands).unwrap();
        let anew = DemandedLevel::new(&elements, &demands).unwrap();
        assert_eq!(drawn(known.clone()), drawn(anew), "{column}");
    }
    let other = Demand::Pinned(Mask::free(3, 3));
    assert!(known.demanding(&[other]).is_err());
}

#[test]
fn a_search_for_a_proof_ends_with_the_interrupt() {
    let elements = elements();
    let demands = [Demand::MaximumGap(0), pinned(13, 9, '-')];
    let demanded = DemandedLevel::new(&elements, &demands).unwrap();
    let flag = Arc::new(AtomicBool::new(true));
    let sampler = particles()
        .interrupt(Arc::clone(&flag))
        .numbered(Arc::new(demanded))
        .unwrap();
    let ended = sampler.levels(1, 0..1).unwrap_err();
    assert!(
        matches!(
            ended,
            DemandedLevelError::Inference(Error::NothingDone { .. })
        ),
        "{ended}"
    );
    // The interrupted search found nothing, so the search begins again.
    flag.store(false, Ordering::Release);
    let proven = sampler.levels(1, 0..1).unwrap_err();
    let DemandedLevelError::Contradictory {
        places,
        proven: true,
        ..
    } = &proven
    else {
        panic!("{proven}");
    };
    assert_eq!(*places, [0, 1]);
}
