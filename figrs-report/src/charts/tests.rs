//! Tests that charts are well-formed XML, contain their data, and are the same each time they are drawn.

use figrs_core::{AnyElement, Element, Flip, If, Model, Normal, Param, StandardDeviation, Uniform};
use quick_xml::Reader;
use quick_xml::events::Event;

use figrs_infer::{
    Algorithm, Compare, Draws, Gibbs, ImportanceSampling, MetropolisHastings, Run,
    VariableElimination,
};
use figrs_learn::{Query, Sensitivity};

use super::{ChainCharts, ChartError, GroupedBars, PosteriorChart, TornadoChart};
use crate::ComparisonPage;

/// Returns a function that maps the name of a tag to the number of such tags in an XML document. The test fails if the XML document is not
/// well-formed.
fn tags(xml: &str) -> impl Fn(&str) -> usize {
    let mut reader = Reader::from_str(xml);
    let mut names = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                names.push(String::from_utf8(tag.name().as_ref().to_vec()).unwrap());
            }
            Event::Eof => break,
            _ => {}
        }
    }
    move |name| names.iter().filter(|found| *found == name).count()
}

#[test]
fn a_posterior_has_a_bar_for_each_class() {
    let letter = Uniform::new(["<a>", "b & c", "\u{1}"]).named("letter \"x\"");
    let answer = VariableElimination::new()
        .run(&Model::new(), &letter)
        .unwrap();
    let svg = answer.posteriors().unwrap()[0].to_svg().unwrap();
    // There are rectangles for the background and three bars, and texts for the title and for the name and the number of each bar.
    assert_eq!((tags(&svg)("rect"), tags(&svg)("text")), (1 + 3, 1 + 2 * 3));
    assert_eq!(tags(&svg)("polyline"), 0);
    assert!(
        svg.contains("&lt;a&gt;") && svg.contains("0.333333"),
        "{svg}"
    );
    let answer = ImportanceSampling::new(100)
        .run(&Model::new(), &letter)
        .unwrap();
    let svg = answer.posteriors().unwrap()[0].to_svg().unwrap();
    assert!(svg.contains('±'), "{svg}");
    assert_eq!(tags(&svg)("rect"), 1 + 3);
    let mut nothing = answer.posteriors().unwrap().remove(0);
    nothing.classes.clear();
    assert!(matches!(nothing.to_svg(), Err(ChartError::Empty { .. })));
}

#[test]
fn a_tornado_has_a_bar_for_each_side_of_each_parameter() {
    let [prior, errs] = [("prior", 0.01), ("<errs>", 0.05)].map(|(name, p)| Param::new(name, p));
    let ill = Flip::new(&prior).named("ill");
    let positive = If::new(&ill, Flip::new(0.9), Flip::new(&errs));
    let model = Model::new().observe(&positive, true);
    let answer = VariableElimination::new().run(&model, &ill).unwrap();
    let query = Query::probability(&ill, true);
    let ranges = [(&prior, 0.005, 0.02), (&errs, 0.01, 0.1)];
    let tornado = answer.tornado(&query, ranges).unwrap();
    let svg = tornado.to_svg().unwrap();
    assert_eq!(svg, tornado.to_svg().unwrap());
    // There are rectangles for the background and the four sides of bars, texts for the title and for the name and the two numbers of each
    // parameter, and a line for the present value.
    assert_eq!((tags(&svg)("rect"), tags(&svg)("text")), (1 + 4, 1 + 2 * 3));
    assert_eq!(tags(&svg)("polyline"), 1);
    assert!(
        svg.contains("&lt;errs&gt;") && svg.contains("0.1538"),
        "{svg}"
    );
    let nothing = answer.tornado(&query, []).unwrap();
    assert!(matches!(nothing.to_svg(), Err(ChartError::Empty { .. })));
}

#[test]
fn curves_are_drawn_where_there_are_any() {
    let coin = Flip::new(0.3).named("coin");
    let compare = || Compare::new(&Model::new(), &coin);
    let sampling = |n, seed| ImportanceSampling::new(n).seed(seed);
    let comparison = compare().curve([10, 100, 1000], 2, sampling).run();
    let svg = comparison.curves_svg().unwrap();
    assert_eq!(svg, comparison.curves_svg().unwrap());
    assert!(
        svg.contains("ImportanceSampling") && svg.contains("seconds"),
        "{svg}"
    );
    // Each point of the curve is a circle.
    assert_eq!(tags(&svg)("circle"), 3);
    let error = compare().run().curves_svg().unwrap_err();
    assert!(error.to_string().contains("add a `curve`"), "{error}");
}

fn drawn<T: figrs_core::Value>(element: &Element<T>, algorithm: impl Algorithm) -> Draws {
    algorithm
        .run(&Model::new(), element)
        .unwrap()
        .draws()
        .unwrap()
        .clone()
}

#[test]
fn traces_have_a_line_and_ranks_a_panel_for_each_chain() {
    let height = Normal::new(0.0, StandardDeviation(1.0)).named("height");
    let draws = drawn(&height, MetropolisHastings::new(2000).seed(1));
    assert_eq!(draws.chains, 4);
    let trace = draws.trace_svg(&height).unwrap();
    assert!(trace.contains("trace of height"), "{trace}");
    let lines = |svg: &str| {
        svg.matches("<polyline fill=\"none\" opacity=\"0.7\"")
            .count()
    };
    assert_eq!(lines(&trace), 4, "{trace}");
    let ranks = draws.rank_svg(&height).unwrap();
    for chain in 1..=4 {
        assert!(ranks.contains(&format!("chain {chain}")), "{ranks}");
    }
    // There are rectangles for the background and for twenty bars of each chain.
    assert_eq!(tags(&ranks)("rect"), 1 + 4 * 20);
    assert_eq!(ranks, draws.rank_svg(&height).unwrap());
    let coin = Flip::new(0.3);
    let draws = drawn(&coin, Gibbs::new(100).chains(2));
    assert_eq!(lines(&draws.trace_svg(&coin).unwrap()), 2);
}

#[test]
fn what_is_no_number_was_not_drawn_or_does_not_fit_is_told() {
    let word = Uniform::new(["a", "b"]).named("word");
    let draws = drawn(&word, Gibbs::new(100));
    let error = draws.trace_svg(&word).unwrap_err();
    assert!(matches!(error, ChartError::NotNumeric { .. }));
    assert!(error.to_string().contains("`word`"), "{error}");
    let coin = Flip::new(0.3);
    assert!(matches!(
        draws.rank_svg(&coin),
        Err(ChartError::NotATarget { .. })
    ));
    let mut draws = drawn(&coin, Gibbs::new(100));
    draws.length += 1;
    let error = draws.rank_svg(&coin).unwrap_err();
    assert!(error.to_string().contains("400 draws"), "{error}");
    draws.length = 0;
    draws.targets[0].indices = Vec::new().into();
    assert!(matches!(
        draws.trace_svg(&coin),
        Err(ChartError::Empty { .. })
    ));
}

#[test]
fn a_report_is_well_formed_and_has_every_picture() {
    let rain = Flip::new(0.2).named("rain <&>");
    let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
    let model = Model::new().observe(&wet, true);
    let comparison = Compare::new(&model, &rain)
        .algorithms(figrs_infer::algorithms![
            VariableElimination::new(),
            Gibbs::new(500)
        ])
        .curve([10, 100], 2, |n, seed| {
            ImportanceSampling::new(n).seed(seed)
        })
        .run();
    let page = comparison.to_html("A <title>", &[("seed", "7 & 8".into())]);
    let count = tags(&page);
    // The pictures are the error curves, a posterior, the model, the elimination tree, a trace plot and a rank plot.
    assert_eq!((count("svg"), count("figure"), count("script")), (6, 6, 0));
    assert_eq!((count("tr"), count("td")), (1 + 2, 2 * 10));
    for part in [
        "A &lt;title&gt;",
        "7 &amp; 8",
        "rain &lt;&amp;&gt;",
        "Width 2",
        "<figcaption>Gibbs</figcaption>",
        "<dt>Seed</dt>",
        "prefers-color-scheme:dark",
        "name=\"viewport\"",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(!page.contains("href=") && !page.contains("src="));
    // If a chart contains its title, it has no caption with the same text.
    assert_eq!(
        page.matches("rain &lt;&amp;&gt; (VariableElimination)")
            .count(),
        1
    );
    assert!(!page.contains("<figcaption>rain"), "{page}");
}

/// Returns the numbers in the attribute `attribute` of all tags named `tag`.
fn numbers_of(svg: &str, tag: &str, attribute: &str) -> Vec<f64> {
    let start = format!("<{tag} ");
    let tags = svg.split(&start).skip(1);
    let of = |tag: &str| {
        let (_, value) = tag.split_once(&format!("{attribute}=\""))?;
        value.split('"').next()?.parse().ok()
    };
    tags.filter_map(of).collect()
}

#[test]
fn a_legend_covers_no_curve() {
    let coin = Flip::new(0.3).named("coin");
    let mut compare = Compare::new(&Model::new(), &coin)
        .algorithms(figrs_infer::algorithms![VariableElimination::new()]);
    for _ in 0..5 {
        compare = compare.curve([10, 100], 2, |n, seed| {
            ImportanceSampling::new(n).seed(seed)
        });
    }
    let svg = compare.run().curves_svg().unwrap();
    let lowest = numbers_of(&svg, "circle", "cy")
        .into_iter()
        .fold(0.0, f64::max);
    let names: Vec<&str> = svg
        .split("<text ")
        .filter(|text| text.contains("ImportanceSampling"))
        .collect();
    assert_eq!(names.len(), 5);
    for name in names {
        let y = numbers_of(&format!("<text {name}"), "text", "y");
        assert!(y[0] > lowest, "{y:?} {lowest}");
    }
}

#[test]
fn a_report_of_a_model_without_end_says_what_is_missing() {
    fn failures() -> Element<u32> {
        Flip::new(0.5).flat_map(|&success| {
            if success {
                figrs_core::Constant::new(0)
            } else {
                failures().map(|n| n + 1)
            }
        })
    }
    let count = failures().named("failures");
    let comparison = Compare::new(&Model::new(), &count)
        .algorithms(figrs_infer::algorithms![ImportanceSampling::new(100)])
        .run();
    let targets: &[AnyElement] = comparison.elements();
    assert_eq!(targets.len(), 1);
    let page = comparison.to_html("Without end", &[]);
    // The pictures are a posterior and the expanded part of the model.
    assert_eq!(tags(&page)("svg"), 2);
    assert!(page.contains("The model cannot be compiled") && page.contains("not explored"));
}

#[test]
fn grouped_bars_have_a_bar_for_each_value() {
    let nan = Some(f64::NAN);
    let chart = GroupedBars::new("<section>", "difficulty")
        .series("training", [Some(0.5), None, Some(0.25)])
        .series("drawn", [Some(1.0), nan, Some(-0.5)]);
    let svg = chart.to_svg().unwrap();
    let fewer = GroupedBars::new("<section>", "difficulty")
        .series("training", [Some(0.5), None, None])
        .series("drawn", [Some(1.0), None, None]);
    let fewer = fewer.to_svg().unwrap();
    assert_eq!(tags(&svg)("rect"), tags(&fewer)("rect") + 2);
    assert!(svg.contains("&lt;section&gt;") && svg.contains("training"));
    let nothing = GroupedBars::new("a", "b").series("c", [None, nan]);
    assert!(matches!(nothing.to_svg(), Err(ChartError::Empty { .. })));
    // If all values are zero, the chart has bars without height.
    let zero = GroupedBars::new("a", "b").series("c", [Some(0.0)]);
    assert!(zero.to_svg().is_ok());
}

#[test]
fn what_fails_while_it_is_drawn_is_told() {
    let error = super::drawn((20, 20), |_| Err("no room".into())).unwrap_err();
    assert_eq!(error, ChartError::Drawing("no room".into()));
    assert!(error.to_string().contains("no room; report"));
}
