use figrs_reading::{Mistake, MistakeKind};

use super::super::problem_of::problem_of;
use super::super::{Network, NetworkFormat, NetworkReader, State, Variable};

/// A network in which a node has two parents with different numbers of states, where one parent depends on the other; all entries of the tables are
/// different.
const GARDEN: &str = r#"<smile version="1.0" id="garden" numsamples="1000">
<nodes>
  <deterministic id="alarm">
    <state id="off" /><state id="on" />
    <parents>sky hour</parents>
    <resultingstates>off on
      off off on on</resultingstates>
  </deterministic>
  <cpt id="wet" diagtype="observation">
    <state id="yes" default="true" /><state id="no"><label>dry</label></state><state id="partly" />
    <parents>sky	hour</parents>
    <property id="note">by hand</property>
    <probabilities>
      0.01 0.02 0.97 0.03 0.04 0.93
      0.05 0.06 0.89 0.07 0.08 0.85
      0.11 0.12 0.77 0.13 0.14 0.73
    </probabilities>
  </cpt>
  <cpt id="sky"><state id="clear"/><state id="cloudy"/><state id="dark"/><probabilities>0.5 0.3 0.2</probabilities></cpt>
  <cpt id="hour"><state id="day"/><state id="night"/><probabilities>0.6 0.4</probabilities></cpt>
</nodes>
<extensions><genie version="1.0" app="by hand" name="A garden"><node id="wet"><name>Wetness</name></node></genie></extensions>
</smile>"#;

/// Returns the error that occurs when the document `text` is read as a network, and the line and the column of the error.
fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(Network::from_xdsl(text))
}

fn numbers<'n>(network: &'n Network, child: &str) -> &'n [f64] {
    let child = network.position(child).unwrap();
    let mut tables = network.tables().iter();
    let own = tables.find(|t| t.variables().last() == Some(&child));
    own.unwrap().numbers()
}

#[test]
fn the_last_parent_varies_faster_than_the_first_and_the_child_fastest() {
    let network = Network::from_xdsl(GARDEN).unwrap();
    // The name in the extensions of the document is different, and is ignored.
    assert_eq!(network.name(), "garden");
    let names: Vec<&str> = network.variables().iter().map(Variable::name).collect();
    assert_eq!(names, ["alarm", "wet", "sky", "hour"]);
    assert_eq!(network.tables()[1].variables(), [2, 3, 1]);
    // The last row of the table is that of a dark night.
    assert_eq!(numbers(&network, "wet")[15..], [0.13, 0.14, 0.73]);
    assert_eq!(numbers(&network, "wet")[3..6], [0.03, 0.04, 0.93]);
    let alarm = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    assert_eq!(numbers(&network, "alarm"), alarm);
    let written = network.to_text(NetworkFormat::Xdsl).unwrap();
    // Parents are written before their children, and the original order of the variables is restored when the document
    // is read.
    let at = |id: &str| written.find(&format!("<cpt id=\"{id}\">")).unwrap();
    assert!(at("sky") < at("hour") && at("hour") < at("alarm") && at("alarm") < at("wet"));
    let again = Network::from_xdsl(&written).unwrap();
    let kept: Vec<&str> = again.variables().iter().map(Variable::name).collect();
    assert_eq!(kept, names);
    for name in names {
        assert_eq!(numbers(&again, name), numbers(&network, name));
    }
}

#[test]
fn names_that_are_no_identifiers_are_kept_beside_identifiers() {
    let text =
        "network \"my net\" { } variable \"a b\" { type discrete [ 3 ] { 0, \"<&>\", yes }; }
        variable a_b { type discrete [ 1 ] { only }; } probability ( a_b ) { table 1; }
        probability ( \"a b\" | a_b ) { (only) 0.5, 0.25, 0.25; }";
    let network = Network::from_bif(text).unwrap();
    let written = network.to_text(NetworkFormat::Xdsl).unwrap();
    for part in [
        "<smile version=\"1.0\" id=\"my_net\">",
        "<cpt id=\"a_b_2\">",
        "<state id=\"x0\" />",
        "<state id=\"x___\" />",
        "<state id=\"yes\" />",
        "<parents>a_b</parents>",
        "<property id=\"figrs_name\">a b</property>",
        "<property id=\"figrs_state_1\">&lt;&amp;&gt;</property>",
        "name=\"my net\"",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let again = Network::from_xdsl(&written).unwrap();
    assert_eq!(again.name(), "my net");
    let states: Vec<&str> = again.variables()[0]
        .states()
        .iter()
        .map(State::name)
        .collect();
    assert_eq!(
        (again.variables()[0].name(), states),
        ("a b", vec!["0", "<&>", "yes"])
    );
    assert_eq!(again.to_text(NetworkFormat::Xdsl).unwrap(), written);
}

#[test]
fn tables_of_deterministic_nodes_do_not_take_memory_without_end() {
    let states: Vec<String> = (0..10_000)
        .map(|i| format!("<state id=\"s{i}\"/>"))
        .collect();
    let states = states.concat();
    let text = format!(
        "<smile><nodes><decision id=\"d\">{states}</decision><deterministic id=\"a\">{states}<parents>d</parents><resultingstates>{}</resultingstates></deterministic></nodes></smile>",
        "s0 ".repeat(10_000)
    );
    let (_, _, mistake) = problem(&text);
    assert_eq!(mistake.kind, MistakeKind::TooLarge);
    assert!(
        mistake.problem.starts_with("100000000 entries"),
        "{mistake}"
    );
}

/// Compares the table of a noisy-MAX node with a sum over all states that the node's parents and the leak produce.
#[test]
fn a_noisy_max_node_is_the_table_of_the_strongest_state_produced() {
    let text = r#"<smile version="1.0" id="n"><nodes>
        <cpt id="p"><state id="a"/><state id="b"/><state id="c"/><probabilities>0.2 0.3 0.5</probabilities></cpt>
        <cpt id="q"><state id="yes"/><state id="no"/><probabilities>0.6 0.4</probabilities></cpt>
        <noisymax id="y"><state id="high"/><state id="low"/><state id="none"/><parents>p q</parents>
            <strengths>2 0 1 1 0</strengths>
            <parameters>0.5 0.3 0.2 0.1 0.2 0.7 0 0 1 0.4 0.4 0.2 0 0 1 0.05 0.15 0.8</parameters></noisymax>
        </nodes></smile>"#;
    let network = Network::from_xdsl(text).unwrap();
    let (strong, weak) = ([0.5, 0.3, 0.2], [0.1, 0.2, 0.7]);
    let nothing = [0.0, 0.0, 1.0];
    // The list of strengths contains the states c, a, b of `p` and the states no, yes of `q`.
    let by_p = [weak, nothing, strong];
    let by_q = [nothing, [0.4, 0.4, 0.2]];
    let leak = [0.05, 0.15, 0.8];
    let mut expected = Vec::new();
    for p in by_p {
        for q in by_q {
            let mut row = [0.0; 3];
            for (i, x) in p.iter().enumerate() {
                for (j, y) in q.iter().enumerate() {
                    for (k, z) in leak.iter().enumerate() {
                        row[i.min(j).min(k)] += x * y * z;
                    }
                }
            }
            expected.extend(row);
        }
    }
    let found = numbers(&network, "y");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

/// Tests the textbook's umbrella world as a dynamic network: one node depends on earlier time slices, an anchor and a contemporal node, and another
/// node depends on its own time slice.
#[test]
fn dynamic_networks_are_unrolled() {
    let text = r#"<smile id="d"><nodes>
        <cpt id="place"><state id="here"/><state id="there"/><probabilities>0.5 0.5</probabilities></cpt>
        <cpt id="start" dynamic="anchor"><state id="a"/><state id="b"/><probabilities>0.5 0.5</probabilities></cpt>
        <cpt id="rain" dynamic="plate"><state id="yes"/><state id="no"/><parents>start place</parents>
            <probabilities>0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6</probabilities></cpt>
        <deterministic id="wet" dynamic="plate"><state id="yes"/><state id="no"/><parents>rain</parents><resultingstates>yes no</resultingstates></deterministic>
        <cpt id="end" dynamic="terminal"><state id="x"/><state id="y"/><parents>rain</parents><probabilities>0.7 0.3 0.6 0.4</probabilities></cpt>
        </nodes><dynamic numslices="9">
        <cpt id="rain" order="1"><parents>rain</parents><probabilities>0.11 0.89 0.12 0.88 0.13 0.87 0.14 0.86</probabilities></cpt>
        <cpt id="rain" order="2"><parents>wet</parents><probabilities>
            0.21 0.79 0.22 0.78 0.23 0.77 0.24 0.76 0.25 0.75 0.26 0.74 0.27 0.73 0.28 0.72</probabilities></cpt>
        </dynamic></smile>"#;
    let (line, _, mistake) = problem(text);
    assert_eq!((line, mistake), (8, super::read::no_slices(Some(9))));
    let reader = NetworkReader::new().slices(4);
    let network = reader.from_text(text, "d").unwrap();
    let parents = |child: &str| -> Vec<&str> {
        let child = network.position(child).unwrap();
        let mut tables = network.tables().iter();
        let own = tables
            .find(|t| t.variables().last() == Some(&child))
            .unwrap();
        let (_, parents) = own.variables().split_last().unwrap();
        parents
            .iter()
            .map(|&p| network.variables()[p].name())
            .collect()
    };
    assert_eq!(network.variables().len(), 11);
    assert_eq!(parents("rain_0"), ["start", "place"]);
    assert_eq!(parents("rain_1"), ["place", "rain_0"]);
    assert_eq!(parents("rain_2"), ["place", "rain_1", "wet_0"]);
    assert_eq!(parents("rain_3"), ["place", "rain_2", "wet_1"]);
    assert_eq!(
        (parents("wet_2"), parents("end")),
        (vec!["rain_2"], vec!["rain_3"])
    );
    assert_eq!(numbers(&network, "rain_1")[4..6], [0.13, 0.87]);
    assert_eq!(numbers(&network, "rain_3")[..2], [0.21, 0.79]);
    // A definition for a slice may also list all its parents.
    let listed = text.replace(
        "order=\"1\"><parents>rain",
        "order=\"1\"><parents>place rain",
    );
    let same = reader.from_text(&listed, "d").unwrap();
    assert_eq!(numbers(&same, "rain_1"), numbers(&network, "rain_1"));
    let many = NetworkReader::new().slices(u32::MAX).from_text(text, "d");
    let (_, _, mistake) = problem_of(many);
    assert_eq!(mistake.kind, MistakeKind::TooLarge);
    assert!(mistake.problem.contains(" variables"), "{mistake}");
}
