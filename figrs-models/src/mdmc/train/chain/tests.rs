use crate::mdmc::train::chain::*;
use crate::mdmc::{ColumnNGrams, TileField};

fn chain(text: &str, structures: impl Into<Structures>, splits: RowSplits) -> MarkovChain {
    let corpus = Corpus::new([("small".to_owned(), text.parse().unwrap())]).unwrap();
    MarkovChain::train(&corpus, structures, splits).unwrap()
}

fn tiles(symbols: &str) -> Vec<Tile> {
    symbols
        .chars()
        .map(|symbol| Tile::platformer(symbol).unwrap_or(Tile::BORDER))
        .collect()
}

fn counts(chain: &MarkovChain, structure: usize, band: usize, symbols: &str) -> String {
    let found = chain.distribution(structure, band, &tiles(symbols));
    let counts = found.map(TileDistribution::counts).unwrap_or_default();
    let parts: Vec<String> = counts
        .iter()
        .map(|(tile, count)| format!("{tile}{count}"))
        .collect();
    parts.concat()
}

#[test]
fn counts_of_a_small_level_are_those_counted_by_hand() {
    let chain = chain("-?-\nX-X", &Structure::NS2, RowSplits::NONE);
    assert_eq!(chain.tiles(), tiles("-?X"));
    // The two characters are the tiles to the left and below; `#` is the border.
    assert_eq!(counts(&chain, 0, 0, "##"), "X1");
    assert_eq!(counts(&chain, 0, 0, "X#"), "-1");
    assert_eq!(counts(&chain, 0, 0, "-#"), "X1");
    assert_eq!(counts(&chain, 0, 0, "#X"), "-1");
    assert_eq!(counts(&chain, 0, 0, "--"), "?1");
    assert_eq!(counts(&chain, 0, 0, "?X"), "-1");
    assert_eq!(chain.configurations(0, 0).count(), 6);
    assert_eq!(counts(&chain, 1, 0, "#"), "-1X1");
    assert_eq!(counts(&chain, 1, 0, "-"), "?1X1");
    assert_eq!(counts(&chain, 2, 0, ""), "-3?1X2");
}

/// Returns a corpus (set of training levels) of one level, in which the tile `@` means "outside the level".
fn partly_outside(text: &str) -> Corpus {
    let legend = "[tiles]\n'-' = ['passable']\n'X' = ['solid']\n'@' = ['outside']";
    let set = Arc::new(TileSet::from_toml(legend).unwrap());
    let level = Level::from_text("a", text, &set).unwrap();
    Corpus::of_tiles(set, [("a".to_owned(), level)]).unwrap()
}

#[test]
fn outside_tiles_are_not_counted_and_equal_the_border() {
    let corpus = partly_outside("-@--\nX@XX\n@@XX");
    let train = |splits| MarkovChain::train(&corpus, &Structure::NS2, splits);
    let chain = train(RowSplits::NONE).unwrap();
    assert_eq!(chain.tiles(), tiles("-X"));
    assert_eq!(counts(&chain, 2, 0, ""), "-3X5");
    // The two characters are the tiles to the left and below; `#` is the border.
    assert_eq!(counts(&chain, 0, 0, "##"), "X2");
    assert_eq!(counts(&chain, 0, 0, "#X"), "-2X1");
    assert_eq!(chain.unseen(&corpus.levels()[0]), 0);
    let again = MarkovChain::from_json(&chain.to_json()).unwrap();
    assert_eq!(again.unseen(&corpus.levels()[0]), 0);
    let above = partly_outside("@@\n-X");
    let error = MarkovChain::train(&above, &Structure::NS2, RowSplits::new(2, 2).unwrap());
    assert_eq!(error.err(), Some(only_outside()));
    let error = TileField::train(&above, RowSplits::new(2, 2).unwrap());
    assert_eq!(error.err(), Some(only_outside()));
    assert!(TileField::train(&above, RowSplits::NONE).is_ok());
    let error = ColumnNGrams::train(&above, 2);
    assert_eq!(error.err(), Some(only_outside()));
    // Columns on either side of the column outside have no common history.
    let ngrams = Arc::new(ColumnNGrams::train(&partly_outside("-@X-\nX@X-"), 2).unwrap());
    for number in 0..20 {
        let level = ngrams
            .program(3)
            .unwrap()
            .sample(&mut figrs_core::stream(1, number));
        assert!(!level.unwrap().to_string().contains('@'));
    }
}

#[test]
fn bands_have_tables_of_their_own() {
    let splits = RowSplits::new(2, 2).unwrap();
    let chain = chain("--\nXX", &Structure::NS1, splits);
    assert_eq!((chain.band(0), chain.band(1)), (0, 1));
    assert_eq!(counts(&chain, 1, 0, ""), "-2");
    assert_eq!(counts(&chain, 1, 1, ""), "X2");
    assert_eq!(counts(&chain, 0, 0, "X"), "");
}

#[test]
fn questions_outside_the_chain_have_no_answer() {
    let chain = chain("--\nXX", &Structure::NS1, RowSplits::NONE);
    assert!(!chain.seen(2, 0, &[]) && !chain.seen(1, 1, &[]) && !chain.seen(usize::MAX, 0, &[]));
    assert!(chain.seen(1, 0, &[]) && !chain.seen(0, 0, &[]) && !chain.seen(0, 0, &tiles("E")));
    let level = &"-".parse().unwrap();
    assert_eq!(chain.configuration_at(level, 0, 0, 2), None);
    assert_eq!(chain.configuration_at(level, 9, 9, 0), Some(tiles("#")));
}

#[test]
fn training_levels_have_no_unseen_cells_and_counts_add_up() {
    let corpus = Corpus::shipped();
    for splits in [1, 2, 14] {
        let splits = RowSplits::new(splits, corpus.height()).unwrap();
        let chain = MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap();
        assert!(corpus.levels().iter().all(|level| chain.unseen(level) == 0));
        let cells: usize = corpus
            .levels()
            .iter()
            .map(|level| level.as_array().len())
            .sum();
        for structure in 0..chain.structures().len() {
            let bands = (0..splits.count()).flat_map(|band| chain.configurations(structure, band));
            assert_eq!(
                bands.map(|(_, seen)| seen.total()).sum::<u64>(),
                cells as u64
            );
        }
    }
}

#[test]
fn a_tile_that_training_never_showed_makes_its_neighbours_unseen() {
    let chain = chain("---\nXXX", &Structure::NS1, RowSplits::NONE);
    assert_eq!(chain.unseen(&"-E-\nXXX".parse().unwrap()), 1);
}

#[test]
fn more_bands_than_rows_are_an_error() {
    let splits = RowSplits::new(3, 3).unwrap();
    let corpus = Corpus::new([("low".to_owned(), "-\nX".parse().unwrap())]).unwrap();
    let error = MarkovChain::train(&corpus, &Structure::NS1, splits).unwrap_err();
    assert_eq!(error.problem, "2 rows cannot be split into 3 bands");
}

#[test]
fn each_structure_of_a_list_has_the_counts_that_it_has_alone() {
    let corpus = Corpus::shipped();
    let splits = RowSplits::new(2, 14).unwrap();
    let list: Structures = "ns3,(-1,1)(-1,0),(0,1),ns0".parse().unwrap();
    let chain = MarkovChain::train(&corpus, &list, splits).unwrap();
    assert_eq!(chain.structure_list(), &list);
    for (place, structure) in list.as_slice().iter().enumerate() {
        let alone = MarkovChain::train(&corpus, structure, splits).unwrap();
        for band in 0..2 {
            assert!(
                chain
                    .configurations(place, band)
                    .eq(alone.configurations(0, band))
            );
        }
    }
    // A configuration of ns3 that never occurred in training, and the tiles that occurred above ground.
    let strange = tiles("EXE");
    assert_eq!(chain.first_seen(1, &strange), 2);
    let above = chain.distribution(2, 1, &tiles("X"));
    assert!(above.is_some() && chain.row(1, &strange, 0) == above);
}

#[test]
fn smoothing_adds_to_the_count_of_every_tile_of_the_band() {
    let plain = chain("-?-\nX-X", &Structure::NS1, RowSplits::new(2, 2).unwrap());
    let smoothed = plain.clone().smoothed(0.5).unwrap();
    assert_eq!(smoothed.smoothing(), 0.5);
    let after_air = smoothed.distribution(0, 0, &tiles("-")).unwrap();
    // Of the tiles of the upper band, `?` followed air once.
    let question = Tile::platformer('?').unwrap();
    assert_eq!(after_air.probability(question), 1.5 / 2.0);
    assert_eq!(after_air.probability(Tile::EMPTY), 0.5 / 2.0);
    assert_eq!(after_air.probability(Tile::GROUND), 0.0);
    assert_eq!((after_air.total(), after_air.counts().len()), (1, 1));
    for structure in 0..2 {
        for band in 0..2 {
            let seen = |chain: &MarkovChain| chain.configurations(structure, band).count();
            assert_eq!(seen(&plain), seen(&smoothed));
            for (_, row) in smoothed.configurations(structure, band) {
                let total: f64 = row.probabilities().iter().map(|(_, p)| p).sum();
                assert!((total - 1.0).abs() < 1e-12 && row.probabilities().len() == 2);
            }
        }
    }
    let back = smoothed.smoothed(0.0).unwrap();
    assert!(back.configurations(0, 0).eq(plain.configurations(0, 0)));
}

#[test]
fn what_cannot_be_added_to_counts_is_an_error() {
    for added in [-0.1, f64::NAN, f64::INFINITY, 2e6] {
        let plain = chain("-", &Structure::NS0, RowSplits::NONE);
        let error = plain.smoothed(added).unwrap_err();
        assert_eq!(error.remedy, "use a number from 0 to 1000000", "{error}");
    }
}

#[test]
fn more_configurations_than_fit_are_an_error() {
    let rows = 400_000;
    let tall = "X\n".repeat(rows).parse().unwrap();
    let corpus = Corpus::new([("tall".to_owned(), tall)]).unwrap();
    let train = |bands| {
        let splits = RowSplits::new(bands, rows).unwrap();
        MarkovChain::train(&corpus, &Structure::NS3, splits)
    };
    let error = train(rows).unwrap_err();
    assert_eq!(error.kind, MistakeKind::TooLarge);
    let bands = format!(" in {rows} bands of {rows} rows");
    assert!(error.problem.contains(&bands), "{error}");
    assert_eq!(train(2).unwrap().cells(), rows as u64);
}
