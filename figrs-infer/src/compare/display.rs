//! Writes comparisons as text.

use std::fmt;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use super::comparison::Comparison;
use super::row::ComparisonRow;
use super::verdict::Verdict;

impl Comparison {
    /// The column headings of the table in a comparison's text. The first and the last column of the table contain text, the other columns numbers.
    pub const HEADINGS: [&str; 10] = [
        "algorithm",
        "answer",
        "error",
        "SE",
        "off by SE",
        "ESS",
        "ESS/s",
        "time",
        "memory",
        "verdict",
    ];

    /// Returns the lines above the table: the name of the compared quantity in the table, and the exact answer if it is known.
    pub fn heading(&self) -> String {
        let shown = self.shown().map(|at| (at, &self.estimands[at].name));
        let question = match (shown, self.estimands.len()) {
            (Some((_, name)), 1) => format!("answer: {name}"),
            (Some((_, name)), count) => {
                format!("answer: {name}; error: the largest of {count} numbers")
            }
            (None, _) => "no numbers to compare".into(),
        };
        let exact = match (&self.exact, shown) {
            (Some(exact), Some((at, _))) => {
                let (value, by) = (number(exact.values[at]), &exact.algorithm);
                format!("exact: {value} ({by}, {})", time(exact.seconds))
            }
            _ => "no exact answer is known".into(),
        };
        let best = self.best_log_probability;
        let best = best.map(|best| format!("; most probable world: log-probability {best:.6}"));
        format!("{question}\n{exact}{}", best.unwrap_or_default())
    }

    /// Returns the cells of the row `row` in the table of a comparison, in the order of [`HEADINGS`](Self::HEADINGS).
    pub fn cells(&self, row: &ComparisonRow) -> [String; 10] {
        let shown = self.shown().and_then(|at| row.values.get(at));
        let answer = match (row.log_probability, shown) {
            (Some(log), _) => format!("log p {log:.6}"),
            (None, Some(&value)) => number(value),
            (None, None) => String::new(),
        };
        let cell =
            |value: Option<f64>, text: fn(f64) -> String| value.map(text).unwrap_or_default();
        [
            row.algorithm.clone(),
            answer,
            cell(row.error, |x| format!("{x:.1e}")),
            cell(row.standard_error, |x| format!("{x:.1e}")),
            cell(row.deviation, |x| format!("{x:.1}")),
            cell(row.effective_samples, |x| format!("{x:.0}")),
            cell(row.effective_samples_per_second, |x| format!("{x:.1e}")),
            time(row.seconds),
            row.memory.map(bytes).unwrap_or_default(),
            verdict(row),
        ]
    }

    /// Returns the conclusions of the comparison, one sentence on each line.
    pub fn conclusion(&self) -> Vec<String> {
        let with = |verdict: Verdict, detail: fn(&ComparisonRow) -> String| {
            let rows = self.rows.iter().filter(|row| row.verdict == verdict);
            let rows: Vec<String> = rows
                .map(|row| row.algorithm.clone() + &detail(row))
                .collect();
            rows
        };
        let off = |row: &ComparisonRow| match (row.error, row.deviation) {
            (Some(error), Some(deviation)) => {
                format!(" (off by {error:.1e}, {deviation:.1} standard errors)")
            }
            (Some(error), None) => format!(" (off by {error:.1e})"),
            _ => String::new(),
        };
        let why = |row: &ComparisonRow| {
            let message = row.message.as_ref();
            message.map_or_else(String::new, |message| format!(": {message}"))
        };
        let mut lines = Vec::new();
        for (text, rows) in [
            (
                "agree with the exact answer",
                with(Verdict::Agrees, |_| String::new()),
            ),
            (
                "within 3 standard errors of it",
                with(Verdict::WithinThree, |_| String::new()),
            ),
            (
                "between 3 and 5 standard errors off",
                with(Verdict::WithinFive, off),
            ),
            ("WRONG", with(Verdict::Wrong, off)),
            (
                "the error has no known bound, so closeness to the exact answer is weak evidence",
                with(Verdict::UnknownError, off),
            ),
            ("approximations", with(Verdict::Approximate, off)),
            ("not judged", with(Verdict::Unjudged, |_| String::new())),
        ] {
            if !rows.is_empty() {
                lines.push(format!("{text}: {}", rows.join(", ")));
            }
        }
        lines.extend(self.findings());
        lines.extend(self.counted_samples());
        lines.extend(self.not_applicable());
        let silent = with(Verdict::NoAnswer, why).into_iter();
        lines.extend(silent.map(|row| format!("no answer of {row}")));
        if let Some(row) = self.fastest_exact() {
            lines.push(format!(
                "fastest exact: {}, {}",
                row.algorithm,
                time(row.seconds)
            ));
        }
        if let Some(row) = self.best_sampler() {
            let rate = row.effective_samples_per_second.unwrap_or(0.0);
            let name = &row.algorithm;
            lines.push(format!(
                "most effective samples per second: {name}, {rate:.1e}"
            ));
        }
        lines
    }

    fn findings(&self) -> impl Iterator<Item = String> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.verdict != Verdict::Approximate);
        rows.filter_map(|row| {
            let (first, others) = row.findings.split_first()?;
            let more = match others.len() {
                0 => String::new(),
                count => format!(" (and {count} more from `diagnose`)"),
            };
            Some(format!("{}: {first}{more}", row.algorithm))
        })
    }

    /// Returns a text that names, for each effective sample size in the table, the target to which it belongs; `None` if there is only one target.
    fn counted_samples(&self) -> Option<String> {
        if self.targets.len() < 2 {
            return None;
        }
        let of = self.rows.iter().filter_map(|row| {
            let target = row.effective_of.as_ref()?;
            Some(format!("{} of {target}", row.algorithm))
        });
        let of: Vec<String> = of.collect();
        (!of.is_empty()).then(|| format!("ESS is the smallest over the targets: {}", of.join(", ")))
    }

    /// Returns one line for each reason why some algorithms cannot be applied to the model; the line names these algorithms.
    fn not_applicable(&self) -> Vec<String> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.verdict == Verdict::NotApplicable);
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in rows {
            let reason = row.message.as_deref().unwrap_or_default();
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(&row.algorithm),
                None => reasons.push((reason, vec![&row.algorithm])),
            }
        }
        let line = |(reason, names): (&str, Vec<&str>)| {
            format!("not applicable: {}: {reason}", names.join(", "))
        };
        reasons.into_iter().map(line).collect()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.heading())?;
        let mut table = Table::new();
        table
            .load_style(UTF8_BORDERS_ONLY)
            .set_header(Self::HEADINGS);
        for row in &self.rows {
            table.add_row(self.cells(row));
        }
        for column in table
            .column_iter_mut()
            .take(Self::HEADINGS.len() - 1)
            .skip(1)
        {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if !self.rows.is_empty() {
            writeln!(f, "{}", table.trim_fmt())?;
        }
        for line in self.conclusion() {
            writeln!(f, "{line}")?;
        }
        self.plot(f)
    }
}

fn verdict(row: &ComparisonRow) -> String {
    let mut text = row.verdict.text().to_owned();
    if row.checked {
        text += ", checked";
    }
    if let (Some(message), true) = (&row.message, row.answer.is_some()) {
        text = format!("{text}, {message}");
    }
    text
}

/// Returns `value` as text, with six digits after the decimal point or, if `value` is very small or large, six significant digits.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) || !size.is_finite() {
        format!("{value:.6}")
    } else {
        format!("{value:.5e}")
    }
}

pub(super) fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} µs", seconds * 1e6),
        _ if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

fn bytes(count: u64) -> String {
    let count = count as f64;
    match count {
        _ if count < 1e3 => format!("{count} B"),
        _ if count < 1e6 => format!("{:.1} kB", count / 1e3),
        _ if count < 1e9 => format!("{:.1} MB", count / 1e6),
        _ => format!("{:.1} GB", count / 1e9),
    }
}
