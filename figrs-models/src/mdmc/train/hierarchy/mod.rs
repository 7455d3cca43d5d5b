//! Hierarchical Markov chains: a chain of kinds of sections, and a chain of tiles for each kind.

mod clusters;
mod program;

use figrs_core::stream;
use figrs_reading::Mistake;

use crate::mdmc::{Corpus, Level, MarkovChain, RowSplits, Structures, Tile};
use clusters::Medoids;

/// A hierarchical `MdMC` (multi-dimensional Markov chain): a level consists of sections of a few columns, a high-level chain draws the kind of each
/// section, and each kind has its own low-level chain of tiles.
///
/// Training finds the kinds by k-medoids clustering of sections, with the share of differing tiles as the distance ([`train`](Self::train)), or takes
/// the styles of the corpus as kinds ([`train_styles`](Self::train_styles)). The kind of a section depends only on the kind of the section before. If
/// no section ever follows a section of some kind in training, the kind after it is drawn from the kinds of all sections.
///
/// # Complexity
///
/// A round of clustering takes time in proportion to the number of cells of a section times `n²`, if the largest kind has `n` distinct sections.
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
/// Hierarchical models are described in Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models"; here whole columns
/// are high-level tiles, and the clustering is that of Park and Jun, "A simple and fast algorithm for K-medoids clustering", Expert Systems with
/// Applications 36(2), 2009.
#[derive(Clone, Debug)]
pub struct HierarchicalChain {
    section: usize,
    /// The weights of the kinds of the first section of a level.
    first: Vec<f64>,
    anywhere: Vec<f64>,
    /// For each kind of section, the weights of the kinds of the next section.
    next: Vec<Vec<f64>>,
    chains: Vec<MarkovChain>,
    medoids: Vec<Vec<Tile>>,
}

impl HierarchicalChain {
    /// Maximum number of columns of a section, and maximum number of kinds.
    pub const MAX: usize = 64;

    /// Clusters the sections of `section` columns of `corpus` into at most `kinds` kinds, with random numbers from the seed `seed`, and counts the
    /// tiles of each kind.
    ///
    /// For the clustering, the last section of a level is filled up with its last column. **Errors.** An error if `section` or `kinds` is 0 or exceeds
    /// [`HierarchicalChain::MAX`]; the errors of [`MarkovChain::train`].
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

    /// Takes the style of a section as its kind, and counts the tiles of each style of `corpus` separately, so that a section does not mix styles.
    ///
    /// A level begins in a style with probability proportional to the number of levels of this style. After each section of `section` columns the style changes
    /// with probability `change`, to another style with probability proportional to its number of sections.
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

    /// Counts the kinds of sections and the tiles of `corpus`, given the kind of each section of each level. The result has no typical sections
    /// (medoids).
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

    /// Returns the number of columns of a section.
    pub fn section(&self) -> usize {
        self.section
    }

    /// Returns the medoids: the most central section of each kind that clustering found, with its tiles row by row.
    pub fn medoids(&self) -> &[Vec<Tile>] {
        &self.medoids
    }

    /// Returns the model with the counts of tiles in each kind [smoothed](MarkovChain::smoothed).
    ///
    /// **Errors.** The errors of [`MarkovChain::smoothed`].
    pub fn smoothed(mut self, added: f64) -> Result<Self, Mistake> {
        let chains = self.chains.into_iter();
        let chains = chains.map(|chain| chain.smoothed(added));
        self.chains = chains.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Returns the Markov chain of tiles of each kind.
    pub fn chains(&self) -> &[MarkovChain] {
        &self.chains
    }

    /// Returns the weights of the kinds of the section after a section of the kind `kind`, or of the first section if `kind` is `None`. If no section
    /// follows a section of the kind `kind` in training, returns the weights of the kinds of all sections.
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
