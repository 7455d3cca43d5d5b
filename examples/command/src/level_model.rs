//! Trained probabilistic models of game levels, with their settings.

use std::sync::Arc;

use clap::ValueEnum;
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, HierarchicalChain, LevelElements, LevelModel, LevelProgram, MarkovChain,
    TileField, TileFieldElements,
};
use serde_json::Value as Json;

use crate::{Failure, chain_settings};

/// A kind of trained model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TrainedModel {
    /// The multi-dimensional Markov chain whose dependency structure --structure gives.
    #[default]
    Chain,
    /// N-grams of --order columns: each column depends on the columns before it.
    NGrams,
    /// A hierarchical model: it draws the kinds of sections (--section columns each, --kinds kinds), and then the tiles given the kind.
    Hierarchical,
    /// A Markov random field of neighbouring tiles.
    Field,
}

impl TrainedModel {
    /// True if the model draws tiles by the dependency structures of Markov chains (the cells on which a tile depends).
    pub fn has_structures(self) -> bool {
        matches!(self, Self::Chain | Self::Hierarchical)
    }

    /// True if the model has separate probability tables for each band of rows.
    pub fn has_bands(self) -> bool {
        self != Self::NGrams
    }

    /// Returns the name of the model on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Settings of the models other than the Markov chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelSettings {
    /// Number of columns in an n-gram.
    pub order: usize,
    /// Number of columns in a section of the hierarchical model.
    pub section: usize,
    /// The kinds of sections of the hierarchical model: clusters or styles.
    pub kinds: SectionKinds,
}

/// The kinds of sections of a hierarchical model: clusters or styles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SectionKinds {
    /// The number of kinds into which the sections of the training levels are clustered.
    Found(usize),
    /// The kinds are the styles of the training levels; at a seam between sections, the style changes with this probability.
    Styles(f64),
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            order: 3,
            section: 4,
            kinds: SectionKinds::default(),
        }
    }
}

impl Default for SectionKinds {
    fn default() -> Self {
        Self::Found(8)
    }
}

impl SectionKinds {
    /// Default probability that the style changes at a seam between sections of a level.
    pub const CHANGE: f64 = 0.2;
}

impl ModelSettings {
    /// Returns the settings, with defaults for settings that are not given; `change` is the probability that the style changes at a seam between
    /// sections.
    pub fn given(
        order: Option<usize>,
        section: Option<usize>,
        kinds: Option<usize>,
        change: Option<f64>,
    ) -> Self {
        let usual = Self::default();
        Self {
            order: order.unwrap_or(usual.order),
            section: section.unwrap_or(usual.section),
            kinds: match (change, kinds) {
                (Some(change), _) => SectionKinds::Styles(change),
                (None, Some(kinds)) => SectionKinds::Found(kinds),
                (None, None) => usual.kinds,
            },
        }
    }

    /// Returns a model of levels with the given number of columns, trained on a corpus or equal to the given trained chain.
    ///
    /// **Errors.** Training fails; the error names the wrong setting.
    pub fn model(
        &self,
        kind: TrainedModel,
        corpus: &Corpus,
        chain: &Arc<MarkovChain>,
        width: usize,
    ) -> Result<LevelModel, Failure> {
        Ok(match kind {
            TrainedModel::Chain => (&LevelElements::new(Arc::clone(chain), width)?).into(),
            TrainedModel::NGrams => (&self.ngrams(corpus, width)?).into(),
            TrainedModel::Hierarchical => (&self.hierarchical(corpus, chain, width)?).into(),
            TrainedModel::Field => (&field(corpus, chain, width)?).into(),
        })
    }

    /// Trains a model of n-grams of columns.
    ///
    /// **Errors.** Training fails.
    pub fn ngrams(&self, corpus: &Corpus, width: usize) -> Result<LevelProgram, Failure> {
        let ngrams = ColumnNGrams::train(corpus, self.order)?;
        Ok(Arc::new(ngrams).program(width)?)
    }

    /// Trains a Markov chain for each kind of section, with the dependency structures, bands of rows and smoothing of `chain`.
    ///
    /// **Errors.** Training fails.
    pub fn hierarchical(
        &self,
        corpus: &Corpus,
        chain: &MarkovChain,
        width: usize,
    ) -> Result<LevelProgram, Failure> {
        let (structures, splits) = (chain.structure_list(), chain.row_splits());
        let trained = match self.kinds {
            SectionKinds::Found(kinds) => {
                HierarchicalChain::train(corpus, structures, splits, self.section, kinds, 0)?
            }
            SectionKinds::Styles(change) => {
                HierarchicalChain::train_styles(corpus, structures, splits, self.section, change)?
            }
        };
        let trained = trained.smoothed(chain.smoothing())?;
        Ok(Arc::new(trained).program(width)?)
    }

    /// Returns the settings from which a model can be reproduced, as JSON, including the settings of the chain.
    pub fn json(&self, kind: TrainedModel, chain: &MarkovChain) -> Vec<(&'static str, Json)> {
        let [structure, smoothing, bands] = chain_settings(chain);
        match kind {
            TrainedModel::Chain => vec![structure, smoothing, bands],
            TrainedModel::NGrams => vec![("order", self.order.into())],
            TrainedModel::Hierarchical => {
                let kinds = match self.kinds {
                    SectionKinds::Found(kinds) => ("kinds", kinds.into()),
                    SectionKinds::Styles(change) => ("style_change", change.into()),
                };
                let section = ("section", self.section.into());
                vec![structure, smoothing, bands, section, kinds]
            }
            TrainedModel::Field => vec![bands],
        }
    }
}

/// Trains a Markov random field of neighbouring tiles, with the bands of rows of a chain.
///
/// **Errors.** Training fails.
pub fn field(
    corpus: &Corpus,
    chain: &MarkovChain,
    width: usize,
) -> Result<TileFieldElements, Failure> {
    let field = TileField::train(corpus, chain.row_splits())?;
    Ok(field.elements(width)?)
}
