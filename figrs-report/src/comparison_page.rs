//! Writes a comparison of algorithms as an HTML page.

use figrs_core::graph::ModelGraph;
use figrs_core::{AnyElement, Parents};
use figrs_infer::{Comparison, ComparisonRow, JunctionTree, Limits, Verdict};

use crate::charts::chains::{ranks, trace};
use crate::charts::curves::curves;
use crate::{ChartError, Drawable, HtmlPage, PosteriorChart};

/// Maximum number of targets whose posteriors the page shows, and maximum number of answers whose Markov chains it shows.
const PICTURES: usize = 12;
/// A page shows the elimination tree only if compiling the model takes fewer operations than this.
const OPERATIONS: f64 = 1e8;

struct TargetList<'a>(&'a [AnyElement]);

impl Parents for TargetList<'_> {
    type Arguments = ();

    fn elements(&self) -> Vec<AnyElement> {
        self.0.to_vec()
    }
}

/// Draws a comparison of algorithms as an HTML page, and its error curves as a chart.
pub trait ComparisonPage {
    /// Returns the error curves of the compared algorithms as an SVG document: the largest error of each run against its running time, on logarithmic
    /// axes.
    ///
    /// **Errors.** [`ChartError::Empty`] if no point of the error curves has a time and an error above zero.
    fn curves_svg(&self) -> Result<String, ChartError>;

    /// Returns the comparison of algorithms as a self-contained HTML page with embedded SVG pictures: the page has no scripts and needs no other
    /// files.
    ///
    /// The page contains the table of the comparison with its conclusions, the error curves, the posteriors of at most twelve targets, the graph of
    /// the model and the elimination tree. For each answer that keeps the draws of several Markov chains, the page contains a trace plot and a rank
    /// plot. The page lists the settings that were passed to it, with their names. If a picture cannot be drawn, the page states the reason instead.
    /// The HTML page is also well-formed XML.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_infer::{JunctionTree, algorithms, compare};
    /// # use figrs_report::ComparisonPage;
    /// let coin = Flip::new(0.3).named("coin");
    /// let comparison = compare(&Model::new(), &coin, algorithms![JunctionTree::new()]);
    /// let page = comparison.to_html("A coin", &[("seed", "7".into())]);
    /// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
    /// ```
    fn to_html(&self, title: &str, settings: &[(&str, String)]) -> String;
}

impl ComparisonPage for Comparison {
    fn curves_svg(&self) -> Result<String, ChartError> {
        curves(self)
    }

    fn to_html(&self, title: &str, settings: &[(&str, String)]) -> String {
        let mut page = HtmlPage::new(title);
        page.heading("Answers");
        table(self, &mut page);
        if !self.curves.is_empty() {
            page.heading("Error against time");
            page.svg(
                "The largest error of each algorithm against its time, both axes logarithmic: the lower and the further left, the better.",
                self.curves_svg(),
            );
        }
        let posteriors = self.posteriors();
        if !posteriors.is_empty() {
            page.heading("Posteriors");
            for posterior in posteriors.iter().take(PICTURES) {
                page.chart(&posterior.target, posterior.to_svg());
            }
            if posteriors.len() > PICTURES {
                let count = posteriors.len();
                page.paragraph(&format!("The first {PICTURES} of {count} targets."));
            }
        }
        page.heading("The model");
        model_graph(self, &mut page);
        page.heading("Elimination tree");
        elimination_tree(self, &mut page);
        chains(self, &mut page);
        page.settings(settings.iter().map(|(name, value)| (name, value)));
        page.to_string()
    }
}

fn table(comparison: &Comparison, page: &mut HtmlPage) {
    for line in comparison.heading().lines() {
        page.paragraph(line);
    }
    let row = |row: &ComparisonRow| (comparison.cells(row), row.verdict == Verdict::Wrong);
    page.marked_table(&Comparison::HEADINGS, comparison.rows.iter().map(row));
    page.list(comparison.conclusion());
}

/// Adds a picture of the model to the page. The picture of the model shows the branches (possible results) of `Chain` elements, unless the model is
/// infinite or the picture would be too large.
fn model_graph(comparison: &Comparison, page: &mut HtmlPage) {
    let targets = || TargetList(comparison.elements());
    let expanded = ModelGraph::to_depth(comparison.model(), targets(), 2);
    let expanded = expanded.ok().and_then(|graph| graph.to_svg().ok());
    let plain = || ModelGraph::new(comparison.model(), targets()).to_svg();
    page.svg(
            "Random choices are ellipses, functions boxes, Chains flat hexagons with dashed branches; evidence is shaded, targets \
             have a double border.",
            expanded.map_or_else(plain, Ok),
        );
}

fn elimination_tree(comparison: &Comparison, page: &mut HtmlPage) {
    let options = Limits::default().work(OPERATIONS);
    let tree = JunctionTree::new().limits(options);
    match tree.compile(comparison.model(), TargetList(comparison.elements())) {
        Ok(tree) => {
            let tree = tree.elimination_tree();
            let caption = format!("Width {}; the largest cliques are shaded.", tree.width());
            page.svg(&caption, tree.to_svg());
        }
        Err(error) => {
            page.paragraph(&format!("The model cannot be compiled: {error}"));
        }
    }
}

/// For each answer with several Markov chains, adds a trace plot and a rank plot of the first target to the page.
fn chains(comparison: &Comparison, page: &mut HtmlPage) {
    let mut is_first = true;
    for row in comparison.rows.iter().take(PICTURES) {
        let draws = row.answer.as_ref().and_then(|answer| answer.draws().ok());
        let draws = draws.filter(|draws| draws.chains > 1);
        if let (Some(draws), Some(element)) = (draws, comparison.elements().first()) {
            if is_first {
                page.heading("Chains");
                is_first = false;
            }
            let name = &row.algorithm;
            page.svg(name, trace(draws, element));
            page.svg(name, ranks(draws, element));
        }
    }
}
