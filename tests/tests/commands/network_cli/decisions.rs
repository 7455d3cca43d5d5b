//! Tests of influence diagrams on the command line.

use figrs_tests::example::text;
use serde_json::json;

use crate::network_cli::files::{Files, assert_near, keys};

/// An influence diagram of a company that may be founded after a survey of its market, which costs something.
const COMPANY: &str = r#"<smile version="1.0" id="company"><nodes>
    <cpt id="market"><state id="poor"/><state id="fair"/><state id="good"/>
        <probabilities>0.5 0.3 0.2</probabilities></cpt>
    <decision id="ask"><state id="yes"/><state id="no"/></decision>
    <cpt id="survey"><state id="none"/><state id="bad"/><state id="mixed"/><state id="excellent"/>
        <parents>ask market</parents>
        <probabilities>0 0.6 0.3 0.1 0 0.3 0.4 0.3 0 0.1 0.4 0.5 1 0 0 0 1 0 0 0 1 0 0 0</probabilities></cpt>
    <decision id="found"><state id="yes"/><state id="no"/><parents>ask survey</parents></decision>
    <utility id="price"><parents>ask</parents><utilities>-1 0</utilities></utility>
    <utility id="profit"><parents>found market</parents><utilities>-7 5 20 0 0 0</utilities></utility>
</nodes></smile>"#;

/// An influence diagram in the other format: a test without information, and a treatment.
const TREATMENT: &str = r#"<BIF VERSION="0.3"><NETWORK><NAME>treatment</NAME>
  <VARIABLE TYPE="nature"><NAME>ill</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
  <VARIABLE TYPE="decision"><NAME>treat</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
  <VARIABLE TYPE="nature"><NAME>well</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
  <VARIABLE TYPE="utility"><NAME>worth</NAME></VARIABLE>
  <DEFINITION><FOR>ill</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
  <DEFINITION><FOR>treat</FOR><GIVEN>ill</GIVEN></DEFINITION>
  <DEFINITION><FOR>well</FOR><GIVEN>ill</GIVEN><GIVEN>treat</GIVEN>
    <TABLE>0.5 0.5 0.25 0.75 0.75 0.25 1 0</TABLE></DEFINITION>
  <DEFINITION><FOR>worth</FOR><GIVEN>well</GIVEN><TABLE>8 0</TABLE></DEFINITION>
</NETWORK></BIF>"#;

fn files() -> Files {
    let files = Files::new();
    std::fs::write(files.path("company.xdsl"), COMPANY).unwrap();
    std::fs::write(files.path("treatment.bifxml"), TREATMENT).unwrap();
    let huge = COMPANY.replace("<utilities>-1 0", "<utilities>-1e308 0");
    std::fs::write(files.path("huge.xdsl"), huge).unwrap();
    files
}

#[test]
fn policies_name_what_matters() {
    let files = files();
    let found = files.json("--file company.xdsl --task decide");
    // The number is printed without the rounding errors of the sum.
    assert_eq!(found["expected_utility"], json!(2.25));
    assert_eq!(keys(&found["policies"]), ["ask", "found"]);
    let ask = &found["policies"]["ask"];
    assert_eq!(ask.as_array().unwrap().len(), 1);
    assert_eq!(
        (&ask[0]["known"], &ask[0]["choose"]),
        (&json!({}), &json!("yes"))
    );
    assert_near(&ask[0]["utility"], 2.25);
    let expected = [
        ("none", "yes", 2.0),
        ("bad", "no", -1.0),
        ("mixed", "yes", 1.15 / 0.35 - 1.0),
        ("excellent", "yes", 2.1 / 0.24 - 1.0),
    ];
    let rows = found["policies"]["found"].as_array().unwrap();
    assert_eq!(rows.len(), expected.len());
    for (row, (survey, choose, utility)) in rows.iter().zip(expected) {
        assert_eq!(row["known"], json!({ "survey": survey }));
        assert_eq!(row["choose"], json!(choose), "{survey}");
        assert_near(&row["utility"], utility);
    }
    let table = files.text("--file company.xdsl --task decide");
    assert!(
        table.starts_with("expected utility 2.250000\n\nask  utility\nyes  2.250000\n"),
        "{table}"
    );
}

#[test]
fn evidence_is_known_and_observed_decisions_are_made() {
    let files = files();
    let found = files.json("--file company.xdsl --task decide --observe market=good");
    assert_near(&found["expected_utility"], 20.0);
    let found = files.json("--file company.xdsl --task decide --observe ask=no");
    assert_near(&found["expected_utility"], 2.0);
    let found = files.json("--file treatment.bifxml --task decide");
    // Only ill persons are treated, half of whom recover; all others are well.
    assert_near(&found["expected_utility"], 8.0 * (0.25 * 0.5 + 0.75));
    let limited = files.json("--file company.xdsl --task decide --limited-memory");
    assert_near(&limited["expected_utility"], 2.25);
    assert_eq!(limited["optimal"], json!(true));
}

#[test]
fn what_cannot_be_decided_is_told() {
    let files = files();
    for (arguments, code, part) in [
        ("--file garden.bif --task decide", 2, "has no utilities"),
        ("--file company.xdsl", 2, "`ask` is a decision"),
        (
            "--file company.xdsl --task decide --memory 7",
            1,
            "or use --limited-memory",
        ),
        (
            "--file huge.xdsl --task decide",
            2,
            "huge.xdsl:9:58: the number -1e308 cannot be a utility",
        ),
        (
            "--file company.xdsl --task decide --query ask",
            2,
            "--query has no effect on this --task decide",
        ),
        (
            "--file company.xdsl --task decide --repeat 2",
            2,
            "--repeat has no effect on this --task decide",
        ),
        (
            "--file garden.bif --limited-memory",
            2,
            "it needs --task decide",
        ),
        (
            "--file company.xdsl --task decide --observe survey=sad",
            2,
            "survey",
        ),
        (
            "--file company.xdsl --task decide --algorithm enumerate",
            2,
            "--algorithm has no effect on this --task decide",
        ),
        (
            "--file company.xdsl --task decide --observe survey=bad",
            1,
            "the decision `ask` influences the observed `survey`",
        ),
        (
            "--file company.xdsl --task decide --observe ask=no survey=bad",
            1,
            "impossible",
        ),
    ] {
        let output = files.run(arguments);
        let message = text(&output.stderr);
        assert!(message.contains(part), "{arguments}: {message}");
        assert_eq!(output.status.code(), Some(code), "{arguments}: {message}");
    }
}
