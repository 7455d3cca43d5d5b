//! Tests of long levels that are drawn in parts of a few columns.

use super::*;

#[test]
fn levels_in_parts_meet_all_demands() {
    let chain = chain(4);
    let demands = all_demands(4, 9);
    let demanded = demanded(4, 9, &demands);
    for each in [1, 2, 4] {
        let filter = SequentialMonteCarlo::new(200).populations(16).seed(SEED);
        let found = filter.follow(&LevelParts::of(&demanded).of_each(each));
        let found = found.unwrap().values;
        assert!(!found.is_empty());
        for tiles in found {
            let generated = demanded.level(&tiles);
            for demand in &demands {
                assert!(meets(generated.level(), &chain, demand), "{each}: {demand}");
            }
        }
    }
}

#[test]
fn parts_of_a_level_have_its_probability() {
    let demands = small_demands(6, 20);
    let exact = exactly(demanded(6, 20, &demands)).unwrap();
    let demanded = demanded(6, 20, &demands);
    for each in [1, 3] {
        let filter = SequentialMonteCarlo::new(500).populations(64).seed(SEED);
        let parts = LevelParts::to(&demanded, 20).of_each(each);
        let found = filter.follow(&parts).unwrap().answer;
        let estimate = found.log_evidence().unwrap();
        let far = (estimate.value - exact.exact().unwrap().log_probability()).abs()
            / estimate.standard_error;
        assert!(
            far < 5.0,
            "{each}: {estimate:?} {}",
            exact.exact().unwrap().log_probability()
        );
    }
}

/// The demands of this test concern only the middle parts of a level; in the models of the test, each part passes on more than tiles to the next
/// part.
#[test]
fn parts_of_every_model_hand_on_what_demands_remember() {
    let corpus = Corpus::shipped().bottom_rows(3).unwrap();
    let splits = RowSplits::new(3, 3).unwrap();
    let enemy = Pattern::cell(tile('E')).unwrap();
    let demands = [
        Demand::required(enemy.clone(), Area::all().columns(7..12)),
        Demand::Number {
            class: Tile::GROUND.into(),
            area: Area::all().columns(9..13),
            least: 2,
            most: 5,
        },
        Demand::forbidden(enemy, Area::all().columns(..3)).preferred(1.0),
    ];
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 3).unwrap());
    let hierarchy = HierarchicalChain::train(&corpus, &Structure::NS2, splits, 3, 3, 1).unwrap();
    let field = TileField::train(&corpus, splits).unwrap();
    for model in [
        LevelModel::from(&LevelElements::new(chain(3), 13).unwrap()),
        LevelModel::from(&ngrams.program(13).unwrap()),
        LevelModel::from(&Arc::new(hierarchy).program(13).unwrap()),
        LevelModel::from(&field.elements(13).unwrap()),
    ] {
        let demanded = DemandedLevel::new(&model, &demands).unwrap();
        let exact = exactly(demanded.clone()).unwrap();
        for each in [1, 2, 5] {
            let filter = SequentialMonteCarlo::new(300).populations(64).seed(SEED);
            let parts = LevelParts::of(&demanded).of_each(each);
            let found = filter.follow(&parts).unwrap();
            for tiles in found.values {
                assert!(demanded.factor(demanded.level(&tiles).level()) > 0.0);
            }
            let estimate = found.answer.log_evidence().unwrap();
            // Six standard errors: a false alarm in less than one of 10⁸ comparisons, if the error estimated from 64 populations is right.
            // The weights of a field do not sum to one.
            let expected = exact.exact().unwrap().compiled().log_evidence();
            let far = (estimate.value - expected).abs() / estimate.standard_error;
            assert!(
                far < 6.0,
                "{}, {each}: {estimate:?} {expected}",
                model.name()
            );
        }
    }
}

/// While a level is drawn in parts, only the elements of a few parts exist.
#[test]
fn long_levels_are_drawn_in_many_parts() {
    let demanded = demanded(6, 2_000, &[Demand::Seen, Demand::playable()]);
    let parts = LevelParts::of(&demanded);
    assert!(parts.parts() >= 40);
    let sampler = particles()
        .particles(8)
        .numbered(Arc::new(demanded.clone()))
        .unwrap();
    let level = sampler.levels(SEED, 0..1).unwrap().pop().unwrap();
    assert!(level.unseen() == 0 && Playability::of(level.level()).playable());
    assert!(!demanded.level_model().is_built());
}
