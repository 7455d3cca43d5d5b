//! Tests of every mistake in rules, with its position, and of every reason why there is no plan.

use std::time::{Duration, Instant};

use figrs::gdl::{FileError, GdlError, GroundingLimits, Length, MistakeKind, Policy, Puzzle};
use figrs::prelude::*;

/// A complete set of rules with one action, which ends the puzzle.
const COMPLETE: &str = "(role r) (init (n 0)) (legal r go) (<= (next (n 1)) (does r go)) (<= terminal (true (n 1))) \
    (<= (goal r 100) (true (n 1)))";

/// Returns the error of the file in some rules.
#[track_caller]
fn refused(rules: &str) -> FileError {
    match Puzzle::parse(rules) {
        Err(GdlError::File(error)) => error,
        other => panic!("{rules:.80}: {other:?}"),
    }
}

/// Returns the line, column, kind and message of the mistake in some rules, which begin on the second line.
#[track_caller]
fn mistake(rules: &str) -> (usize, usize, MistakeKind, String) {
    let error = refused(&format!("{COMPLETE}\n{rules}"));
    assert_eq!(error.place, "rules");
    let (line, column) = error.position.unwrap();
    (line, column, error.kind(), error.mistake.to_string())
}

#[test]
fn mistakes_of_form_have_places() {
    use MistakeKind::{Count, Syntax, TooLarge};
    let unclosed = "this `(` is never closed; add `)`";
    let empty = "an empty list; write a relation or a function after the `(`";
    let no_name = |found: &str| {
        format!("expected the name of a relation or a function, found {found}; write a word")
    };
    let misplaced = |name: &str, position: &str| format!("`{name}` cannot stand {position}");
    let arity = |name: &str, found: &str, expected: u32, elsewhere: &str| {
        format!(
            "`{name}` has {found} here and {expected} {elsewhere}; use the same number in both places"
        )
    };
    let (language, first) = ("in the language", "at its first use");
    let deep = "(".repeat(100_000);
    let many = format!("(<= c {})", "(or a b) ".repeat(12));
    for (rules, line, column, kind, expected) in [
        ("(a b\n(c d)", 2, 1, Syntax, unclosed.into()),
        ("(a ; )\n (c d", 3, 2, Syntax, unclosed.into()),
        ("(a b)\n\n  )", 4, 3, Syntax, "this `)` closes nothing; remove it".into()),
        (&deep, 2, 65, TooLarge, "more than 64 parentheses are open at once; nest terms less deeply".into()),
        ("(a ())", 2, 4, Syntax, empty.into()),
        ("()", 2, 1, Syntax, empty.into()),
        ("((a) b)", 2, 2, Syntax, no_name("a list")),
        ("(?x b)", 2, 1, Syntax, no_name("the variable `?x`")),
        ("(a (?x b))", 2, 4, Syntax, no_name("the variable `?x`")),
        ("(<=)", 2, 1, Syntax, misplaced("<=", "without a head after it")),
        ("(or a b)", 2, 1, Syntax, misplaced("or", "as the head of a rule")),
        ("(<= (distinct a b) c)", 2, 5, Syntax, misplaced("distinct", "as the head of a rule")),
        ("(true (n 3))", 2, 1, Syntax, misplaced("true", "as the head of a rule; state `next`, `init` or `legal`")),
        ("(<= a (<= b c))", 2, 7, Syntax, misplaced("<=", "as a condition")),
        ("(<= a b\n  (next (n 1)))", 3, 3, Syntax, misplaced("next", "as a condition; use `true`")),
        ("(a (not b))", 2, 4, Syntax, misplaced("not", "in a term")),
        ("(<= a (not b c))", 2, 7, Count, arity("not", "2 arguments", 1, language)),
        ("(<= a (distinct b))", 2, 7, Count, arity("distinct", "1 argument", 2, language)),
        ("(legal r)", 2, 1, Count, arity("legal", "1 argument", 2, language)),
        ("(a b)\n(<= c (a b b))", 3, 7, Count, arity("a", "2 arguments", 1, first)),
        ("(a (f b)) (b (f c c))", 2, 14, Count, arity("f", "2 arguments", 1, first)),
        (
            &many,
            2,
            70,
            TooLarge,
            "more than 2000 conditions after `or` is multiplied out; split the rule with relations of its own".into(),
        ),
    ] {
        assert_eq!(mistake(rules), (line, column, kind, expected), "{rules:.80}");
    }
}

#[test]
fn mistakes_of_meaning_have_places() {
    use MistakeKind::{Contradiction, Missing};
    let free = |variable: &str| {
        format!(
            "the variable `{variable}` occurs in no positive condition of its rule; add one that lists its values"
        )
    };
    let cycle = |relation: &str, cycle: &str| {
        format!(
            "`{relation}` depends on its own negation through this condition ({cycle}); break the cycle of rules"
        )
    };
    let depends = |relation: &str, on: &str| {
        format!("`{relation}` depends on {on}, which is determined later; remove the condition")
    };
    let state = "the state (`true`, `legal`, `goal` or `terminal`)";
    let drawn = "the move (`does`)";
    for (rules, line, column, kind, expected) in [
        ("(a ?x)", 2, 1, Missing, free("?x")),
        ("(a b) (<= (c ?y)\n (a ?x))", 2, 11, Missing, free("?y")),
        ("(a b) (<= c (not (a ?Z)))", 2, 18, Missing, free("?z")),
        ("(<= c (distinct ?x b))", 2, 7, Missing, free("?x")),
        (
            "(<= a (not b))\n(<= b a)",
            2,
            12,
            Contradiction,
            cycle("a", "a if not b, b if a"),
        ),
        (
            "(<= a (not a))",
            2,
            12,
            Contradiction,
            cycle("a", "a if not a"),
        ),
        (
            "(edge 1 2) (edge 2 1)\n(<= (won ?x) (edge ?x ?y) (not (won ?y)))",
            3,
            32,
            Contradiction,
            cycle("(won 1)", "(won 1) if not (won 2), (won 2) if not (won 1)"),
        ),
        (
            "(<= (next (n 2)) odd) (<= odd (true (n 1)) even)\n(<= even (not odd) (true (n 0)))",
            3,
            15,
            Contradiction,
            cycle("even", "even if not odd, odd if even"),
        ),
        (
            "(<= (legal r wait) (does r go))",
            2,
            20,
            Contradiction,
            depends("legal", drawn),
        ),
        (
            "(<= a (does r go)) (<= terminal a)",
            2,
            33,
            Contradiction,
            depends("terminal", drawn),
        ),
        (
            "(<= (init (n 2)) (does r go))",
            2,
            18,
            Contradiction,
            depends("init", drawn),
        ),
        (
            "(<= (init (n 2)) (true (n 1)))",
            2,
            18,
            Contradiction,
            depends("init", state),
        ),
        (
            "(<= a terminal) (<= (role s) a)",
            2,
            30,
            Contradiction,
            depends("role", state),
        ),
    ] {
        assert_eq!(mistake(rules), (line, column, kind, expected), "{rules}");
    }
}

#[test]
fn messages_name_the_place_and_the_remedy() {
    let error = Puzzle::parse("(role r)\n(legal r go").unwrap_err();
    assert_eq!(
        error.to_string(),
        "rules:2:1: this `(` is never closed; add `)`"
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rules.kif");
    let read = || Puzzle::read(&path).unwrap_err();
    let GdlError::File(error) = read() else {
        panic!("{}", read())
    };
    assert_eq!(error.kind(), MistakeKind::Unreadable);
    std::fs::write(&path, b"(role r)\n; \xe4\n").unwrap();
    assert!(
        read()
            .to_string()
            .ends_with("rules.kif:2:3: not UTF-8; save the file as UTF-8")
    );
    std::fs::write(&path, "(role r)").unwrap();
    assert!(
        read()
            .to_string()
            .contains("rules.kif: no rule states `legal`")
    );
}

#[test]
fn what_is_missing_is_told() {
    for (relation, without) in [
        ("legal", "(legal r go)"),
        ("goal", "(<= (goal r 100) (true (n 1)))"),
        ("terminal", "(<= terminal (true (n 1)))"),
    ] {
        let error = refused(&COMPLETE.replace(without, ""));
        assert_eq!(error.kind(), MistakeKind::Missing);
        let words = format!("no rule states `{relation}`");
        assert_eq!((error.mistake.problem, error.position), (words, None));
    }
    // No role is declared, so that nobody acts.
    let nobody = "(role r)".len();
    let rules = COMPLETE[nobody..].replace(" r ", " ?r ");
    assert_eq!(refused(&rules).kind(), MistakeKind::Missing);
    // A rule whose head makes something a role, but whose conditions never hold, defines no player.
    let rules = COMPLETE.replace("(role r)", "(thing a) (<= (role r) (thing b))");
    assert_eq!(refused(&rules).mistake.problem, "no rule states `role`");
}

#[test]
fn several_players_are_named() {
    let error = refused(&format!("{COMPLETE} (role s)"));
    assert_eq!(error.kind(), MistakeKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "rules: the rules have 2 roles (r, s), but a plan is for one role; write rules with one role"
    );
}

#[test]
fn the_player_may_be_undeclared() {
    let undeclared = COMPLETE.replace("(role r)", "");
    let puzzle = Puzzle::parse(&undeclared).unwrap();
    assert_eq!((puzzle.role(), puzzle.is_role_inferred()), ("r", true));
    assert_eq!(puzzle.shortest(&Frontier::new(), 9).unwrap().steps(), 1);
    let declared = Puzzle::parse(COMPLETE).unwrap();
    assert!(!declared.is_role_inferred() && declared.undeclared_roles().is_empty());
    let error = refused(&format!("{undeclared} (legal s wait)"));
    assert_eq!(error.kind(), MistakeKind::Missing);
    assert_eq!(
        error.to_string(),
        "rules: no rule states `role`, and actions and goals name r, s; declare the player, such as `(role r)`"
    );
}

/// Actions of an undeclared player have no effect, and goals of that player do not count.
#[test]
fn others_than_the_player_count_for_nothing() {
    let more = "(legal s wait) (<= (next (n 1)) (does s wait)) (goal s 100) (goal (f s) 100) (<= (next (n 2)) (does robot wait))";
    let puzzle = Puzzle::parse(&format!("{COMPLETE} {more}")).unwrap();
    assert_eq!(puzzle.undeclared_roles(), ["s", "(f s)", "robot"]);
    assert_eq!((puzzle.actions(), puzzle.role()), (1, "r"));
    assert_eq!(puzzle.shortest(&Frontier::new(), 9).unwrap().steps(), 1);
    assert!(!puzzle.is_solved(&puzzle.start()));
}

#[test]
fn values_of_goals_are_numbers() {
    for value in ["much", "101", "-1", "(f 1)"] {
        let rules = format!("{COMPLETE} (<= (goal r {value}) (true (n 0)))");
        let error = refused(&rules);
        assert_eq!(error.kind(), MistakeKind::Value);
        let words = format!("the value `{value}` of a goal is not a number from 0 to 100");
        assert_eq!(error.mistake.problem, words);
    }
}

/// Returns facts with the numbers 0, 1, 2 and so on.
fn numbered(name: &str, count: usize) -> String {
    let facts: Vec<String> = (0..count).map(|i| format!("({name} {i})")).collect();
    facts.concat()
}

#[test]
fn what_grows_without_end_is_stopped() {
    let exceeded = |rules: &str, limits: GroundingLimits| match Puzzle::parse_within(rules, limits)
    {
        Err(error) => {
            let words = error.to_string();
            let GdlError::TooLarge {
                relation,
                what,
                limit,
                ..
            } = error
            else {
                panic!("{words}")
            };
            assert!(
                words.contains(&format!("in a rule of `{relation}`")),
                "{words}"
            );
            (what, limit, relation)
        }
        other => panic!("{other:?}"),
    };
    let counting = format!("{COMPLETE} (<= (next (n (s ?x))) (true (n ?x)))");
    assert_eq!(
        exceeded(&counting, GroundingLimits::default()),
        ("levels of nested terms", 64, "next".into())
    );
    let lists = format!("{COMPLETE} (<= (next (n (f ?x ?y))) (true (n ?x)) (true (n ?y)))");
    assert_eq!(
        exceeded(&lists, GroundingLimits::default().facts(1000)),
        ("facts", 1000, "next".into())
    );
    let things = numbered("thing", 20);
    let cubes = "(<= (next (m ?x ?y ?z)) (thing ?x) (thing ?y) (thing ?z))";
    let rules = format!("{COMPLETE} {things} {cubes}");
    assert_eq!(
        exceeded(&rules, GroundingLimits::default().rules(5000)),
        ("rules", 5000, "next".into())
    );
    assert_eq!(
        exceeded(&rules, GroundingLimits::default().facts(7000)),
        ("facts", 7000, "next".into())
    );
    let never =
        format!("{COMPLETE} {things} (<= no (thing ?x) (thing ?y) (thing ?z) (distinct ?z ?z))");
    let matches = GroundingLimits::default().matches(3000);
    assert_eq!(
        exceeded(&never, matches),
        ("matches of conditions", 3000, "no".into())
    );
    assert!(Puzzle::parse_within(&rules, GroundingLimits::default()).is_ok());
    assert_eq!(GroundingLimits::times(1), GroundingLimits::default());
    let twice = GroundingLimits::default().facts(2_000_000).rules(4_000_000);
    assert_eq!(GroundingLimits::times(2), twice.matches(400_000_000));
}

/// Regression test: parsed expressions took fifty times the memory of their text.
#[test]
fn texts_of_too_many_words_are_not_read() {
    let (line, _, kind, words) = mistake(&"a ".repeat(2_100_000));
    assert_eq!((line, kind), (2, MistakeKind::TooLarge));
    assert!(words.starts_with("more than 2000000 words"), "{words}");
}

/// Regression test: each round evaluated all rules, which made ten thousand million evaluations for a chain as long as this one.
#[test]
fn long_chains_of_rules_take_no_longer_than_their_facts() {
    let started = Instant::now();
    for (first, link) in [("(p0 1)", ""), ("(<= (p0 1) (true (n 0)))", "(true (n 0))")] {
        let rules = (0..100_000).map(|i| format!("(<= (p{} ?x) (p{i} ?x) {link})", i + 1));
        let rules = format!("{COMPLETE} {first} {}", rules.collect::<String>());
        let puzzle = Puzzle::parse(&rules).unwrap();
        assert_eq!(puzzle.actions(), 1);
    }
    assert!(started.elapsed() < Duration::from_secs(60));
}

/// Rules of a cycle of three states that does not contain the goal.
const ROUND: &str = "(role r) (init (at 1)) (legal r on) (after 1 2) (after 2 3) (after 3 1) \
    (<= (next (at ?y)) (true (at ?x)) (after ?x ?y)) (<= terminal (true (at 4))) (<= (goal r 100) terminal)";

#[test]
fn impossible_puzzles_say_so() {
    let words = |error: Result<usize, GdlError>| error.unwrap_err().to_string();
    let frontier = Frontier::new();
    let round = Puzzle::parse(ROUND).unwrap();
    let shortest = |puzzle: &Puzzle, most| puzzle.shortest(&frontier, most).map(|s| s.steps());
    // The states repeat after three steps, which proves that there is no plan.
    assert_eq!(
        words(shortest(&round, 50)),
        "impossible: no plan of at most 50 steps meets the goal, and no longer plan does"
    );
    assert_eq!(
        words(shortest(&round, 1)),
        "impossible: no plan of at most 1 step meets the goal; try other lengths"
    );
    assert_eq!(
        words(round.cheapest(&frontier, 20)),
        "impossible: no plan of at most 20 steps meets the goal; try other lengths"
    );
    let survey = round
        .survey(&frontier, Length::Exactly(7))
        .map(|s| s.steps());
    assert_eq!(
        words(survey),
        "impossible: no plan of 7 steps meets the goal; try other lengths"
    );
    // No action is legal any more, so that no state remains.
    let stuck =
        Puzzle::parse(&ROUND.replace("(legal r on)", "(<= (legal r on) (true (at 1)))")).unwrap();
    assert!(words(shortest(&stuck, 50)).ends_with("and no longer plan does"));
    // A program of a length for which there are no plans has impossible evidence.
    let program = round.elements(Length::Exactly(2), Policy::Blind);
    let compiled = frontier.compile(program.model(), program.moves()).unwrap();
    assert_eq!(compiled.count().unwrap().to_string(), "0");
    assert!(matches!(
        compiled.samples(1).err(),
        Some(figrs::Error::ImpossibleEvidence { .. })
    ));
}

/// Returns a puzzle of a row of switches, which has many states.
fn switches(count: usize) -> Puzzle {
    let all = numbered("switch", count);
    let rules = format!(
        "(role r) {all} (<= (legal r (turn ?x)) (switch ?x)) (<= (next (on ?x)) (true (on ?x)))
         (<= (next (on ?x)) (does r (turn ?x))) (<= dark (switch ?x) (not (true (on ?x))))
         (<= terminal (not dark)) (<= (goal r 100) (not dark))"
    );
    Puzzle::parse(&rules).unwrap()
}

#[test]
fn what_does_not_fit_is_told_before_it_is_tried() {
    let puzzle = switches(10);
    let frontier = Frontier::new();
    let survey = puzzle.shortest(&frontier, 100).unwrap();
    assert_eq!((survey.steps(), survey.states()), (10, 1023));
    assert!(survey.within(survey.bytes()).is_ok());
    let error = survey.within(survey.bytes() - 1).unwrap_err();
    let GdlError::OverBudget {
        steps,
        states,
        needed,
        limit,
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(
        (steps, states, needed, limit),
        (10, 1023, survey.bytes(), survey.bytes() - 1)
    );
    let error = puzzle
        .shortest(&Frontier::new().memory(10_000), 100)
        .unwrap_err();
    let too_large = matches!(
        error,
        GdlError::Inference(figrs::Error::FrontierTooLarge { .. })
    );
    assert!(too_large, "{error}");
}
