use super::*;

fn chain(text: &str, structure: &Structure, splits: RowSplits) -> MarkovChain {
    let corpus = Corpus::new([("small".to_owned(), text.parse().unwrap())]).unwrap();
    MarkovChain::train(&corpus, structure, splits).unwrap()
}

fn tiles(symbols: &str) -> Vec<Tile> {
    symbols
        .chars()
        .map(|symbol| Tile::from_char(symbol).unwrap_or(Tile::BORDER))
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
    // Left, below; `#` is the border.
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
    assert!(matches!(
        error,
        MdmcError::RowSplits {
            splits: 3,
            height: 2
        }
    ));
}
