//! Marginals as an HTML page.

use figrs::{Bounds, Marginal, printable};
use figrs_command::{probabilities, standard_errors};
use figrs_network::{State, Variable};
use figrs_report::{HtmlPage, PosteriorChart};

use super::picture::NetworkDrawing;
use super::report::Report;

/// Maximum number of variables whose posteriors are drawn as bars.
const BARS: usize = 48;
/// Maximum number of rows in the table of posteriors.
const ROWS: usize = 10_000;

impl Report<'_> {
    /// Returns an HTML page with the answer, the picture of the network, the evidence, and the posteriors as a table and as bars.
    pub(crate) fn html(&self) -> String {
        let file = self.question.options.file.as_deref();
        let name = file.and_then(|file| file.file_name());
        let file = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut page = HtmlPage::new(&format!("{file}, by figrs"));
        page.heading("Found")
            .table(&["what", "value"], self.found());
        self.network(&mut page);
        self.evidence(&mut page);
        self.posteriors(&mut page);
        page.to_string()
    }

    /// Returns the names and the values of the results that are not posteriors.
    fn found(&self) -> Vec<[String; 2]> {
        let (found, network) = (self.findings, &self.question.network);
        let mut rows = vec![[
            "variables".to_owned(),
            network.variables().len().to_string(),
        ]];
        let mut add = |name: &str, value: String| rows.push([name.to_owned(), value]);
        add("tables", network.tables().len().to_string());
        if let Some(evidence) = found.log_evidence {
            add("log-evidence", self.log_evidence(evidence));
        }
        if let Some(Bounds { lower, upper }) = found.evidence_bounds {
            let message = format!("not known: between {lower:.6} and {upper:.6}");
            add("log-evidence", message);
        }
        if let Some(algorithm) = found.algorithm {
            let exact = if self.is_exact() {
                "exact"
            } else {
                "not exact"
            };
            add("algorithm", format!("{algorithm}, {exact}"));
        }
        for (name, seconds) in self.seconds {
            add(&format!("seconds to {name}"), format!("{seconds:.3}"));
        }
        if let Some(reason) = found.stopped {
            add("ended early", reason.message().to_owned());
        }
        rows
    }

    fn network(&self, page: &mut HtmlPage) {
        let question = self.question;
        let network = &question.network;
        let is_all = question.queried.len() == network.variables().len();
        let queried = if is_all { &[] } else { &question.queried[..] };
        let mut drawing = NetworkDrawing::new(network).marked(&question.evidence, queried);
        for (&position, marginal) in question.queried.iter().zip(self.marginals()) {
            let best = marginal.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((state, p)) = best {
                drawing.line(position, state, p);
            }
        }
        let (svg, part) = drawing.svg();
        let caption = "Observed variables are shaded, with their state. Other variables have their most probable state, with its probability. Queried variables \
             have a double border.";
        page.heading("The network").svg(caption, svg);
        if let Some(part) = part {
            page.paragraph(&part);
        }
    }

    fn evidence(&self, page: &mut HtmlPage) {
        let (evidence, network) = (&self.question.evidence, &self.question.network);
        let name = |variable: usize| network.variables()[variable].name().to_owned();
        let observed = evidence.observations().iter();
        let mut rows: Vec<[String; 2]> = observed
            .map(|observed| {
                [
                    name(observed.variable()),
                    observed.state().name().to_owned(),
                ]
            })
            .collect();
        for likelihoods in evidence.likelihoods() {
            let states = network.variables()[likelihoods.variable()].states().iter();
            let weights = states.zip(likelihoods.weights());
            let weights: Vec<String> = weights
                .map(|(state, weight)| format!("{} {weight}", state.name()))
                .collect();
            let message = format!("weights: {}", weights.join(", "));
            rows.push([name(likelihoods.variable()), message]);
        }
        page.heading("Evidence");
        if rows.is_empty() {
            page.paragraph("There is no evidence.");
        } else {
            page.table(&["variable", "state"], rows);
        }
    }

    fn marginals(&self) -> &[Marginal<State>] {
        self.findings.marginals.as_deref().unwrap_or(&[])
    }

    fn posteriors(&self, page: &mut HtmlPage) {
        page.heading("Posteriors");
        let marginals = self.marginals();
        if marginals.is_empty() {
            page.paragraph("No posterior is known.");
            return;
        }
        let rows = self.variables().zip(marginals);
        let rows = rows.flat_map(|(variable, marginal)| self.rows(variable, marginal));
        let rows: Vec<Vec<String>> = rows.take(ROWS + 1).collect();
        let (shown, rest) = rows.split_at(rows.len().min(ROWS));
        let headings: &[&str] = if self.is_estimate() {
            &["variable", "state", "probability", "standard error"]
        } else {
            &["variable", "state", "probability"]
        };
        page.table(headings, shown);
        if !rest.is_empty() {
            page.paragraph(&format!(
                "The table has the first {ROWS} states; --format json has all."
            ));
        }
        let charts = &self.findings.posteriors;
        for posterior in charts.iter().take(BARS) {
            page.svg(&printable(&posterior.target), posterior.to_svg());
        }
        if charts.len() > BARS {
            let count = charts.len();
            page.paragraph(&format!(
                "The bars are for the first {BARS} of {count} variables; --query chooses others."
            ));
        }
    }

    /// Returns a row of the HTML table for each state of a variable.
    fn rows(&self, variable: &Variable, marginal: &Marginal<State>) -> Vec<Vec<String>> {
        let numbers = probabilities(variable, marginal);
        let errors = standard_errors(variable, marginal);
        let states = variable
            .states()
            .iter()
            .zip(numbers.into_iter().zip(errors));
        let row = |(state, (p, error)): (&State, (f64, f64))| {
            let mut row = vec![
                variable.name().to_owned(),
                state.name().to_owned(),
                format!("{p:.6}"),
            ];
            row.extend(self.is_estimate().then(|| format!("{error:.6}")));
            row
        };
        states.map(row).collect()
    }
}
