//! Answers as text, JSON and pictures.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use figrs_command::{Failure, stop::Reason};
use figrs_command::{as_json, in_file, note, replace, replace_text};
use figrs_models::picture::Image;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json, json};

use super::findings::{Findings, Stats};
use super::options::{Format, Options};
use super::puzzle::Puzzle;

/// The answer to a task about a puzzle, written as text, JSON or pictures.
pub(crate) struct Report<'a, P: Puzzle> {
    pub(crate) puzzle: &'a P,
    pub(crate) options: &'a Options,
    pub(crate) findings: &'a Findings<P::Board>,
    pub(crate) stats: Option<&'a Stats>,
    /// The reason that the answer is incomplete; `None` if the answer is complete.
    pub(crate) stopped: Option<Reason>,
}

/// R-hat above which the report says that the chains differ.
const MOST_R_HAT: f64 = 1.05;

/// Boards of Markov chains are reported as independent if the ratio of effective boards to drawn boards is at least this number.
const INDEPENDENT: f64 = 0.9;

/// The JSON key of the drawn boards.
const BOARDS: &str = "puzzles";

/// The drawn boards, converted to JSON one by one to save memory.
struct Boards<'a, P: Puzzle>(&'a Report<'a, P>);

impl<P: Puzzle> Serialize for Boards<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let boards = self.0.findings.boards.iter();
        serializer.collect_seq(boards.map(|board| self.0.puzzle.json(board)))
    }
}

impl<P: Puzzle> Serialize for Report<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.json();
        let mut map = serializer.serialize_map(Some(all.len()))?;
        for (name, value) in &all {
            if name == BOARDS {
                map.serialize_entry(name, &Boards(self))?;
            } else {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

impl<P: Puzzle> Report<'_, P> {
    /// Writes the answer to the file of --out or the standard output.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        if let Some(path) = &self.options.out {
            replace(path, |out| self.write_to(out, path))?;
        } else {
            let place = Path::new("the standard output");
            self.write_to(&mut figrs_command::standard_output(), place)?;
        }
        match &self.options.report {
            Some(path) => replace_text(path, &self.html()?),
            None => Ok(()),
        }
    }

    fn write_to(&self, out: &mut dyn Write, place: &Path) -> Result<(), Failure> {
        let mut out = io::BufWriter::new(out);
        let written = match self.options.format() {
            Format::Text => self.text(&mut out),
            Format::Json => serde_json::to_writer(&mut out, self)
                .map_err(io::Error::from)
                .and_then(|()| writeln!(out)),
            Format::Png => self.page()?.write_png(
                &mut out,
                &[
                    ("Software", concat!("figrs ", env!("CARGO_PKG_VERSION"))),
                    ("puzzle", P::KIND),
                    ("seed", &self.options.seed().to_string()),
                ],
            ),
        };
        written
            .and_then(|()| out.flush())
            .map_err(|error| in_file(place, error))
    }

    /// Writes the method and the cost of drawing boards to the standard error.
    pub(crate) fn tell_how(&self) {
        let (found, options) = (self.findings, self.options);
        let r_hat = found.diagnostics.iter().find(|(name, _)| *name == "r-hat");
        if let Some(&(_, r_hat)) = r_hat {
            if r_hat.is_nan() {
                note(
                    "note: the chains ended too early to be compared; the boards may still be close to the starting boards; allow more --time",
                );
            } else if r_hat > MOST_R_HAT {
                note(format!(
                    "note: r-hat is above {MOST_R_HAT}: the chains still differ, so the boards may not have their exact probabilities"
                ));
            }
        }
        let boards = found.boards.len();
        if let Some(effective) = found.effective()
            && effective < INDEPENDENT * boards as f64
        {
            note(format!(
                "note: boards of one chain depend on each other: these {boards} boards are worth about {effective:.0} independent boards"
            ));
        }
        let diagnostics = found.diagnostics.iter();
        let diagnostics: String = diagnostics
            .filter(|(_, value)| value.is_finite())
            .flat_map(|(name, value)| [", ".into(), format!("{name} {value:.4}")])
            .collect();
        let of = match self.stopped {
            Some(reason) if found.boards.len() == options.count() => {
                format!(" (ended early: {})", reason.message())
            }
            Some(reason) => format!(" of {} ({})", options.count(), reason.message()),
            None => String::new(),
        };
        let differ = match self.distinct() {
            all if all == found.boards.len() => String::new(),
            some => format!(" ({some} distinct; independent draws may repeat a board)"),
        };
        note(format!(
            "seed {}, method {}, boards {}{of}{differ}{diagnostics}, compile {:.3} s, sample {:.3} s",
            options.seed(),
            found.method,
            found.boards.len(),
            found.compile,
            found.sample
        ));
    }

    /// Returns the number of distinct boards drawn.
    fn distinct(&self) -> usize {
        self.findings.boards.iter().collect::<HashSet<_>>().len()
    }

    /// Returns all boards that the answer shows.
    pub(crate) fn boards(&self) -> impl Iterator<Item = &P::Board> {
        let found = self.findings;
        let solution = found.solution.as_ref().map(|(board, _)| board);
        found
            .boards
            .iter()
            .chain(&found.most_likely)
            .chain(solution)
    }

    fn page(&self) -> Result<Image, Failure> {
        let pictures = self.boards().map(|board| self.puzzle.picture(board));
        let mut pictures = pictures.collect::<Result<Vec<_>, _>>()?;
        match pictures.len() {
            1 => Ok(pictures.remove(0)),
            _ => Ok(Image::sheet(&pictures)?),
        }
    }

    /// Returns the answer as JSON with an empty list of drawn boards.
    fn json(&self) -> Map<String, Json> {
        let (found, size) = (self.findings, self.puzzle.size());
        let mut object = Map::new();
        let mut put = |name: &str, value: Json| object.insert(name.into(), value);
        put("system", "figrs".into());
        put("puzzle", P::KIND.into());
        if size.rows() == size.columns() {
            put("n", size.rows().into());
        }
        put("rows", size.rows().into());
        put("columns", size.columns().into());
        put("method", found.method.into());
        let board = |board| self.puzzle.json(board);
        if !found.boards.is_empty() {
            put("seed", self.options.seed().into());
            put("distinct", self.distinct().into());
            put(BOARDS, Json::Null);
        }
        if let Some(count) = &found.count {
            put("count", count.as_str().into());
        }
        if let Some(solution) = &found.most_likely {
            put("most_likely", board(solution));
        }
        if let Some((solution, is_unique)) = &found.solution {
            put("solution", board(solution));
            put("unique", (*is_unique).into());
        }
        if let Some(log) = found.log_probability {
            put("probability", as_json(log.exp()));
            put("log_probability", as_json(log));
        }
        if let Some(marginals) = &found.marginals {
            let cell = |cell: &Vec<(&'static str, f64)>| {
                let values = cell.iter();
                Json::Object(values.map(|&(name, p)| (name.into(), as_json(p))).collect())
            };
            let rows = marginals.chunks(size.columns());
            put(
                "marginals",
                rows.map(|row| row.iter().map(cell).collect::<Json>())
                    .collect(),
            );
        }
        // If the work ended early, some of these values are unknown.
        let known = found
            .diagnostics
            .iter()
            .filter(|(_, value)| value.is_finite());
        let known: Map<_, _> = known
            .map(|&(name, value)| (name.into(), as_json(value)))
            .collect();
        if !known.is_empty() {
            put("diagnostics", Json::Object(known));
        }
        if let Some(stats) = self.stats {
            put("stats", stats_json(stats));
        }
        if let Some(cost) = &found.cost {
            put("cost", json!({"states": cost.states, "bytes": cost.bytes}));
        }
        if let Some(reason) = self.stopped {
            put("stopped", reason.name().into());
        }
        put(
            "seconds",
            json!({"compile": found.compile, "sample": found.sample}),
        );
        object
    }

    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let found = self.findings;
        if let Some(stats) = self.stats {
            stats_text(out, stats)?;
        } else {
            for (number, board) in self.boards().enumerate() {
                if number > 0 {
                    writeln!(out)?;
                }
                write!(out, "{}", self.puzzle.text(board))?;
            }
        }
        if let Some(count) = &found.count {
            writeln!(out, "{count}")?;
        }
        if let Some((_, is_unique)) = &found.solution {
            let message = if *is_unique {
                "the only one"
            } else {
                "one of several"
            };
            writeln!(out, "{message}")?;
        }
        if let Some(log) = found.log_probability {
            writeln!(
                out,
                "probability {:.6e}, log-probability {log:.6}",
                log.exp()
            )?;
        }
        if let Some(marginals) = &found.marginals {
            for (name, rows) in self.shares(marginals) {
                writeln!(out, "{name}")?;
                for row in rows {
                    writeln!(out, "  {}", row.join(" "))?;
                }
            }
        }
        Ok(())
    }

    /// Returns, for each value that cells can have, its name and its probability in each cell, row by row.
    pub(crate) fn shares(
        &self,
        marginals: &[Vec<(&'static str, f64)>],
    ) -> Vec<(&'static str, Vec<Vec<String>>)> {
        let mut names: Vec<&str> = marginals.iter().flatten().map(|&(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        let share = |cell: &Vec<(&str, f64)>, name| {
            let found = cell.iter().find(|(other, _)| *other == name);
            format!("{:.3}", found.map_or(0.0, |(_, p)| *p))
        };
        let row =
            |row: &[Vec<(&str, f64)>], name| row.iter().map(|cell| share(cell, name)).collect();
        let rows = |name| {
            marginals
                .chunks(self.puzzle.size().columns())
                .map(|cells| row(cells, name))
                .collect()
        };
        names.into_iter().map(|name| (name, rows(name))).collect()
    }
}

fn stats_json(stats: &Stats) -> Json {
    let scores = stats.scores.iter().map(|score| {
        let summary = json!({
            "pairs": score.pairs, "min": as_json(score.min), "median": as_json(score.median),
            "mean": as_json(score.mean), "max": as_json(score.max),
        });
        (score.reading.into(), summary)
    });
    let tests = stats.tests.iter().map(|test| {
        let message = json!({"statistic": as_json(test.statistic), "p_value": as_json(test.p_value), "about": test.about});
        (test.name.into(), message)
    });
    let mut all = json!({"variation": Json::Object(scores.collect()), "tests": Json::Object(tests.collect())});
    if let Some(effective) = stats.effective {
        all["effective_boards"] = as_json(effective);
    }
    all
}

fn stats_text(out: &mut impl Write, stats: &Stats) -> io::Result<()> {
    for score in &stats.scores {
        writeln!(
            out,
            "variation {:<29} mean {:.4}, median {:.4}, from {:.4} to {:.4} over {} pairs",
            score.reading, score.mean, score.median, score.min, score.max, score.pairs
        )?;
    }
    if let Some(effective) = stats.effective {
        writeln!(out, "effective boards {effective:.1}")?;
    }
    for test in &stats.tests {
        writeln!(
            out,
            "test      {:<29} p = {:.4}, statistic {:.3}: {}",
            test.name, test.p_value, test.statistic, test.about
        )?;
    }
    Ok(())
}
