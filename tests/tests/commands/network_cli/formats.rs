//! Tests of the formats of networks, of conversion, and of standard input.

use figrs_tests::example::text;

use crate::network_cli::files::{DOCUMENT, Files, assert_near, keys};

/// The formats that have names of variables, by their extensions.
const NAMED: [&str; 5] = ["bif", "bifxml", "xml", "net", "xdsl"];

#[test]
fn every_format_is_converted_to_every_other_one() {
    let files = Files::new();
    let evidence = "--observe grass=wet";
    let marginals = files.json(&format!("--file garden.bif {evidence}"));
    for to in NAMED {
        let convert = format!("--file garden.bif --task convert --out copy.{to}");
        assert_eq!(files.text(&convert), "");
        let found = files.json(&format!("--file copy.{to} {evidence}"));
        assert_eq!(found["marginals"], marginals["marginals"], "{to}");
        for again in NAMED {
            files.text(&format!(
                "--file copy.{to} --task convert --out again.{again}"
            ));
            let found = files.json(&format!("--file again.{again} {evidence}"));
            assert_eq!(
                found["marginals"], marginals["marginals"],
                "{to} to {again}"
            );
        }
        files.text(&format!("--file copy.{to} --task convert --out again.uai"));
        let found = files.json("--file again.uai --observe 0=0 --query 1");
        let expected = marginals["marginals"]["rain"]["yes"].as_f64().unwrap();
        assert_near(&found["marginals"]["1"]["0"], expected);
        files.text(&format!(
            "--file again.uai --task convert --out indexed.{to}"
        ));
        let found = files.json(&format!("--file indexed.{to} --observe 0=0 --query 1"));
        assert_near(&found["marginals"]["1"]["0"], expected);
    }
}

#[test]
fn documents_are_recognised_under_any_extension() {
    let files = Files::new();
    std::fs::copy(files.path("document.bif"), files.path("document.txt")).unwrap();
    for file in ["document.bif", "document.txt"] {
        let found = files.json(&format!("--file {file} --query side"));
        assert_near(&found["marginals"]["side"]["heads up"], 0.625);
    }
}

#[test]
fn standard_input_is_read_in_every_format() {
    let files = Files::new();
    let document = files.run_with_input("--file - --query side", DOCUMENT);
    assert!(text(&document.stdout).contains("0.625000"));
    for format in NAMED.iter().chain(&["uai"]) {
        let out = format!("copy.{format}");
        files.text(&format!("--file garden.bif --task convert --out {out}"));
        let input = std::fs::read_to_string(files.path(&out)).unwrap();
        let output = files.run_with_input("--file - --task evidence --format json", &input);
        assert!(output.status.success(), "{}", text(&output.stderr));
        files.text(&format!("--file {out} --task convert --out whole.bif"));
        let convert = files.run_with_input("--file - --task convert --out piped.bif", &input);
        assert!(convert.status.success(), "{}", text(&convert.stderr));
        let read = |name: &str| std::fs::read_to_string(files.path(name)).unwrap();
        assert_eq!(read("piped.bif"), read("whole.bif"), "{format}");
    }
    let data = "grass,rain\nwet,yes\nwet,\n,no\n";
    let learn = "--file garden.bif --task learn --iterations 2 --format json --data";
    let piped = files.run_with_input(&format!("{learn} -"), data);
    std::fs::write(files.path("data.csv"), data).unwrap();
    let whole = files.run(&format!("{learn} data.csv"));
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    assert_eq!(text(&piped.stdout), text(&whole.stdout));
    let learned = files.text(&format!("{learn} data.csv --out learned.xdsl"));
    assert_eq!(learned, text(&whole.stdout));
    files.text("--file learned.xdsl");
}

#[test]
fn what_cannot_be_converted_gives_one_line_and_exit_code_two() {
    let files = Files::new();
    for (arguments, input, words) in [
        (
            "--file -",
            "",
            "standard input:1:1: expected a network in BIF",
        ),
        (
            "--file -",
            "<BIF>",
            "standard input:1:6: expected the end of an element",
        ),
        (
            "--file - --task learn --data -",
            "",
            "--file and --data are both -",
        ),
        (
            "--file choice.xdsl",
            "",
            "choice.xdsl:1:15: `choice` is a decision node, so this is an influence diagram, not a network of chance nodes alone; solve it by \
             --task decide instead of --task marginals",
        ),
        (
            "--file choice.xdsl --task convert --out choice.net",
            "",
            "solve it by --task decide instead of --task convert",
        ),
        (
            "--task learn --file choice.xdsl --data -",
            "",
            "solve it by --task decide instead of --task learn",
        ),
        (
            "--file pair.uai --task convert --out pair.xdsl",
            "",
            "cannot be written as XDSL; write it as UAI",
        ),
        (
            "--file garden.bif --task convert",
            "",
            "--task convert needs --out FILE",
        ),
        (
            "--file garden.bif --task convert --out garden.txt",
            "",
            "--out of --task convert must end in .bif, .bifxml, .net, .uai or .xdsl",
        ),
        (
            "--file garden.bif --task convert --out garden.bif",
            "",
            "name the same file",
        ),
        (
            "--file garden.bif --task convert --out pair.uai --observe rain=yes",
            "",
            "--observe has no effect on this --task convert",
        ),
        (
            "--file garden.bif --task convert --data data.csv --out pair.uai",
            "",
            "it needs --task learn, score or predict",
        ),
    ] {
        files.refuses_input(arguments, input, words);
    }
}

#[test]
fn what_is_written_is_told_as_json() {
    let files = Files::new();
    let found = files.json("--file garden.bif --task convert --out copy.xdsl");
    assert_eq!(keys(&found), ["file", "format"]);
    assert_eq!(found["file"], files.path("copy.xdsl").as_str());
    assert_eq!(found["format"], "XDSL");
    let found = files.json("--file garden.bif --task sample --count 3 --out drawn.csv");
    assert_eq!(
        keys(&found),
        [
            "file",
            "rows",
            "algorithm",
            "exact",
            "tried",
            "cost",
            "seconds"
        ]
    );
    assert_eq!(found["file"], files.path("drawn.csv").as_str());
    assert_eq!(found["rows"], 3);
    let drawn = std::fs::read_to_string(files.path("drawn.csv")).unwrap();
    assert_eq!(drawn.lines().count(), 4);
}
