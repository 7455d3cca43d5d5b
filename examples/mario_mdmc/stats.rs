//! Measures of many levels of each method, side by side.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use figrs::models::mdmc::{Diversity, Level, ReferenceCorpus};
use figrs_command::{Failure, in_file, note, replace, stop};
use serde_json::{Map, Value, json};

use crate::generator::Trained;
use crate::options::{Format, Options};
use crate::ordered::{Wanted, in_order};

/// The mean of some numbers and its standard error, taken in one by one (Welford 1962).
#[derive(Default)]
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

    /// `None` for fewer than two numbers.
    fn standard_error(&self) -> Option<f64> {
        let variance = self.squares / (self.count - 1.0);
        (self.count > 1.0).then(|| (variance / self.count).sqrt())
    }
}

/// The measures of the levels of one method.
pub(crate) struct Column {
    name: String,
    pub(crate) levels: u64,
    means: Vec<(&'static str, Mean)>,
    diversity: Option<f64>,
}

impl Column {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            levels: 0,
            means: Vec::new(),
            diversity: None,
        }
    }

    /// The measures of the training levels.
    pub(crate) fn of_corpus(trained: &Trained, yardstick: &ReferenceCorpus) -> Self {
        let mut column = Self::new("corpus".to_owned());
        for level in trained.corpus.levels() {
            column.add(measures(yardstick, level, trained.chain.unseen(level)));
        }
        column
    }

    pub(crate) fn add(&mut self, measures: impl IntoIterator<Item = (&'static str, f64)>) {
        self.levels += 1;
        for (place, (name, value)) in measures.into_iter().enumerate() {
            if place == self.means.len() {
                self.means.push((name, Mean::default()));
            }
            self.means[place].1.add(value);
        }
    }

    /// The name, and the number of levels.
    pub(crate) fn heading(&self) -> String {
        format!("{} ({})", self.name, self.levels)
    }

    /// For each measure its name, and the mean and its standard error of each column.
    pub(crate) fn rows(columns: &[&Self]) -> Vec<Vec<String>> {
        let names = columns.first().map_or(&[][..], |first| &first.means);
        let row = |(place, (name, _)): (usize, &(&str, Mean))| {
            let means = columns.iter().filter_map(|column| column.means.get(place));
            let cell = |(_, mean): &(&str, Mean)| match mean.standard_error() {
                Some(error) => format!("{:.4} ± {error:.4}", mean.value),
                None => format!("{:.4} ± -", mean.value),
            };
            [(*name).to_owned()]
                .into_iter()
                .chain(means.map(cell))
                .collect()
        };
        names.iter().enumerate().map(row).collect()
    }

    fn as_json(&self) -> Value {
        let mut measures = Map::new();
        for (name, mean) in &self.means {
            let value = json!({"mean": mean.value, "standard_error": mean.standard_error()});
            measures.insert((*name).to_owned(), value);
        }
        json!({
            "method": self.name,
            "levels": self.levels,
            "measures": measures,
            "diversity": self.diversity,
        })
    }
}

/// The measures of a level, by name.
pub(crate) fn measures(
    yardstick: &ReferenceCorpus,
    level: &Level,
    unseen: usize,
) -> impl Iterator<Item = (&'static str, f64)> + use<> {
    let seen = f64::from(u8::from(unseen == 0));
    let own = [
        ("columns", level.width() as f64),
        ("unseen", unseen as f64),
        ("all seen", seen),
    ];
    own.into_iter().chain(yardstick.measure(level).named())
}

/// Measures levels of each method and of the corpus, and writes the table.
pub(crate) fn write(options: &Options, trained: &Arc<Trained>) -> Result<(), Failure> {
    let yardstick = Arc::new(ReferenceCorpus::new(&trained.corpus));
    let wanted = options.stats.unwrap_or_default();
    let mut columns = vec![Column::of_corpus(trained, &yardstick)];
    for (place, method) in options.methods.iter().enumerate() {
        let mut column = Column::new(method.name());
        let mut diversity = Diversity::new();
        let mut drawing = Duration::ZERO;
        let (drawn, yardstick) = (Arc::clone(trained), Arc::clone(&yardstick));
        let work = move |numbers| -> Result<Vec<_>, Failure> {
            let started = Instant::now();
            let made = drawn.levels(place, numbers)?;
            let elapsed = started.elapsed() / made.len().max(1) as u32;
            let measured = made.into_iter().map(|made| {
                let measures: Vec<_> = measures(&yardstick, &made.level, made.unseen).collect();
                (made.level, measures, elapsed)
            });
            Ok(measured.collect())
        };
        let numbers = Wanted {
            count: wanted,
            kept: BTreeSet::new(),
            batch: trained.batch(place),
        };
        let count = in_order(options, numbers, work, |_, (level, measures, elapsed)| {
            column.add(measures);
            drawing += elapsed;
            Ok(diversity.add(&level)?)
        });
        let count = match count {
            // The methods before are told.
            Err(_) if stop::is_set() && place > 0 => break,
            count => count?,
        };
        column.diversity = diversity.mean_distance();
        let milliseconds = drawing.as_secs_f64() * 1e3 / count as f64;
        note(format!("{}: {milliseconds:.3} ms a level", column.name));
        columns.push(column);
    }
    let drawn = &columns[1..];
    let is_all = drawn.len() == options.methods.len();
    let is_all = is_all && drawn.iter().all(|column| column.levels == wanted);
    let stopped = stop::reason().filter(|_| !is_all);
    if let Some(reason) = stopped {
        note(format!(
            "note: {}; these are the levels by then",
            reason.told()
        ));
    }
    let text = match options.format() {
        Format::Json => {
            let columns: Vec<Value> = columns.iter().map(Column::as_json).collect();
            let mut told = json!({"seed": trained.seed, "width": trained.size().1, "height": trained.size().0, "methods": columns});
            if let Some(reason) = stopped {
                told["stopped"] = reason.name().into();
            }
            format!("{told}\n")
        }
        _ => table(&columns),
    };
    let put = |out: &mut dyn Write, place: &Path| {
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| in_file(place, error))
    };
    match &options.out {
        Some(path) => replace(path, |out| put(out, path)),
        None => put(&mut io::stdout().lock(), Path::new("the standard output")),
    }
}

/// One row a measure, one column a method, each the mean and its standard error.
fn table(columns: &[Column]) -> String {
    let mut text = row("mean ± s.e.", columns.iter().map(Column::heading));
    for cells in Column::rows(&columns.iter().collect::<Vec<_>>()) {
        text += &row(&cells[0], cells[1..].iter().cloned());
    }
    let diversities = columns.iter().map(|column| column.diversity);
    let cells = diversities.map(|d| d.map_or_else(|| "-".to_owned(), |d| format!("{d:.4}")));
    text + &row("diversity", cells)
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| format!("{cell:>20}")).collect();
    format!("{name:<14}{}\n", cells.concat())
}
