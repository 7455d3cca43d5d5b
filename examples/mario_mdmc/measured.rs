//! Measures of the levels of a method, of the training set, or of a directory.

use figrs_design::{LevelMetrics, ReferenceCorpus};
use serde_json::{Map, Value, json};

use crate::generator::Trained;

/// The mean of some numbers and its standard error, updated with each number (Welford 1962).
#[derive(Clone, Default)]
struct Mean {
    count: f64,
    value: f64,
    squares: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.value;
        self.value += before / self.count;
        self.squares += before * (value - self.value);
    }

    /// Returns the mean; `None` without numbers, as for measures that are not applicable.
    fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then_some(self.value)
    }

    /// Returns the standard error of the mean; `None` for fewer than two numbers.
    fn standard_error(&self) -> Option<f64> {
        let variance = self.squares / (self.count - 1.0);
        (self.count > 1.0).then(|| (variance / self.count).sqrt())
    }
}

/// The measures of the levels of a method, of the training set, or of a directory, as one column of a table.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) levels: u64,
    means: Vec<(&'static str, Mean)>,
    /// For the difficulty and each of its components, the mean in each section of the levels.
    profile: Vec<(&'static str, Vec<Mean>)>,
    pub(crate) diversity: Option<f64>,
}

/// The measures of one level.
pub(crate) struct Measured {
    columns: usize,
    /// The number of neighbourhoods that never occurred in training; `None` if the level has another height than the trained chain.
    unseen: Option<usize>,
    metrics: LevelMetrics,
}

impl Measured {
    pub(crate) fn new(columns: usize, unseen: Option<usize>, metrics: LevelMetrics) -> Self {
        Self {
            columns,
            unseen,
            metrics,
        }
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> {
        let seen = self.unseen.map(|unseen| f64::from(u8::from(unseen == 0)));
        let own = [
            ("columns", Some(self.columns as f64)),
            ("unseen", self.unseen.map(|unseen| unseen as f64)),
            ("all seen", seen),
        ];
        own.into_iter().chain(self.metrics.named())
    }
}

impl Column {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            levels: 0,
            means: Vec::new(),
            profile: Vec::new(),
            diversity: None,
        }
    }

    /// Returns the measures of the training levels.
    pub(crate) fn of_corpus(trained: &Trained, yardstick: &ReferenceCorpus) -> Self {
        let mut column = Self::new("corpus".to_owned());
        let measured = yardstick.measure_corpus(&trained.corpus);
        for (level, metrics) in trained.corpus.levels().iter().zip(measured) {
            let unseen = Some(trained.chain.unseen(level));
            column.add(&Measured::new(level.width(), unseen, metrics));
        }
        column
    }

    pub(crate) fn add(&mut self, measured: &Measured) {
        self.levels += 1;
        for (place, (name, value)) in measured.named().enumerate() {
            if place == self.means.len() {
                self.means.push((name, Mean::default()));
            }
            if let Some(value) = value {
                self.means[place].1.add(value);
            }
        }
        let profile = &measured.metrics.profile;
        let lines = [("difficulty", profile.difficulty())].into_iter();
        for (place, (name, values)) in lines.chain(profile.parts()).enumerate() {
            if place == self.profile.len() {
                let none = vec![Mean::default(); values.len()];
                self.profile.push((name, none));
            }
            for (mean, value) in self.profile[place].1.iter_mut().zip(values) {
                if let Some(value) = value {
                    mean.add(value);
                }
            }
        }
    }

    /// Returns the heading of the table column: the name of the method or the set, and the number of levels.
    pub(crate) fn heading(&self) -> String {
        format!("{} ({})", self.name, self.levels)
    }

    /// Returns the mean difficulty of each section; `None` where difficulty is not applicable.
    pub(crate) fn difficulty(&self) -> Vec<Option<f64>> {
        let difficulty = self.profile.first();
        let means = difficulty.map_or(&[][..], |(_, means)| means);
        means.iter().map(Mean::mean).collect()
    }

    /// Returns for each measure its name, and the mean and its standard error in each column; `-` marks a missing value. The table leaves out
    /// movements that are not applicable to the tiles.
    pub(crate) fn rows(columns: &[&Self]) -> Vec<Vec<String>> {
        let names = columns.first().map_or(&[][..], |first| &first.means);
        let row = |(place, (name, _)): (usize, &(&str, Mean))| {
            let means = columns.iter().filter_map(|column| column.means.get(place));
            let cell = |(_, mean): &(&str, Mean)| match (mean.mean(), mean.standard_error()) {
                (Some(mean), Some(error)) => format!("{mean:.4} ± {error:.4}"),
                (Some(mean), None) => format!("{mean:.4} ± -"),
                (None, _) => "-".to_owned(),
            };
            [(*name).to_owned()]
                .into_iter()
                .chain(means.map(cell))
                .collect()
        };
        let rows = names.iter().enumerate();
        let applies = |(_, (name, mean)): &(usize, &(&str, Mean))| {
            mean.count > 0.0 || !LevelMetrics::UNDER.contains(name)
        };
        rows.filter(applies).map(row).collect()
    }

    pub(crate) fn as_json(&self) -> Value {
        let mut measures = Map::new();
        for (name, mean) in &self.means {
            let value = json!({"mean": mean.mean(), "standard_error": mean.standard_error()});
            measures.insert((*name).to_owned(), value);
        }
        let mut profile = Map::new();
        for (name, means) in &self.profile {
            let values = means.iter().map(Mean::mean);
            profile.insert((*name).to_owned(), values.collect::<Vec<_>>().into());
        }
        json!({
            "method": self.name,
            "levels": self.levels,
            "measures": measures,
            "diversity": self.diversity,
            "profile": profile,
        })
    }
}
