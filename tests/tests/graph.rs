//! The graph of a model: walked, converted, drawn.

use figrs::graph::{Address, EdgeKind, GraphEdge, GraphNode, ModelGraph};
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
