//! Comparisons as a page of HTML.

use figrs_core::graph::ModelGraph;
use figrs_core::{AnyElement, Parents};
use quick_xml::escape::escape;

use super::comparison::Comparison;
use super::display::HEADINGS;
use crate::eliminate::Options;
use crate::junction_tree::JunctionTree;

const STYLE: &str = "body{font:15px/1.45 sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222}\
     table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
     th,td{padding:.25em .7em;border-bottom:1px solid #ccc;text-align:right;white-space:nowrap}\
     th:first-child,td:first-child,th:last-child,td:last-child{text-align:left;white-space:normal}\
     tr.wrong td{background:#fbdada}figure{margin:1em 0;overflow-x:auto}\
     figcaption{color:#555}dt{float:left;clear:left;width:12em;color:#555}dd{margin-left:12em}";

/// How many targets and answers have pictures of their own.
const PICTURES: usize = 12;
/// The elimination tree is drawn of models that compile with fewer operations.
const OPERATIONS: f64 = 1e8;

/// Targets of any types.
struct Targets<'a>(&'a [AnyElement]);

impl Parents for Targets<'_> {
    type Arguments = ();

    fn elements(&self) -> Vec<AnyElement> {
        self.0.to_vec()
    }
}

impl Comparison {
    /// The comparison as one page of HTML that needs nothing else: no scripts, no other files, pictures as SVG within.
    ///
    /// It has the settings that are given, by name; the table and what it shows; the curves; posteriors of at most twelve
    /// targets; the graph of the model and the elimination tree; a trace and a rank plot for answers that keep the
    /// draws of several chains. Where a picture cannot be drawn it says why. It is well-formed as XML, too.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model};
    /// # use figrs_infer::{JunctionTree, algorithms, compare};
    /// let coin = Flip::new(0.3).named("coin");
    /// let comparison = compare(&Model::new(), &coin, algorithms![JunctionTree::new()]);
    /// let page = comparison.to_html("A coin", &[("seed", "7".into())]);
    /// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
    /// ```
    pub fn to_html(&self, title: &str, settings: &[(&str, String)]) -> String {
        let title = clean(title);
        let mut page = vec![format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{title}</title>\
             <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n"
        )];
        let setting = |(name, value): &(&str, String)| {
            format!("<dt>{}</dt><dd>{}</dd>", clean(name), clean(value))
        };
        if !settings.is_empty() {
            let settings: String = settings.iter().map(setting).collect();
            page.push(format!("<h2>Settings</h2>\n<dl>{settings}</dl>\n"));
        }
        page.push(format!("<h2>Answers</h2>\n{}", self.table()));
        if !self.curves.is_empty() {
            page.push("<h2>Error against time</h2>\n".into());
            page.push(figure("curves", self.curves_svg()));
        }
        let posteriors = self.posteriors();
        if !posteriors.is_empty() {
            page.push("<h2>Posteriors</h2>\n".into());
            let shown = posteriors.iter().take(PICTURES);
            page.extend(shown.map(|posterior| figure(&posterior.target, posterior.to_svg())));
            if posteriors.len() > PICTURES {
                let count = posteriors.len();
                page.push(format!("<p>The first {PICTURES} of {count} targets.</p>\n"));
            }
        }
        page.push("<h2>The model</h2>\n".into());
        page.push(self.model_graph());
        page.push("<h2>Elimination tree</h2>\n".into());
        page.push(self.elimination_tree());
        let chains = self.chains();
        if !chains.is_empty() {
            page.push("<h2>Chains</h2>\n".into());
            page.extend(chains);
        }
        page.push("</body></html>\n".into());
        page.concat()
    }

    fn table(&self) -> String {
        let headings = HEADINGS
            .map(|heading| format!("<th>{heading}</th>"))
            .concat();
        let row = |row: &super::row::Row| {
            let cells = self
                .cells(row)
                .map(|cell| format!("<td>{}</td>", clean(&cell)));
            let class = match row.verdict {
                super::verdict::Verdict::Wrong => " class=\"wrong\"",
                _ => "",
            };
            format!("<tr{class}>{}</tr>\n", cells.concat())
        };
        let rows: String = self.rows.iter().map(row).collect();
        let paragraph = |line: &str| format!("<p>{}</p>\n", clean(line));
        let heading: String = self.heading().lines().map(paragraph).collect();
        let item = |line: &String| format!("<li>{}</li>\n", clean(line));
        let conclusion: String = self.conclusion().iter().map(item).collect();
        let list = if conclusion.is_empty() {
            String::new()
        } else {
            format!("<ul>\n{conclusion}</ul>\n")
        };
        format!(
            "{heading}<table><thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}</tbody></table>\n{list}"
        )
    }

    /// The model with the branches of its Chains, or without where that is endless or too large to be drawn.
    fn model_graph(&self) -> String {
        let targets = || Targets(&self.elements);
        let expanded = ModelGraph::to_depth(&self.model, targets(), 2);
        let expanded = expanded.ok().and_then(|graph| graph.to_svg().ok());
        let plain = || ModelGraph::new(&self.model, targets()).to_svg();
        figure(
            "random choices are ellipses, functions boxes, Chains flat hexagons with dashed branches; evidence is shaded, targets \
             have a double border",
            expanded.map_or_else(plain, Ok),
        )
    }

    fn elimination_tree(&self) -> String {
        let options = Options::default().operation_budget(OPERATIONS);
        let tree = JunctionTree::new().options(options);
        match tree.compile(&self.model, Targets(&self.elements)) {
            Ok(tree) => {
                let tree = tree.elimination_tree();
                let caption = format!("width {}, its largest cliques shaded", tree.width());
                figure(&caption, tree.to_svg())
            }
            Err(error) => figure("the model cannot be compiled", Err::<String, _>(error)),
        }
    }

    /// A trace and a rank plot of the first target for each answer with several chains.
    fn chains(&self) -> Vec<String> {
        let mut figures = Vec::new();
        for row in self.rows.iter().take(PICTURES) {
            let draws = row.answer.as_ref().and_then(|answer| answer.draws().ok());
            let draws = draws.filter(|draws| draws.chains > 1);
            if let (Some(draws), Some(element)) = (draws, self.elements.first()) {
                let name = &row.algorithm;
                figures.push(figure(&format!("{name}: trace"), draws.trace_of(element)));
                figures.push(figure(&format!("{name}: ranks"), draws.ranks_of(element)));
            }
        }
        figures
    }
}

/// A picture with its caption, or the reason why there is none.
fn figure<E: std::fmt::Display>(caption: &str, svg: Result<String, E>) -> String {
    let caption = clean(caption);
    match svg {
        Ok(svg) => format!("<figure>\n{svg}<figcaption>{caption}</figcaption></figure>\n"),
        Err(error) => format!("<p>{caption}: {}</p>\n", clean(&error.to_string())),
    }
}

/// A text that XML can hold, escaped.
fn clean(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    escape(text.chars().map(plain).collect::<String>()).into_owned()
}
