//! Trained models of levels, with their settings.

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
    /// The multi-dimensional Markov chain of --structure.
    #[default]
    Chain,
    /// Whole columns given the columns before, of --order.
    NGrams,
    /// Kinds of sections, then tiles given the kind, of --section and --kinds.
    Hierarchical,
    /// A Markov random field of neighbouring tiles.
    Field,
}

impl TrainedModel {
    /// True if the model draws tiles by structures, of one chain or of several.
    pub fn has_structures(self) -> bool {
        matches!(self, Self::Chain | Self::Hierarchical)
    }

    /// True if the model is trained in bands of rows.
    pub fn has_bands(self) -> bool {
        self != Self::NGrams
    }

    /// The name on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Settings of the models other than the chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelSettings {
    /// Columns that n-grams look at together.
    pub order: usize,
    /// Columns of a section of the hierarchical model.
    pub section: usize,
    /// Kinds of sections of the hierarchical model.
    pub kinds: SectionKinds,
}

/// Kinds of sections of a hierarchical model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SectionKinds {
    /// This many kinds, found in the training levels.
    Found(usize),
    /// The styles of the training levels, which change at a seam with this probability.
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
    /// The probability that styles change, if none is given.
    pub const CHANGE: f64 = 0.2;
}

impl ModelSettings {
    /// The given settings, and defaults for the others; `change` is the probability that styles change, if there are styles.
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

    /// A model of levels with this many columns, trained on the levels of a corpus or given by the chain that was trained on them.
    ///
    /// **Errors.** Those of training, with the setting that is wrong.
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

    /// N-grams of columns.
    ///
    /// **Errors.** Those of training.
    pub fn ngrams(&self, corpus: &Corpus, width: usize) -> Result<LevelProgram, Failure> {
        let ngrams = ColumnNGrams::train(corpus, self.order)?;
        Ok(Arc::new(ngrams).program(width)?)
    }

    /// A chain for each kind of sections, with the structures, bands and smoothing of a chain.
    ///
    /// **Errors.** Those of training.
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

    /// The settings in JSON that reproduce a model, with those of the chain.
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

/// A Markov random field of neighbouring tiles, with the bands of a chain.
///
/// **Errors.** Those of training.
pub fn field(
    corpus: &Corpus,
    chain: &MarkovChain,
    width: usize,
) -> Result<TileFieldElements, Failure> {
    let field = TileField::train(corpus, chain.row_splits())?;
    Ok(field.elements(width)?)
}
