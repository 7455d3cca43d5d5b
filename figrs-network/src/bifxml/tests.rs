use figrs_reading::{Mistake, MistakeKind};

use super::super::problem_of::problem_of;
use super::super::{Network, NetworkFormat, State};

/// A BIFXML document for tests, with a variable that has two parents of different sizes, with numbers that all differ, and with all kinds of content
/// that the reader must skip.
const SPRINKLER: &str = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n\
<!-- by hand -->\r\n\
<!DOCTYPE BIF [\r\n  <!ELEMENT BIF ( NETWORK )*>\r\n  <!ATTLIST BIF VERSION CDATA #REQUIRED>\r\n  <!ENTITY unused \"nothing\">\r\n]>\r\n\
<BIF VERSION=\"0.3\" xmlns=\"http://www.cs.ubc.ca/labs/lci/fopi/ve/XMLBIFv0_3\">\r\n<NETWORK>\r\n<NAME> a &lt;garden&gt; </NAME>\r\n\
<PROPERTY>author <b>unknown</b></PROPERTY>\r\n\
<DEFINITION><FOR>wet &amp; green</FOR><GIVEN>rain</GIVEN><GIVEN>sprinkler</GIVEN>\r\n\
<TABLE>0.01 0.99 <!-- some rain, sprinkler off --> 0.02 9.8e-1\r\n 0.<!-- split -->03 0.97\r\n0.04 0.96 5e-2 .95 <![CDATA[0.06 0.9]]>4</TABLE></DEFINITION>\r\n\
<VARIABLE TYPE=\"nature\"><NAME>rain</NAME><OUTCOME>none</OUTCOME><OUTCOME>some</OUTCOME><OUTCOME>much</OUTCOME>\r\n\
<PROPERTY>position = (1, 2)</PROPERTY></VARIABLE>\r\n\
<VARIABLE><NAME><![CDATA[sprinkler]]></NAME><OUTCOME>o&#110;</OUTCOME><OUTCOME>&#x6f;ff</OUTCOME></VARIABLE>\r\n\
<VARIABLE TYPE='nature'><OUTCOME>&#32;y\r\nes </OUTCOME><OUTCOME/><NAME>wet &amp; green</NAME></VARIABLE>\r\n\
<DEFINITION><FOR>rain</FOR><TABLE>0.5 0.3 0.2</TABLE></DEFINITION>\r\n\
<DEFINITION><TABLE>0.25 0.75</TABLE><FOR>sprinkler</FOR></DEFINITION>\r\n\
</NETWORK></BIF><?end?>\r\n";

/// Returns the line and the column of the error in the invalid document `text`, and the error.
fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(Network::from_bifxml(text))
}

#[test]
fn the_last_parent_varies_faster_than_the_first_and_the_child_fastest() {
    let network = Network::from_bifxml(SPRINKLER).unwrap();
    assert_eq!(network.name(), "a <garden>");
    let names: Vec<(&str, Vec<&str>)> = network
        .variables()
        .iter()
        .map(|v| (v.name(), v.states().iter().map(State::name).collect()))
        .collect();
    assert_eq!(
        names,
        [
            ("rain", vec!["none", "some", "much"]),
            ("sprinkler", vec!["on", "off"]),
            ("wet & green", vec![" y\nes", ""]),
        ]
    );
    let table = &network.tables()[0];
    assert_eq!(table.variables(), [0, 1, 2]);
    let wet = [
        0.01, 0.99, 0.02, 0.98, 0.03, 0.97, 0.04, 0.96, 0.05, 0.95, 0.06, 0.94,
    ];
    assert_eq!(table.numbers(), wet);
    assert_eq!(network.tables()[1].numbers(), [0.5, 0.3, 0.2]);
    assert_eq!(network.tables()[2].numbers(), [0.25, 0.75]);
    let written = network.to_text(NetworkFormat::Bifxml).unwrap();
    let again = Network::from_text(&written, "again").unwrap();
    assert_eq!(again.name(), network.name());
    assert_eq!(
        again.variables()[2].states().get(0).map(State::name),
        Some(" y\nes")
    );
    assert_eq!(again.tables()[0].numbers(), wet);
}

/// Returns a BIFXML document that has a variable `a` with two states, followed by the text `more`.
fn with(more: &str) -> String {
    format!(
        "<BIF><NETWORK>\n<VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>\n{more}\n</NETWORK></BIF>"
    )
}

#[test]
fn documents_that_are_no_network_are_refused() {
    // A text has already been decoded, so the encoding in its declaration is ignored.
    let latin = "<?xml version=\"1.1\" encoding=\"ISO-8859-1\"?><BIF><NETWORK><NAME>ü</NAME></NETWORK></BIF>";
    assert_eq!(Network::from_bifxml(latin).unwrap().name(), "ü");
    let error = Network::from_text("<html/>", "page")
        .unwrap_err()
        .to_string();
    assert_eq!(error, "page:1:1: expected <BIF> or <smile>, found `<html>`");
}

#[test]
fn many_attributes_are_read_in_linear_time() {
    let attributes: Vec<String> = (0..200_000).map(|i| format!(" a{i}=''")).collect();
    let text = format!(
        "<VARIABLE{} TYPE='free'><NAME>b</NAME></VARIABLE>",
        attributes.concat()
    );
    let (line, _, mistake) = problem(&with(&text));
    assert_eq!(line, 3);
    assert!(mistake.to_string().contains("found `free`"), "{mistake}");
}

#[test]
fn deep_documents_do_not_overflow_the_stack() {
    let deep = "<a>".repeat(1_000_000);
    let (_, _, mistake) = problem(&format!("<BIF><NETWORK><PROPERTY>{deep}"));
    let words = "the end of an element";
    assert!(mistake.to_string().contains(words), "{mistake}");
    let closed = format!("<PROPERTY>{deep}{}</PROPERTY>", "</a>".repeat(1_000_000));
    let (_, _, mistake) = problem(&with(&closed));
    assert!(mistake.kind == MistakeKind::Missing);
}
