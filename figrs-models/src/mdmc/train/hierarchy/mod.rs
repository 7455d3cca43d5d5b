//! Hierarchical Markov chains of levels: one Markov chain of the kinds of sections, and for each kind one Markov chain of tiles.

mod clusters;
mod program;

use figrs_core::stream;
use figrs_reading::Mistake;

use crate::mdmc::{Corpus, Level, MarkovChain, RowSplits, Structures, Tile};
use clusters::Medoids;

/// A hierarchical `MdMC` (multi-dimensional Markov chain): a level consists of sections of a few columns, a high-level Markov chain draws the kind of
/// each section, and each kind has its own low-level Markov chain of tiles.
///
/// Training finds the kinds of sections by k-medoids clustering, with the share of differing tiles as the distance ([`train`](Self::train)), or takes
/// the styles of the training levels as kinds ([`train_styles`](Self::train_styles)). The kind of a section of a level depends only on the kind of
/// the section before. If no section ever follows a section of some kind in training, the kind of the next section is drawn from the kinds of all
/// sections.
///
/// # Complexity
///
/// A round of clustering takes time proportional to the number of cells of a section times `n²`, if the largest kind has `n` distinct sections.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use figrs_models::mdmc::{Corpus, HierarchicalChain, RowSplits, Structure};
///
/// let corpus = Corpus::shipped();
/// let chain = HierarchicalChain::train(&corpus, &Structure::NS3, RowSplits::NONE, 4, 8, 1)?;
/// let level = Arc::new(chain).program(40)?.sample(&mut figrs_core::stream(7, 0))?;
/// assert_eq!(level.width(), 40);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// Hierarchical models of levels are described in Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models"; in figrs,
/// whole columns are high-level tiles, and the clustering is that of Park and Jun, "A simple and fast algorithm for K-medoids clustering", Expert
/// Systems with Applications 36(2), 2009.
#[derive(Clone, Debug)]
pub struct HierarchicalChain {
    section: usize,
    /// The weights of the kinds that the first section of a level can have.
    first: Vec<f64>,
    anywhere: Vec<f64>,
    /// For each kind of section, the weights of the kinds that the next section can have.
    next: Vec<Vec<f64>>,
    chains: Vec<MarkovChain>,
    medoids: Vec<Vec<Tile>>,
}

impl HierarchicalChain {
    /// Maximum number of columns of a section of a level, and maximum number of kinds of sections.
    pub const MAX: usize = 64;

    /// Clusters the sections of `section` columns of the training levels `corpus` into at most `kinds` kinds, with random numbers from the seed
    /// `seed`, and counts the tiles of each kind.
    ///
    /// For the clustering, the last section of a level is filled up with copies of its last column. **Errors.** An error if `section` or `kinds` is 0
    /// or exceeds [`HierarchicalChain::MAX`]; the errors of [`MarkovChain::train`].
    pub fn train(
        corpus: &Corpus,
        structures: impl Into<Structures>,
        splits: RowSplits,
        section: usize,
        kinds: usize,
        seed: u64,
    ) -> Result<Self, Mistake> {
        check_size(section)?;
        check_size(kinds)?;
        let sections: Vec<Vec<Vec<Tile>>> = corpus
            .levels()
            .iter()
            .map(|level| sections(level, section))
            .collect();
        let weighted = sections.iter().zip(corpus.counted_levels());
        let counted = weighted.flat_map(|(sections, (_, weight))| {
            sections.iter().map(move |section| (section, weight))
        });
        let clusters = Medoids::find(counted, kinds, &mut stream(seed, 0));
        let along: Vec<Vec<usize>> = sections
            .iter()
            .map(|sections| sections.iter().map(|s| clusters.nearest(s)).collect())
            .collect();
        let kinds = clusters.medoids().len();
        let chain = Self::counted(corpus, structures, splits, section, (kinds, &along))?;
        Ok(Self {
            medoids: clusters.into_medoids(),
            ..chain
        })
    }

    /// Takes the style of a section as its kind, and counts the tiles of each style of the training levels separately, so that a section does not mix
    /// styles.
    ///
    /// A generated level begins in a style with probability proportional to the number of training levels of this style. In a generated level, the
    /// style changes after each section of `section` columns with probability `change`; the new style has a probability proportional to its number of
    /// sections in training.
    ///
    /// **Errors.** An error if `section` is 0 or exceeds [`HierarchicalChain::MAX`], if the number of styles exceeds this maximum, or if `change` is
    /// not a probability; the errors of [`MarkovChain::train`].
    pub fn train_styles(
        corpus: &Corpus,
        structures: impl Into<Structures>,
        splits: RowSplits,
        section: usize,
        change: f64,
    ) -> Result<Self, Mistake> {
        let styles = corpus.styles().len();
        check_size(section)?;
        check_size(styles)?;
        if !(0.0..=1.0).contains(&change) {
            return Err(Mistake::value(
                format!("styles cannot change with probability {change}"),
                "use a number from 0 to 1",
            ));
        }
        let levels = corpus.levels().iter().zip(corpus.style_of_levels());
        let along: Vec<Vec<usize>> = levels
            .map(|(level, &style)| vec![style; level.width().div_ceil(section)])
            .collect();
        let mut chain = Self::counted(corpus, structures, splits, section, (styles, &along))?;
        for (style, next) in chain.next.iter_mut().enumerate() {
            let others: f64 = chain.anywhere.iter().sum::<f64>() - chain.anywhere[style];
            for (other, weight) in next.iter_mut().enumerate() {
                *weight = match other == style {
                    true if others > 0.0 => 1.0 - change,
                    true => 1.0,
                    false => change * chain.anywhere[other] / others,
                };
            }
        }
        Ok(chain)
    }

    /// Counts the kinds of sections and the tiles of the training levels `corpus`, given the kind of each section of each level. The counted model
    /// has no medoids (typical sections of each kind).
    fn counted(
        corpus: &Corpus,
        structures: impl Into<Structures>,
        splits: RowSplits,
        section: usize,
        (kinds, along): (usize, &[Vec<usize>]),
    ) -> Result<Self, Mistake> {
        let mut first = vec![0.0; kinds];
        let mut anywhere = vec![0.0; kinds];
        let mut next = vec![vec![0.0; kinds]; kinds];
        for ((_, weight), along) in corpus.counted_levels().zip(along) {
            let times = weight as f64;
            first[along[0]] += times;
            for &kind in along {
                anywhere[kind] += times;
            }
            for two in along.windows(2) {
                next[two[0]][two[1]] += times;
            }
        }
        let kind = |level: usize, column: usize| along[level][column / section];
        Ok(Self {
            section,
            first,
            anywhere,
            next,
            chains: MarkovChain::of_kinds(corpus, structures, splits, (kinds, kind))?,
            medoids: Vec::new(),
        })
    }

    /// Returns the number of columns of a section of a level.
    pub fn section(&self) -> usize {
        self.section
    }

    /// Returns the medoids: the most central section of each kind that clustering found, as a list of tiles row by row.
    pub fn medoids(&self) -> &[Vec<Tile>] {
        &self.medoids
    }

    /// Returns the model after [smoothing](MarkovChain::smoothed) of the tile counts of each kind.
    ///
    /// **Errors.** The errors of the method [`MarkovChain::smoothed`].
    pub fn smoothed(mut self, added: f64) -> Result<Self, Mistake> {
        let chains = self.chains.into_iter();
        let chains = chains.map(|chain| chain.smoothed(added));
        self.chains = chains.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Returns the Markov chain of tiles for each kind of section.
    pub fn chains(&self) -> &[MarkovChain] {
        &self.chains
    }

    /// Returns the weights of the kinds that a section can have after a section of the kind `kind`, or as the first section if `kind` is `None`. If
    /// no section follows a section of the kind `kind` in training, returns the weights of the kinds of all sections.
    fn following(&self, kind: Option<usize>) -> &[f64] {
        let weights = kind.map_or(&self.first, |kind| &self.next[kind]);
        if weights.iter().any(|&weight| weight > 0.0) {
            weights
        } else {
            &self.anywhere
        }
    }
}

fn check_size(size: usize) -> Result<(), Mistake> {
    if (1..=HierarchicalChain::MAX).contains(&size) {
        return Ok(());
    }
    Err(Mistake::value(
        format!("sections cannot have {size} columns or kinds"),
        format!("use 1 to {} columns and kinds", HierarchicalChain::MAX),
    ))
}

fn sections(level: &Level, columns: usize) -> Vec<Vec<Tile>> {
    let (height, width) = (level.height(), level.width());
    let section = |from: usize| {
        let cells = (0..height).flat_map(|row| (from..from + columns).map(move |c| (row, c)));
        cells
            .filter_map(|(row, column)| level.get(row, column.min(width - 1)))
            .collect()
    };
    (0..width).step_by(columns).map(section).collect()
}

#[cfg(test)]
mod tests;
