//! Comparisons as a page of HTML.

use figrs_core::graph::ModelGraph;
use figrs_core::{AnyElement, Parents};
use figrs_infer::eliminate::Options;
use figrs_infer::{Comparison, ComparisonRow, JunctionTree, Verdict};

use crate::charts::chains::{ranks, trace};
use crate::charts::curves::curves;
use crate::{ChartError, Drawable, HtmlPage, PosteriorChart};

/// Maximum number of targets, and of answers, with their own pictures.
const PICTURES: usize = 12;
/// The elimination tree is drawn for models that compile with fewer operations.
const OPERATIONS: f64 = 1e8;

/// Targets of any types.
struct TargetList<'a>(&'a [AnyElement]);

impl Parents for TargetList<'_> {
    type Arguments = ();

    fn elements(&self) -> Vec<AnyElement> {
        self.0.to_vec()
    }
}

/// A comparison of algorithms as a page of HTML, and its curves as a chart.
pub trait ComparisonPage {
    /// The largest error against the time for each curve, with logarithmic axes, as an SVG document.
    ///
    /// **Errors.** [`ChartError::Empty`] if there is no point with a time and an error above zero.
    fn curves_svg(&self) -> Result<String, ChartError>;

    /// The comparison as one self-contained page of HTML: without scripts and other files, with embedded SVG pictures.
    ///
    /// The page contains the table and its conclusions; the curves; posteriors of at most twelve
    /// targets; the graph of the model and the elimination tree; a trace and a rank plot for answers that keep the draws of
    /// several chains; and the given settings by name. A picture that cannot be drawn is replaced by the reason. The page is also well-formed XML.
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

/// The model with the branches of its Chains, or without them if it is infinite or too large to draw.
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
    let options = Options::default().operation_budget(OPERATIONS);
    let tree = JunctionTree::new().options(options);
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

/// A trace and a rank plot of the first target for each answer with several chains.
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
