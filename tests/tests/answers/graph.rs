//! Tests of the graph of a model: how it is traversed, converted and drawn.

use figrs::Drawable;
use figrs::graph::{Address, EdgeKind, GraphEdge, GraphNode, ModelGraph};
use figrs::picture::{Picture, PictureEdge, PictureError, PictureNode, Shape};
use figrs::prelude::*;
use petgraph::graph::DiGraph;

fn weather() -> (Model, Element<bool>) {
    let rain = Flip::new(0.2).named("rain");
    let wet = rain
        .flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }))
        .named("wet");
    let cold = Flip::new(0.5).named("cold");
    let ice = wet.and(&cold).named("ice");
    let model = Model::new().observe(&wet, true).intervene(&cold, true);
    (model, ice)
}

fn addresses(graph: &ModelGraph) -> Vec<Address> {
    graph.nodes().iter().map(|node| node.address).collect()
}

#[test]
fn elements_parents_and_branches_are_walked() {
    let (model, ice) = weather();
    let unexpanded = ModelGraph::new(&model, &ice);
    let names = |graph: &ModelGraph| -> Vec<String> {
        let nodes = graph.nodes().iter();
        nodes.map(|node| node.label.short().to_owned()).collect()
    };
    assert_eq!(names(&unexpanded), ["ice", "wet", "cold", "rain"]);
    let graph = ModelGraph::expanded(&model, &ice).unwrap();
    assert_eq!(graph.nodes().len(), 6);
    let branches = graph.edges().iter().filter_map(|edge| match &edge.kind {
        EdgeKind::Branch(values) => Some(values.as_str()),
        EdgeKind::Parent => None,
    });
    let mut branches: Vec<&str> = branches.collect();
    branches.sort_unstable();
    assert_eq!(branches, ["false", "true"]);
    assert!(graph.nodes()[0].target);
    assert_eq!(graph.nodes()[1].evidence, ["= true"]);
    assert_eq!(graph.nodes()[2].intervention.as_deref(), Some("true"));
}

#[test]
fn addresses_are_the_same_in_every_run_and_differ_within_one() {
    let graph = || {
        let (model, ice) = weather();
        ModelGraph::expanded(&model, &ice).unwrap()
    };
    let first = addresses(&graph());
    let elsewhere = std::thread::spawn(move || addresses(&graph()))
        .join()
        .unwrap();
    assert_eq!(first, elsewhere);
    let distinct: std::collections::BTreeSet<Address> = first.iter().copied().collect();
    assert_eq!(distinct.len(), first.len());
}

#[test]
fn a_model_without_end_is_walked_as_far_as_it_is_built() {
    fn endless() -> Element<u32> {
        Flip::new(0.5).flat_map(|&stop| if stop { Constant::new(0) } else { endless() })
    }
    let n = endless();
    assert_eq!(ModelGraph::new(&Model::new(), &n).nodes().len(), 2);
    assert!(ModelGraph::expanded(&Model::new(), &n).is_err());
    // A recursion of depth k has k + 1 `Chain` elements, each of which except the last has its branches, and one choice for each `Chain`.
    for depth in 0..4 {
        let graph = ModelGraph::to_depth(&Model::new(), &n, depth).unwrap();
        let unexplored = graph.nodes().iter().filter(|node| node.unexplored).count();
        assert_eq!((graph.nodes().len(), unexplored), (2 + 3 * depth, 1));
        assert_eq!(graph.to_dot().matches("not explored").count(), 1);
    }
}

#[test]
fn converts_to_petgraph() {
    let (model, ice) = weather();
    let graph = DiGraph::<GraphNode, GraphEdge>::from(&ModelGraph::new(&model, &ice));
    assert_eq!((graph.node_count(), graph.edge_count()), (4, 3));
    assert!(!petgraph::algo::is_cyclic_directed(&graph));
}

#[test]
fn dot_shows_names_distributions_evidence_and_branches() {
    let (model, ice) = weather();
    let dot = ModelGraph::expanded(&model, &ice).unwrap().to_dot();
    for part in [
        "digraph",
        "rain",
        "Flip(0.2)",
        "= true",
        "fillcolor=lightgrey",
        "style=dashed",
        "peripheries=2",
        "set to true",
    ] {
        assert!(dot.contains(part), "{part} in {dot}");
    }
    let quoted = Select::new([(1.0, "a \"quoted\" word")]).named("a\\b");
    let dot = ModelGraph::new(&Model::new(), &quoted).to_dot();
    assert!(
        dot.contains(r"a\\b") && dot.contains(r#"\\\"quoted\\\""#),
        "{dot}"
    );
}

fn tags(svg: &str, name: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(svg);
    let mut count = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                count += usize::from(tag.name().as_ref() == name.as_bytes());
            }
            quick_xml::events::Event::Eof => return count,
            _ => {}
        }
    }
}

#[test]
fn svg_draws_every_element_and_connection() {
    let (model, ice) = weather();
    let graph = ModelGraph::expanded(&model, &ice).unwrap();
    let svg = graph.to_svg().unwrap();
    assert_eq!(svg, graph.to_svg().unwrap());
    // The ellipses are the Flips `rain`, `cold` and two branches, where the border of the target is double.
    assert_eq!(tags(&svg, "ellipse"), 4);
    // The rectangles are the double box of `ice` and two labels of branches; the polygons are a `Chain` and an arrowhead.
    assert_eq!((tags(&svg, "rect"), tags(&svg, "polygon")), (2 + 2, 1));
    assert_eq!(tags(&svg, "path"), graph.edges().len() + 1);
    assert_eq!(svg.matches("stroke-dasharray").count(), 2);
    assert_eq!(svg.matches("fill=\"#d3d3d3\"").count(), 1);
    assert_eq!(svg.matches("stroke-width=\"3\"").count(), 1);
    for part in [
        ">rain<",
        ">Flip(0.2)<",
        ">= true<",
        ">set to true<",
        ">false<",
    ] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    let strange = Flip::new(0.5).named("<a> & \"b\"\u{1}");
    let svg = ModelGraph::new(&Model::new(), &strange).to_svg().unwrap();
    assert!(
        svg.contains("&lt;a&gt; &amp; &quot;b&quot;\\u{1}<"),
        "{svg}"
    );
    assert_eq!(tags(&svg, "text"), 2);
    assert_eq!(tags(&Picture::new().to_svg().unwrap(), "svg"), 1);
}

fn edge(from: usize, to: usize, label: &str) -> PictureEdge {
    PictureEdge {
        from,
        to,
        label: label.into(),
        dashed: false,
    }
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let mut picture = Picture::new();
    for _ in 0..2 {
        picture.add_node(PictureNode::default());
    }
    let drawn = picture.clone();
    picture.add_edge(edge(0, 1, ""));
    picture.add_edge(edge(1, 0, ""));
    assert_eq!(picture.to_svg(), Err(PictureError::Cycle { node: 0 }));
    let mut picture = drawn.clone();
    picture.add_edge(edge(0, 2, ""));
    let missing = PictureError::NoSuchNode {
        from: 0,
        to: 2,
        nodes: 2,
    };
    assert_eq!(picture.to_svg(), Err(missing));
    assert!(!picture.to_dot().contains("->"));
    let mut picture = drawn;
    for _ in 2..=Picture::MAX_NODES {
        picture.add_node(PictureNode::default());
    }
    let error = picture.to_svg().unwrap_err();
    let large = PictureError::TooLarge {
        nodes: 301,
        edges: 0,
    };
    assert_eq!(error, large);
    assert!(error.to_string().contains("limit of 300 nodes"), "{error}");
}

#[test]
fn graphs_of_any_form_are_laid_out() {
    // In this ladder each node except the last two leads to the next two nodes, which makes 2^150 paths in all.
    let mut ladder = Picture::new();
    for _ in 0..300 {
        ladder.add_node(PictureNode::default());
    }
    for from in 0..298 {
        ladder.add_edge(edge(from, from + 1, ""));
        ladder.add_edge(edge(from, from + 2, "two"));
    }
    assert_eq!(tags(&ladder.to_svg().unwrap(), "path"), 596 + 1);
    for seed in 0..40 {
        let mut random = figrs::stream(seed, 0);
        let mut draw = |n: usize| rand::RngExt::random_range(&mut random, 0..n);
        let mut picture = Picture::new();
        let nodes = 1 + draw(40);
        for _ in 0..nodes {
            let shape = [Shape::Ellipse, Shape::Box, Shape::Diamond, Shape::Hexagon][draw(4)];
            let lines = (0..draw(4)).map(|_| "x".repeat(draw(60))).collect();
            picture.add_node(PictureNode {
                shape,
                lines,
                ..PictureNode::default()
            });
        }
        // Arrows lead from larger to smaller positions, so that there is no cycle.
        let mut arrows = std::collections::BTreeSet::new();
        for _ in 0..draw(2 * nodes) {
            let (a, b) = (draw(nodes), draw(nodes));
            if a != b {
                arrows.insert((a.max(b), a.min(b)));
                picture.add_edge(edge(a.max(b), a.min(b), ["", "some", "1 | 2"][draw(3)]));
            }
        }
        assert_eq!(
            tags(&picture.to_svg().unwrap(), "path"),
            arrows.len() + 1,
            "{seed}"
        );
    }
}
