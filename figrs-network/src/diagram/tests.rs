use figrs_reading::{Mistake, MistakeKind};

use super::super::problem_of::problem_of;
use super::super::{InfluenceDiagram, Network, State, Variable};

/// A diagram for tests with a test, a treatment and two utilities, in which all numbers are different and no two variables have the same number of
/// states.
const TREATMENT_XDSL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="treatment" numsamples="10000">
  <nodes>
    <decision id="examine"><state id="no"/><state id="yes"/></decision>
    <cpt id="disease">
      <state id="none"/><state id="mild"/><state id="severe"/>
      <probabilities>0.5 0.3 0.2</probabilities>
    </cpt>
    <cpt id="result">
      <state id="negative"/><state id="positive"/>
      <parents>disease examine</parents>
      <probabilities>0.52 0.48 0.95 0.05 0.53 0.47 0.4 0.6 0.54 0.46 0.1 0.9</probabilities>
    </cpt>
    <decision id="treat">
      <state id="wait"/><state id="drug"/><state id="operate"/><state id="both"/>
      <parents>examine result</parents>
    </decision>
    <utility id="health">
      <parents>disease treat</parents>
      <utilities>100 90 80 70 60 75 65 55 10 20 50 45</utilities>
    </utility>
    <utility id="price"><parents>examine</parents><utilities>0 -3.5</utilities></utility>
  </nodes>
  <extensions><genie version="1.0"><node id="examine"><name>Examine?</name></node></genie></extensions>
</smile>"#;

/// The influence diagram of the text `TREATMENT_XDSL` in the format BIFXML, with the nodes in a different order.
const TREATMENT_BIFXML: &str = r#"<BIF VERSION="0.3"><NETWORK><NAME>treatment</NAME>
  <DEFINITION><FOR>treat</FOR><GIVEN>examine</GIVEN><GIVEN>result</GIVEN></DEFINITION>
  <VARIABLE TYPE="decision"><NAME>treat</NAME>
    <OUTCOME>wait</OUTCOME><OUTCOME>drug</OUTCOME><OUTCOME>operate</OUTCOME><OUTCOME>both</OUTCOME></VARIABLE>
  <VARIABLE TYPE="decision"><NAME>examine</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
  <VARIABLE TYPE="utility"><NAME>health</NAME></VARIABLE>
  <VARIABLE TYPE="utility"><NAME>price</NAME><OUTCOME>value</OUTCOME></VARIABLE>
  <VARIABLE TYPE="nature"><NAME>result</NAME><OUTCOME>negative</OUTCOME><OUTCOME>positive</OUTCOME></VARIABLE>
  <VARIABLE><NAME>disease</NAME><OUTCOME>none</OUTCOME><OUTCOME>mild</OUTCOME><OUTCOME>severe</OUTCOME></VARIABLE>
  <DEFINITION><FOR>health</FOR><GIVEN>disease</GIVEN><GIVEN>treat</GIVEN>
    <TABLE>100 90 80 70 60 75 65 55 10 20 50 45</TABLE></DEFINITION>
  <DEFINITION><FOR>price</FOR><GIVEN>examine</GIVEN><TABLE>0 -3.5</TABLE></DEFINITION>
  <DEFINITION><FOR>result</FOR><GIVEN>disease</GIVEN><GIVEN>examine</GIVEN>
    <TABLE>0.52 0.48 0.95 0.05 0.53 0.47 0.4 0.6 0.54 0.46 0.1 0.9</TABLE></DEFINITION>
  <DEFINITION><FOR>disease</FOR><TABLE>0.5 0.3 0.2</TABLE></DEFINITION>
</NETWORK></BIF>"#;

fn names(diagram: &InfluenceDiagram, positions: &[usize]) -> Vec<String> {
    let names = positions.iter().map(|&v| diagram.variables()[v].name());
    names.map(str::to_owned).collect()
}

/// Returns the line and the column of the error in the invalid diagram `text`, and the error.
fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(InfluenceDiagram::from_text(text, "test"))
}

/// Returns the text of a diagram in the format XDSL with the nodes `nodes`, which begin on the second line.
fn smile(nodes: &str) -> String {
    format!("<smile version=\"1.0\" id=\"d\"><nodes>\n{nodes}</nodes></smile>")
}

#[test]
fn chances_decisions_and_utilities_are_read_from_both_formats() {
    for text in [TREATMENT_XDSL, TREATMENT_BIFXML] {
        let diagram = InfluenceDiagram::from_text(text, "test").unwrap();
        assert_eq!(diagram.name(), "treatment");
        let [examine, treat] = diagram.decisions() else {
            panic!("{diagram:?}")
        };
        assert_eq!(examine.variable(), diagram.position("examine").unwrap());
        assert!(examine.known().is_empty());
        assert_eq!(names(&diagram, treat.known()), ["examine", "result"]);
        let options = diagram.variables()[treat.variable()].states();
        let options: Vec<&str> = options.iter().map(State::name).collect();
        assert_eq!(options, ["wait", "drug", "operate", "both"]);
        let table = |name: &str| {
            let child = diagram.position(name).unwrap();
            let mut tables = diagram.tables().iter();
            tables
                .find(|t| t.variables().last() == Some(&child))
                .unwrap()
        };
        assert_eq!(diagram.tables().len(), 2);
        assert_eq!(table("disease").numbers(), [0.5, 0.3, 0.2]);
        let result = table("result");
        let scope = ["disease", "examine", "result"];
        assert_eq!(names(&diagram, result.variables()), scope);
        // The indices 10 and 11 are the test results for a severe disease that is examined.
        assert_eq!(result.numbers()[10..], [0.1, 0.9]);
        let [health, price] = diagram.utilities() else {
            panic!("{diagram:?}")
        };
        assert_eq!((health.name(), price.name()), ("health", "price"));
        assert_eq!(names(&diagram, health.variables()), ["disease", "treat"]);
        // The index 6 is the utility of a mild disease and an operation.
        assert_eq!(health.numbers()[6], 65.0);
        assert_eq!(price.numbers(), [0.0, -3.5]);
        let order = names(&diagram, diagram.parents_first());
        let rank = |name: &str| order.iter().position(|other| other == name).unwrap();
        assert_eq!(order.len(), 4);
        assert!(rank("examine") < rank("result") && rank("disease") < rank("result"));
        assert!(rank("result") < rank("treat"));
        assert!(diagram.normalised().is_empty());
        let error = diagram.position("treatment").unwrap_err().to_string();
        assert!(error.contains("`treat`"), "{error}");
    }
}

#[test]
fn a_network_is_a_diagram_without_decisions() {
    let text = "network n { } variable a { type discrete [ 2 ] { yes, no }; } probability ( a ) { table 0.3333, 0.6666; }";
    let diagram = InfluenceDiagram::from_text(text, "test").unwrap();
    assert!(diagram.decisions().is_empty() && diagram.utilities().is_empty());
    let variables: Vec<&str> = diagram.variables().iter().map(Variable::name).collect();
    assert_eq!(variables, ["a"]);
    assert_eq!(diagram.normalised()[0].line, 1);
    let (line, _, mistake) = problem("MARKOV 1 2 0");
    assert_eq!(line, 1);
    assert!(matches!(mistake.kind, MistakeKind::Syntax));
}

#[test]
fn a_network_has_no_decisions_and_utilities() {
    for (text, node, line) in [
        (TREATMENT_XDSL, "examine", 4),
        (TREATMENT_BIFXML, "treat", 2),
    ] {
        let (at, _, mistake) = problem_of(Network::from_text(text, "test"));
        assert_eq!((at, mistake.setting), (line, Some("read_diagram")));
        let words = format!("`{node}` is a decision node");
        assert!(mistake.problem.starts_with(&words), "{mistake}");
    }
    let utility = smile("<utility id=\"u\"><utilities>7</utilities></utility>");
    let error = Network::from_xdsl(&utility).unwrap_err().to_string();
    assert!(
        error.starts_with("XDSL:2:1: `u` is a utility node"),
        "{error}"
    );
    let diagram = InfluenceDiagram::from_xdsl(&utility).unwrap();
    assert_eq!(diagram.utilities()[0].numbers(), [7.0]);
    assert!(diagram.utilities()[0].variables().is_empty());
}

#[test]
fn sums_of_utilities_become_weights() {
    let utility = |name: &str, number: f64| {
        format!("<utility id=\"{name}\"><utilities>{number}</utilities></utility>")
    };
    let nodes = [
        utility("a", 1.0),
        utility("b", 10.0),
        utility("c", 100.0),
        utility("alone", 1000.0),
        "<mau id=\"whole\"><parents>part c part</parents><weights>2 -1 3</weights></mau>".into(),
        "<mau id=\"part\"><parents>a b</parents><weights>0.5 4</weights></mau>".into(),
        "<mau id=\"other\"><parents>a</parents><weights>7</weights></mau>".into(),
    ];
    let diagram = InfluenceDiagram::from_xdsl(&smile(&nodes.concat())).unwrap();
    let numbers = diagram.utilities().iter().map(|u| u.numbers()[0]);
    // `a` has the weight 0.5 in `part`, which has the weight 5, and `a` also has the weight 7 directly.
    let numbers: Vec<f64> = numbers.collect();
    assert_eq!(numbers, [9.5, 200.0, -100.0, 1000.0]);
}
