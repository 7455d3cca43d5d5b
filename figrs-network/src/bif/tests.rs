use figrs_reading::{Mistake, MistakeKind};

use super::super::problem_of::problem_of;
use super::super::{Network, NetworkError, NetworkTable, State, Unknown, Variable, mistakes};

/// Returns the entries of all probability tables of `network`, table by table.
fn numbers(network: &Network) -> Vec<&[f64]> {
    network.tables().iter().map(NetworkTable::numbers).collect()
}

/// Returns the line and the column of the error in the invalid network text `text`, and the error.
fn problem(text: &str) -> (usize, usize, Mistake) {
    problem_of(Network::from_bif(text))
}

#[test]
fn blocks_comments_properties_and_quotes() {
    let network = Network::from_bif(
        r#"// by hand
        network "two words" { property "a; b }" ; /* } */ property x = 1;}
        probability ( wet "the sprinkler" rain ) { // the child stands before its parents
            (off, yes) 0.8 0.2;
            default 0.0 1.0;
            property p ;
            (on, yes) .99, 1e-2;
            (on no) 0.9, 0.1;
        }
        variable wet { property position = (1, 2); type discrete[2] { "yes" no } ; }
        probability ( rain ) { table 0.2 | 0.8; }
        probability ( "the sprinkler" | rain ) { table 0.01, 0.4, // on
            0.99, 0.6; /* off */ }
        variable rain { type discrete [ 2 ] { yes, no }; }
        variable "the sprinkler" { type discrete [2]{on,off}; }"#,
    )
    .unwrap();
    assert_eq!(network.name(), "two words");
    let names: Vec<&str> = network.variables().iter().map(Variable::name).collect();
    assert_eq!(names, ["wet", "rain", "the sprinkler"]);
    assert_eq!(
        numbers(&network),
        [
            &[0.99, 0.01, 0.9, 0.1, 0.8, 0.2, 0.0, 1.0][..],
            &[0.2, 0.8],
            &[0.01, 0.99, 0.4, 0.6],
        ]
    );
    assert_eq!(network.tables()[0].variables(), [2, 1, 0]);
    assert!(network.normalised().is_empty());
    let again = Network::from_bif(&network.to_bif().unwrap()).unwrap();
    assert_eq!(again.name(), "two words");
    assert_eq!(numbers(&again), numbers(&network));
}

#[test]
fn states_of_all_kinds_of_characters() {
    let states =
        "<5, 0-5.5, 1.2E3, >=7, a/b, x.y, C+, 'q', \"a, b\", \"\", \"//\", ü, *, #1, \\, type";
    let text = format!(
        "network n {{}} variable a-b.c {{ type discrete [16] {{ {states} }}; }}
         probability ( a-b.c ) {{ table {}; }}",
        vec!["0.0625"; 16].join(" ")
    );
    let network = Network::from_bif(&text).unwrap();
    let found: Vec<&str> = network.variables()[0]
        .states()
        .iter()
        .map(State::name)
        .collect();
    assert_eq!(found[4..7], ["a/b", "x.y", "C+"]);
    assert_eq!(found[8..11], ["a, b", "", "//"]);
    let again = Network::from_bif(&network.to_bif().unwrap()).unwrap();
    assert!(
        again.variables()[0]
            .states()
            .iter()
            .eq(network.variables()[0].states().iter())
    );
}

#[test]
fn rounded_rows_are_normalised_and_reported() {
    let network = Network::from_bif(
        "network n {}
variable a { type discrete [3] { x, y, z }; }
variable b { type discrete [2] { t, f }; }
probability ( a ) { table 0.333, 0.333, 0.333; }
probability ( b | a ) {
  (x) 0.5, 0.5;
  (z) 0.5, 0.5004;
  (y) 0.1, 0.9;
}",
    )
    .unwrap();
    let third = network.tables()[0].numbers();
    assert!(third.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    assert_eq!(network.tables()[1].numbers()[..4], [0.5, 0.5, 0.1, 0.9]);
    let rows = network.normalised();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].line, rows[0].column, rows[0].variable), (4, 21, 0));
    assert!((rows[0].sum - 0.999).abs() < 1e-15);
    assert_eq!((rows[1].line, rows[1].column, rows[1].row), (7, 3, 2));
    assert_eq!(network.row_name(&rows[1]), "b (z)");
}

/// Returns the BIF text of a network with the variables `a` and `b`, in which line 5 is the text `table`, the probability block of `b`.
fn with(table: &str) -> String {
    format!(
        "network n {{ }}
variable a {{ type discrete [ 2 ] {{ yes, no }}; }}
variable b {{ type discrete [ 2 ] {{ on, off }}; }}
probability ( a ) {{ table 0.5, 0.5; }}
{table}"
    )
}

#[test]
fn a_cycle_names_a_variable_that_is_on_it() {
    let block = |child: &str, parent: &str| {
        format!(
            "variable {child} {{ type discrete [1] {{ x }}; }}
            probability ( {child} | {parent} ) {{ (x) 1; }}\n"
        )
    };
    let text = [("below", "b"), ("a", "b"), ("b", "c"), ("c", "a")].map(|(c, p)| block(c, p));
    let (line, _, problem) = problem(&text.concat());
    let lines = [("a", 4), ("b", 6), ("c", 8)];
    assert!(
        (lines.iter()).any(|&(variable, at)| at == line && problem == mistakes::cycle(variable)),
        "{line}: {problem}"
    );
}

/// Regression test: a BIF file whose beginning was missing was read as a network without variables.
#[test]
fn a_text_without_any_block_is_no_network() {
    for text in ["", " \n", "// comment", "\u{feff}"] {
        let (_, _, problem) = problem(text);
        assert!(matches!(problem.kind, MistakeKind::Syntax), "{problem}");
    }
    assert!(Network::from_bif("network of_nothing { }").is_ok());
}

#[test]
fn large_declarations_do_not_take_memory() {
    let states: Vec<String> = (0..2000).map(|i| format!("s{i}")).collect();
    let states = states.join(" ");
    let variable =
        |name: &str| format!("variable {name} {{ type discrete [2000] {{ {states} }}; }}\n");
    let text = ["a", "b", "c"].map(variable).concat();
    for body in ["", "default 1;"] {
        let (line, _, problem) = problem(&format!("{text}probability ( a | b, c ) {{ {body} }}"));
        assert_eq!(line, 4);
        assert_eq!(problem.kind, MistakeKind::TooLarge);
        assert!(
            problem.problem.starts_with("8000000000 entries"),
            "{problem}"
        );
    }
    let many = "variable a { type discrete [99999999999999999999] { x }; }";
    assert!(matches!(problem(many).2.kind, MistakeKind::Syntax));
}

#[test]
fn names_that_are_not_there_bring_those_that_are() {
    let network = Network::from_bif(&with("probability ( b ) { table 1, 0; }")).unwrap();
    let message = network.element("B").unwrap_err().to_string();
    assert!(
        message.contains("called `B`; did you mean `b`, `a`?"),
        "{message}"
    );
    let error = network.observation("b", "oof").unwrap_err();
    let NetworkError::Unknown(Unknown {
        variable,
        name,
        near,
    }) = error
    else {
        panic!("{error}");
    };
    assert_eq!((variable.as_deref(), &*name), (Some("b"), "oof"));
    assert_eq!(near[0], "off");
}

#[test]
fn text_between_blocks_is_passed_over() {
    let text = format!(
        "Drawn by {{an editor}}, whose \"quotes do not end.\n{}\nThe variable b follows a; probability of each: half.\nnetwork of notes\n",
        with("probability ( b ) { table 0.25, 0.75; } the end")
            .replace("variable b", "by hand variable b")
    );
    let network = Network::from_bif(&text).unwrap();
    assert_eq!(numbers(&network), [[0.5, 0.5], [0.25, 0.75]]);
    assert!(Network::from_text(&text, "notes").is_ok());
}

#[test]
fn states_with_blanks_or_brackets_are_to_be_quoted() {
    let of = |states: &str| format!("variable a {{ type discrete [ 2 ] {{ {states} }}; }}");
    for states in ["Not at all, often", "(17,30], (30,45]", "a, b, c"] {
        let (_, _, mistake) = problem(&of(states));
        assert!(mistake.to_string().contains("quote"), "{mistake}");
    }
    let (_, _, mistake) = problem(&of("Not at all, often"));
    let words = "`a` has a state `Not at all` with blanks";
    assert!(mistake.problem.starts_with(words), "{mistake}");
    let quoted = of("\"(17,30]\" \"Not at all\"");
    let network = Network::from_bif(&format!("{quoted} probability ( a ) {{ table 1, 0; }}"));
    assert_eq!(
        network.unwrap().variables()[0]
            .states()
            .get(1)
            .unwrap()
            .name(),
        "Not at all"
    );
}
