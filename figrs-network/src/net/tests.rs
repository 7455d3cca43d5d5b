use figrs_reading::{Mistake, MistakeKind};

use super::super::problem_of::problem_of;
use super::super::{InfluenceDiagram, Network, NetworkError, NetworkFormat, State, Variable};

/// A network in which a node has parents with different numbers of states, and all entries of the tables are different.
const GARDEN: &str = "% by hand\r\nnet { name = \"a garden\"; node_size = (50 50); HR_Desc = \"two\nlines; % and { more\"; }\r
discrete node wet { label = \"Is it \\ wet?\"; states = (\"yes\" \"not at all\" 3); position = (1 2); } % a comment }
potential ( wet | sky hour ) % sky varies slowest
{
  data = ((( 0.01 0.02 0.97 )( 0.03 0.04 0.93 ))  % clear
          (( 0.05 0.06 0.89 )( 0.07 0.08 0.85 ))  % cloudy (
          (( 0.11 0.12 0.77 )( 0.13 0.14 0.73 )));
  experience = ( 1 2 3 );
}
node sky { states = (clear cloudy dark); }
node hour { states = (\"day\" \"night\"); }
potential (sky) { data = (0.5 0.3 0.2); }
potential (hour |) { data = ((0.6 0.4)); model_nodes = (); }
";

/// Returns the error that occurs when `text` is read as a network, and the line and the column of the error.
fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(Network::from_net(text))
}

#[test]
fn the_last_parent_varies_faster_than_the_first_and_the_child_fastest() {
    let network = Network::from_net(GARDEN).unwrap();
    assert_eq!(network.name(), "a garden");
    let names: Vec<&str> = network.variables().iter().map(Variable::name).collect();
    assert_eq!(names, ["wet", "sky", "hour"]);
    let states: Vec<&str> = network.variables()[0]
        .states()
        .iter()
        .map(State::name)
        .collect();
    assert_eq!(states, ["yes", "not at all", "3"]);
    let table = &network.tables()[0];
    assert_eq!(table.variables(), [1, 2, 0]);
    let wet = [
        0.01, 0.02, 0.97, 0.03, 0.04, 0.93, 0.05, 0.06, 0.89, 0.07, 0.08, 0.85, 0.11, 0.12, 0.77,
        0.13, 0.14, 0.73,
    ];
    assert_eq!(table.numbers(), wet);
    assert_eq!(network.tables()[2].numbers(), [0.6, 0.4]);
    let written = network.to_text(NetworkFormat::Net).unwrap();
    assert!(
        written.contains("((( 0.01 0.02 0.97 )\n           ( 0.03 0.04 0.93 ))\n           (("),
        "{written}"
    );
    let again = Network::from_text(&written, "again").unwrap();
    assert_eq!(again.tables()[0].numbers(), wet);
    assert_eq!(again.name(), "a garden");
}

#[test]
fn names_that_are_no_identifiers_are_kept_beside_identifiers() {
    let text = "network n { } variable a-b { type discrete [ 2 ] { \"%\", \"c\\\" }; } variable c { type discrete [ 1 ] { x }; }
        probability ( a-b | c ) { table 0.5, 0.5; } probability ( c ) { table 1; }";
    let network = Network::from_bif(text).unwrap();
    let written = network.to_text(NetworkFormat::Net).unwrap();
    for part in [
        "node a_b\n",
        "label = \"a-b\";",
        "figrs_name = \"a-b\";",
        "potential ( a_b | c )",
    ] {
        assert!(written.contains(part), "{written}");
    }
    let again = Network::from_net(&written).unwrap();
    assert_eq!(again.variables()[0].name(), "a-b");
    let states: Vec<&str> = again.variables()[0]
        .states()
        .iter()
        .map(State::name)
        .collect();
    assert_eq!(states, ["%", "c\\"]);
    let quote = "<BIF><NETWORK><VARIABLE><NAME>a\"b</NAME><OUTCOME>x</OUTCOME></VARIABLE>
        <DEFINITION><FOR>a\"b</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>";
    let network = Network::from_bifxml(quote).unwrap();
    for format in [NetworkFormat::Net, NetworkFormat::Bif] {
        let error = network.to_text(format).unwrap_err();
        let words = format!("the name `a\"b` cannot be written as {format}");
        assert!(error.to_string().starts_with(&words), "{error}");
        assert!(matches!(error, NetworkError::NotWritable { .. }));
    }
}

#[test]
fn decisions_and_utilities_are_read() {
    let text = "net { } decision act { states = (\"go\" \"stay\" \"wait\"); } node seen { states = (a b); }
        potential (seen) { data = (0.5 0.5); } potential (act | seen) { }
        utility gain { } potential (gain | seen act) { data = ((1 -2 3.5)(4 5 6)); }
        discrete decision last { states = (u); }";
    let diagram = InfluenceDiagram::from_net(text).unwrap();
    let [act, last] = diagram.decisions() else {
        panic!("{diagram:?}")
    };
    assert_eq!((act.variable(), act.known()), (0, &[1][..]));
    assert_eq!((last.variable(), last.known()), (2, &[][..]));
    assert_eq!(diagram.utilities()[0].variables(), [1, 0]);
    assert_eq!(
        diagram.utilities()[0].numbers(),
        [1.0, -2.0, 3.5, 4.0, 5.0, 6.0]
    );
    let (_, _, mistake) = problem(text);
    assert!(mistake.setting == Some("read_diagram"));
    // The error requires three numbers for each observed state, instead of two numbers for each act.
    let error =
        InfluenceDiagram::from_net(&text.replace("((1 -2 3.5)(4 5 6))", "((1 -2)(3.5 4)(5 6))"));
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("a table of 2 entries, but its variables need 3"),
        "{error}"
    );
}

#[test]
fn deep_lists_do_not_overflow_the_stack() {
    let deep = "(".repeat(1_000_000);
    let text = format!(
        "node a {{ states = (x); }} potential (a) {{ data = {deep} 1 {}; }}",
        ")".repeat(1_000_000)
    );
    let network = Network::from_net(&text).unwrap();
    assert_eq!(network.tables()[0].numbers(), [1.0]);
    let (_, _, mistake) = problem(&format!(
        "node a {{ states = (x); }} potential (a) {{ data = {deep}"
    ));
    assert!(matches!(mistake.kind, MistakeKind::Syntax));
}

const FORMULAS: &str = "net { }
node a { states = (\"false\" \"true\"); subtype = boolean; }
node n { states = (\"none\" \"one\" \"two\"); subtype = number; state_values = (0 1 2); }
node colour { states = (\"red\" \"green\"); }
node sum { states = (low middle high); subtype = interval; state_values = (-infinity 1 2.5 infinity); }
node is { states = (\"false\" \"true\"); subtype = boolean; }
node share { states = (\"0\" \"1\"); subtype = number; }
utility worth { }
potential (a) { data = (0.5 0.5); } potential (n) { data = (0.2 0.3 0.5); } potential (colour) { data = (0.4 0.6); }
potential (sum | n) { model_nodes = (); model_data = ( n * 2 - n ^ 2 / 2 % a remark
  ); }
potential (is | a n colour) { model_data = ( or (and (a, n >= 1), not (colour == \"red\")) ); }
potential (share | a n) { model_nodes = (a); model_data = ( Distribution (1, 3) / 4, if (n > 0, 1, min (n, 5)) ); }
potential (worth | n a) { model_data = ( if (a, -(n + 0.5), max (1, n)) ); }
";

#[test]
fn formulas_over_finite_states_are_tables() {
    let text = FORMULAS.replace("Distribution (1, 3) / 4", "Distribution (0.25, 0.75)");
    let diagram = InfluenceDiagram::from_net(&text).unwrap();
    let numbers = |name: &str| {
        let child = diagram.position(name).unwrap();
        let mut tables = diagram.tables().iter();
        let own = tables.find(|table| table.variables().last() == Some(&child));
        own.unwrap().numbers().to_vec()
    };
    // The possible values are 0, 1.5 and 2.
    assert_eq!(
        numbers("sum"),
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    );
    let mut truths = Vec::new();
    for a in [false, true] {
        for n in 0..3 {
            for is_red in [true, false] {
                let is = a && n >= 1 || !is_red;
                truths.extend([f64::from(u8::from(!is)), f64::from(u8::from(is))]);
            }
        }
    }
    assert_eq!(numbers("is"), truths);
    let shares = [
        0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0,
    ];
    assert_eq!(numbers("share"), shares);
    assert_eq!(
        diagram.utilities()[0].numbers(),
        [1.0, -0.5, 1.0, -1.5, 2.0, -2.5]
    );
    let deep = format!("({}n{})", "(".repeat(5000), ")".repeat(5000));
    let own =
        format!("net {{ }} node n {{ states = (a b); }} potential (n) {{ model_data = {deep}; }}");
    assert!(problem(&own).2.to_string().contains("within each other"));
    let long = own.replace(&deep, &format!("(0{})", "+0".repeat(100_000)));
    assert!(problem(&long).2.to_string().contains("too many operators"));
}
