//! The trained model that a request draws from.

use clap::ValueEnum;
use figrs_command::Flag;
use figrs_command::level_model::{ModelSettings, SectionKinds, TrainedModel};
use figrs_models::mdmc::LevelModel;
use serde_json::Value as Json;

use super::request::LevelRequest;
use super::training::Trained;
use crate::problem::Problem;

/// A kind of model with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChosenModel {
    kind: TrainedModel,
    settings: ModelSettings,
}

impl ChosenModel {
    /// Returns the model that a request names, or the Markov chain by default.
    ///
    /// **Errors.** The name is unknown, or a setting belongs to another model.
    pub(super) fn of(request: &LevelRequest) -> Result<Self, Problem> {
        let kind = match &request.trained {
            Some(name) => TrainedModel::from_str(name, false).map_err(|_| {
                let all = TrainedModel::value_variants().iter();
                let all: Vec<String> = all.map(|kind| kind.name()).collect();
                let trained = Flag("trained");
                Problem::wrong(format!(
                    "{trained} {name:?}: write one of {}",
                    all.join(", ")
                ))
            })?,
            None => TrainedModel::default(),
        };
        let (hierarchical, styles) = (TrainedModel::Hierarchical, !request.style.is_empty());
        for (field, is_given, model) in [
            ("order", request.order.is_some(), TrainedModel::NGrams),
            ("section", request.section.is_some(), hierarchical),
            ("kinds", request.kinds.is_some(), hierarchical),
            ("style", styles, hierarchical),
        ] {
            if is_given && kind != model {
                let (field, trained) = (Flag(field), Flag("trained"));
                let message = format!("{field} needs {trained} {:?}", model.name());
                return Err(Problem::wrong(message));
            }
        }
        if styles && request.kinds.is_some() {
            let (kinds, style) = (Flag("kinds"), Flag("style"));
            return Err(Problem::wrong(format!(
                "{kinds} and {style}: give one of them"
            )));
        }
        if request.style_change.is_some() && !styles {
            let (change, style) = (Flag("style-change"), Flag("style"));
            return Err(Problem::wrong(format!("{change} needs {style}")));
        }
        let change = request.style_change.unwrap_or(SectionKinds::CHANGE);
        let change = styles.then_some(change);
        let settings = ModelSettings::given(request.order, request.section, request.kinds, change);
        Ok(Self { kind, settings })
    }

    /// Trains the model of levels with this many columns.
    ///
    /// **Errors.** Training fails.
    pub(super) fn train(&self, trained: &Trained, width: usize) -> Result<LevelModel, Problem> {
        let model = self
            .settings
            .model(self.kind, &trained.corpus, &trained.chain, width);
        Ok(model?)
    }

    /// Returns the settings as JSON, with the name of a model other than the chain.
    pub(super) fn json(&self, trained: &Trained) -> Vec<(&'static str, Json)> {
        let name = ("trained", Json::from(self.kind.name()));
        let named = (self.kind != TrainedModel::default()).then_some(name);
        let settings = self.settings.json(self.kind, &trained.chain);
        named.into_iter().chain(settings).collect()
    }
}
