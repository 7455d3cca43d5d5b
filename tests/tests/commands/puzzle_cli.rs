//! Tests of the example that plans puzzles, run as a user runs it.

use std::path::Path;
use std::process::Output;

use figrs_tests::example::{self, text};
use serde_json::{Value as Json, json};

/// Runs the example; arguments with an extension are names of files beside this test.
fn run(arguments: &str) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/puzzle");
    let arguments = arguments.split_whitespace().map(|argument| {
        // An absolute path is not changed.
        if Path::new(argument).extension().is_some() {
            directory.join(argument).to_str().unwrap().to_owned()
        } else {
            argument.into()
        }
    });
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    example::run("puzzle", &arguments)
}

/// Returns the output of the example if it succeeds.
fn words(arguments: &str) -> String {
    let output = run(arguments);
    assert!(
        output.status.success(),
        "{arguments}: {}",
        text(&output.stderr)
    );
    assert_eq!(text(&output.stderr), "", "{arguments}");
    text(&output.stdout)
}

/// Returns the answer in JSON without its times.
fn json(arguments: &str) -> Json {
    let mut found: Json =
        serde_json::from_str(&words(&format!("{arguments} --format json"))).unwrap();
    let seconds = found.as_object_mut().unwrap().remove("seconds").unwrap();
    for time in ["compile", "sample"] {
        assert!(seconds[time].as_f64().unwrap() >= 0.0, "{arguments}");
    }
    found
}

#[test]
fn every_task_answers_in_json() {
    let solved = json("--rules river.kif --task solve");
    assert_eq!(
        (&solved["length"], &solved["plans"]),
        (&json!(7), &json!("2"))
    );
    let plan = solved["plan"].as_array().unwrap();
    assert!(plan.len() == 7 && plan[0] == "(ferry sheep)" && plan[1] == "row");
    for (ask, expected) in [
        ("--task count", json!({"length": 7, "count": "2"})),
        (
            "--task count --steps 9",
            json!({"length": 9, "count": "16"}),
        ),
        ("--task count --at-most 8", json!({"count": "2"})),
        (
            "--task count --method tropical --max-steps 10",
            json!({"length": 7, "count": "2"}),
        ),
    ] {
        assert_eq!(json(&format!("--rules river.kif {ask}")), expected, "{ask}");
    }
    let found = json("--rules river.kif --task probability");
    let log = found["log_probability"].as_f64().unwrap();
    assert!(
        (log - (2.0f64.ln() - 7.0 * 4.0f64.ln())).abs() < 1e-12,
        "{found}"
    );
    assert!((found["probability"].as_f64().unwrap() - log.exp()).abs() < 1e-15);
    let found = json("--rules river.kif --task marginals");
    let steps = found["marginals"].as_array().unwrap();
    assert_eq!(steps.len(), 7);
    assert_eq!(steps[0], json!({"(ferry sheep)": 1.0}));
    assert!((steps[2]["(ferry dog)"].as_f64().unwrap() - 0.5).abs() < 1e-12);
    let found = json("--rules river.kif --task most-likely --policy legal");
    assert!(found["plan"].as_array().unwrap().len() == 7 && found["probability"].is_null());
    let likely = found["log_probability"].as_f64().unwrap();
    let goal = json("--rules river.kif --task probability --policy legal");
    assert!((likely + 2.0f64.ln() - goal["log_probability"].as_f64().unwrap()).abs() < 1e-12);
}

#[test]
fn samples_follow_the_seed() {
    let ask = "--rules lamps.kif --task sample --count 30";
    let first = json(&format!("{ask} --seed 5"));
    assert_eq!(json(&format!("{ask} --seed 5")), first);
    assert_ne!(json(&format!("{ask} --seed 6")), first);
    let samples = first["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 30);
    for sample in samples {
        let mut plan: Vec<&str> = sample["plan"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a.as_str().unwrap())
            .collect();
        plan.sort_unstable();
        let corners = [
            "(switch 1 1)",
            "(switch 1 3)",
            "(switch 2 2)",
            "(switch 3 1)",
            "(switch 3 3)",
        ];
        assert!(plan == corners && sample["length"] == 5);
    }
}

#[test]
fn particles_estimate_what_is_exact() {
    let exact = "--rules river.kif --policy legal --task probability --at-most 9";
    let exact = json(exact);
    let ask = "--rules river.kif --policy legal --task probability --at-most 9 --method particles --seed 2";
    let found = json(ask);
    let [log, truth] = [&found, &exact].map(|found| found["log_probability"].as_f64().unwrap());
    let error = found["standard_error"].as_f64().unwrap();
    // The tolerance is five standard errors, which are small.
    assert!(
        error < 0.05 && (log - truth).abs() < 5.0 * error,
        "{log} {truth} {error}"
    );
    let drawn = json(
        "--rules river.kif --task sample --steps 7 --policy legal --method particles --count 4",
    );
    let samples = drawn["samples"].as_array().unwrap();
    assert!(
        !samples.is_empty()
            && samples
                .iter()
                .all(|sample| sample["plan"][0] == "(ferry sheep)")
    );
}

/// If there are no plans, their number is zero, and there is no other answer.
#[test]
fn numbers_of_no_plans_are_zero() {
    for (task, zero) in [
        ("count", json!({"count": "0"})),
        (
            "probability",
            json!({"probability": 0.0, "log_probability": "-inf"}),
        ),
    ] {
        let ask = format!("--rules river.kif --steps 8 --task {task} --format json");
        let output = run(&ask);
        assert_eq!(output.status.code(), Some(1), "{task}");
        assert!(text(&output.stderr).starts_with("error: impossible: no plan of 8 steps"));
        let mut found: Json = serde_json::from_slice(&output.stdout).unwrap();
        found.as_object_mut().unwrap().remove("seconds").unwrap();
        assert_eq!(found, zero);
    }
}

#[test]
fn text_is_to_be_read() {
    let found = words("--rules towers.kif --stats");
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(
        (lines[0], lines[1], lines[16]),
        ("15 steps", "   1  (put 1 middle)", "plans: 1")
    );
    assert!(
        lines[17].starts_with("stats: facts 12, actions 12, ground_rules "),
        "{found}"
    );
    assert!(lines[18].starts_with("seconds: compile "), "{found}");
    let sampled = words("--rules river.kif --task sample --count 3");
    assert_eq!(
        sampled
            .lines()
            .filter(|line| line.starts_with("(ferry sheep) row "))
            .count(),
        3
    );
}

#[test]
fn answers_go_to_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.json");
    let ask = format!("--rules river.kif --format json --out {}", path.display());
    let output = words(&ask);
    assert_eq!(output, "");
    let found: Json = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(found["length"], 7);
}

#[test]
fn mistakes_are_one_line_and_have_exit_codes() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let open = write("open.kif", "(role r)\n(legal r go");
    let endless = "(role r) (init a) (legal r go) (<= (next a) (true a)) (<= terminal (true b)) (<= (goal r 100) terminal)";
    let endless = write("endless.kif", endless);
    for (ask, code, message) in [
        (
            format!("--rules {open}"),
            2,
            "open.kif:2:1: this `(` is never closed".to_owned(),
        ),
        (
            "--rules /absent/rules.kif".into(),
            2,
            "/absent/rules.kif: the file cannot be read".into(),
        ),
        (
            format!("--rules {endless}"),
            1,
            "impossible: no plan of at most 1000 steps".into(),
        ),
        (
            "--rules river.kif --max-steps 6".into(),
            1,
            "impossible: no plan of at most 6 steps".into(),
        ),
        (
            "--rules river.kif --task sample --steps 8".into(),
            1,
            "impossible: no plan of 8 steps".into(),
        ),
        (
            "--rules river.kif --task sample --steps 7 --method particles --memory 9".into(),
            2,
            "--memory has no effect on --method particles".into(),
        ),
        (
            "--rules tiles.kif --memory 1 --task count".into(),
            1,
            "more than --memory 1MiB holds; allow more memory, or search for one plan by --task solve --method search".into(),
        ),
        (
            "--rules tiles.kif --memory 1 --task sample --count 2".into(),
            1,
            "joint states, of".into(),
        ),
        (
            "--rules river.kif --method search --task count".into(),
            2,
            "--method search needs --task solve".into(),
        ),
        (
            "--rules river.kif --method search --steps 7".into(),
            2,
            "give --at-most instead of --steps".into(),
        ),
        (
            "--rules river.kif --effort 3 --method frontier".into(),
            2,
            "--effort needs --task solve".into(),
        ),
        (
            "--rules river.kif --method search --at-most 6".into(),
            1,
            "impossible: no plan of at most 6 steps".into(),
        ),
        (
            "--rules river.kif --task count --count 3".into(),
            2,
            "--count needs --task sample".into(),
        ),
        (
            "--rules river.kif --seed 3".into(),
            2,
            "--seed needs".into(),
        ),
        (
            "--rules river.kif --policy legal".into(),
            2,
            "--policy has no effect".into(),
        ),
        (
            "--rules river.kif --particles 9".into(),
            2,
            "--particles needs --method particles".into(),
        ),
        (
            "--rules river.kif --method particles".into(),
            2,
            "needs --task probability or sample".into(),
        ),
        (
            "--rules river.kif --method tropical --steps 3".into(),
            2,
            "leave out --steps".into(),
        ),
        (
            "--rules river.kif --task sample --method particles".into(),
            2,
            "needs --steps or --at-most".into(),
        ),
        (
            "--rules river.kif --out /absent/plan".into(),
            2,
            "cannot write /absent/plan".into(),
        ),
    ] {
        let output = run(&ask);
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{ask}: {words}");
        assert!(
            words.contains(&message) && words.lines().count() == 1,
            "{ask}: {words}"
        );
        assert_eq!(text(&output.stdout), "", "{ask}");
    }
    let output = run("--rules river.kif --format png");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&run("--help").stdout).contains("there is no --format png"));
}

#[test]
fn the_best_goal_is_named_where_the_goal_cannot_be_reached() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("doors.kif");
    let rules = "(role robot) (init (at 0)) (<= (legal robot left) (true (at 0))) (<= (legal robot right) (true (at 0)))
        (<= (next (at 1)) (does robot left)) (<= (next (at 2)) (does robot right))
        (<= terminal (true (at 1))) (<= terminal (true (at 2)))
        (<= (goal robot 30) (true (at 1))) (<= (goal robot 60) (true (at 2))) (<= (goal robot 100) (true (at 9)))";
    std::fs::write(&path, rules).unwrap();
    let rules = format!("--rules {}", path.display());
    for (more, part) in [
        ("", "the best goal that such plans reach is 60 (--goal 60)"),
        ("--at-most 1", "reach is 60"),
        ("--steps 1 --task count", "reach is 60"),
        ("--steps 2", "they reach no goal of a lower value either"),
    ] {
        let output = run(format!("{rules} {more}").trim());
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{more}: {words}");
        assert!(words.contains(part), "{more}: {words}");
    }
    assert!(run(&format!("{rules} --goal 60")).status.success());
    let picture = run("--rules river.kif --out plan.png");
    assert_eq!(picture.status.code(), Some(2));
    assert!(text(&picture.stderr).contains("use one of .txt, .json"));
}

/// A puzzle with a row of switches, of which each of the first `needed` has to be thrown: its states do not fit into little memory, but a plan is
/// soon found.
fn row(needed: usize) -> String {
    let switch = |n: usize| {
        format!(
            "(legal r (throw {n})) (<= (next (on {n})) (does r (throw {n}))) (<= (next (on {n})) (true (on {n})))"
        )
    };
    let switches: String = (0..40).map(switch).collect();
    let on: Vec<String> = (0..needed).map(|n| format!("(true (on {n}))")).collect();
    let on = on.concat();
    format!("(<= all {on}) (<= terminal all) (<= (goal r 100) all) {switches}")
}

#[test]
fn one_plan_is_found_where_all_are_too_many() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("row.kif");
    std::fs::write(&path, row(20)).unwrap();
    let rules = format!("--rules {}", path.display());
    let output = run(&format!(
        "{rules} --effort 1 --memory 64 --stats --format json"
    ));
    let words = text(&output.stderr);
    assert!(output.status.success(), "{words}");
    let mut notes = words.lines();
    let role =
        "note: no rule states `role`; the player is `r`, because only `r` has actions and goals";
    assert_eq!(notes.next().unwrap(), role);
    let growth = notes.next().unwrap();
    assert!(
        growth
            .starts_with("note: exact inference explores all states, and after 3 steps there are ")
            && growth.contains(" joint states, of ")
            && growth.contains(" sets of facts `on`; the command searches for one plan instead"),
        "{words}"
    );
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    let plan: Vec<&str> = found["plan"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a.as_str().unwrap())
        .collect();
    let thrown: std::collections::BTreeSet<&str> = plan.iter().copied().collect();
    let needed = |n: usize| thrown.contains(format!("(throw {n})").as_str());
    assert!((0..20).all(needed), "{plan:?}");
    assert_eq!(found["length"], plan.len());
    let at_least = found["at_least"].as_u64().unwrap() as usize;
    assert_eq!(found["shortest"], plan.len() == at_least);
    assert!(
        at_least >= 2 && plan.len() >= 20 && found["plans"].is_null(),
        "{found}"
    );
    assert!(found["stats"]["searched_states"].as_u64().unwrap() > 20);
}

#[test]
fn a_search_says_whether_its_plan_is_proven_shortest() {
    let found = words("--rules towers.kif --method search");
    assert!(found.starts_with("15 steps, proven shortest\n"), "{found}");
    let solved = json("--rules river.kif --method search");
    assert_eq!(solved["length"], 7);
    assert_eq!(
        (&solved["shortest"], &solved["at_least"]),
        (&json!(true), &json!(7))
    );
    assert_eq!(json("--rules river.kif --method search"), solved);
}

#[test]
fn names_that_are_no_role_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("roles.kif");
    let rules = "(role robot) (legal robot go) (legal robt go) (<= (next done) (does robot go)) (<= terminal (true done))
        (<= (goal robot 0) (not terminal)) (<= (goal robot 100) (not (goal robot 0)))";
    std::fs::write(&path, rules).unwrap();
    let output = run(&format!("--rules {}", path.display()));
    assert!(output.status.success());
    assert_eq!(
        text(&output.stderr),
        "note: `robt` is not a role, so its actions and goals are ignored; is it misspelt?\n"
    );
    let rules = "(legal a go) (legal b go) (<= terminal (true done)) (goal a 100)";
    std::fs::write(&path, rules).unwrap();
    let output = run(&format!("--rules {}", path.display()));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("actions and goals name a, b; declare the player"));
}

/// Rules of a puzzle in which the player may throw any of sixty switches, and which never ends.
fn switches() -> String {
    let switch = |n: u32| {
        format!(
            "(legal r (t {n})) (<= (next (b {n})) (does r (t {n}))) \
             (<= (next (b {n})) (true (b {n})) (not (does r (t {n}))))"
        )
    };
    let switches: String = (0..60).map(switch).collect();
    format!(
        "(role r) (init (s 0)) (legal r noop) (<= terminal (true (b 99))) (goal r 100) {switches}"
    )
}

/// The memory of the process is at most one and a half times that of the option, plus 20 MB.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_stated_is_kept() {
    const STATED: u64 = 8;
    let directory = std::env::temp_dir().join(format!("figrs-switches-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let rules = directory.join("switches.kif");
    std::fs::write(&rules, switches()).unwrap();
    let memory = format!("{STATED}MiB");
    let arguments = ["--rules", rules.to_str().unwrap(), "--memory", &memory];
    let mut child = example::start("puzzle", &arguments);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let words = std::fs::read_to_string(&status).unwrap_or_default();
        let line = words.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        peak = kilobytes.map_or(peak, |number| number.parse().unwrap());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::fs::remove_dir_all(&directory).unwrap();
    let output = child.wait_with_output().unwrap();
    let words = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("--memory"), "{words}");
    assert!(peak > 1_000 && peak <= STATED * 1_536 + 20_000, "{peak} kB");
}
