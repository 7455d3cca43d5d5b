//! Tests of options that have no effect in the network example.

use crate::network_cli::files::Files;

/// An influence diagram of a decision without information, and a variable.
const DIAGRAM: &str = r#"<smile version="1.0" id="d"><nodes>
    <cpt id="grass"><state id="wet"/><state id="dry"/><probabilities>0.5 0.5</probabilities></cpt>
    <decision id="mow"><state id="yes"/><state id="no"/></decision>
    <utility id="joy"><parents>mow grass</parents><utilities>0 2 1 1</utilities></utility>
</nodes></smile>"#;

/// Each task, with the options that it needs.
const TASKS: [(&str, &str); 13] = [
    ("marginals", "--file garden.bif"),
    ("evidence", "--file garden.bif"),
    ("count", "--file garden.bif"),
    ("mpe", "--file garden.bif"),
    ("k-best", "--file garden.bif"),
    ("sample", "--file garden.bif"),
    ("cost", "--file garden.bif"),
    ("learn", "--file garden.bif --data data.csv"),
    ("score", "--file garden.bif --data data.csv"),
    ("convert", "--file garden.bif --out copy.bif"),
    ("decide", "--file diagram.xdsl"),
    ("map", "--file garden.bif --query rain"),
    ("predict", "--file garden.bif --query rain --data moods.csv"),
];

/// The tasks that query a network.
const ASKING: [&str; 7] = [
    "marginals",
    "evidence",
    "count",
    "mpe",
    "k-best",
    "sample",
    "cost",
];

fn files() -> Files {
    let files = Files::new();
    std::fs::write(files.path("diagram.xdsl"), DIAGRAM).unwrap();
    let data = "grass,rain,cat=mood\nwet,yes,sits\ndry,no,runs\n";
    std::fs::write(files.path("data.csv"), data).unwrap();
    let moods = "rain,cat=mood\nyes,sits\nno,runs\n";
    std::fs::write(files.path("moods.csv"), moods).unwrap();
    files
}

#[test]
fn each_task_takes_the_options_that_have_an_effect_on_it_and_refuses_the_others() {
    let files = files();
    let but = |left_out: &[&str]| -> Vec<&str> {
        let asking = ASKING.into_iter();
        asking.filter(|task| !left_out.contains(task)).collect()
    };
    let given_evidence = [&ASKING[..], &["decide", "map", "predict"]].concat();
    for (option, tasks) in [
        ("--algorithm junction-tree", but(&[])),
        ("--observe grass=wet", given_evidence.clone()),
        ("--evidence wet.json", given_evidence),
        (
            "--query grass",
            [&but(&["evidence", "count"])[..], &["map", "predict"]].concat(),
        ),
        ("--repeat 2", [&but(&[])[..], &["map"]].concat()),
        (
            "--memory 1MiB",
            [&but(&["cost"])[..], &["learn", "decide", "map", "predict"]].concat(),
        ),
        ("--seed 1", vec!["sample"]),
        ("--count 1", vec!["k-best", "sample"]),
        ("--samples 9", vec![]),
        ("--start uniform", vec!["learn"]),
        ("--prior 1", vec!["learn"]),
        ("--iterations 1", vec!["learn"]),
        ("--tolerance 1", vec!["learn"]),
        ("--structure given", vec!["learn"]),
        ("--score bic", vec!["learn", "score"]),
        ("--equivalent-sample-size 3", vec![]),
        ("--max-parents 2", vec![]),
        ("--require rain grass", vec![]),
        ("--forbid rain grass", vec![]),
        ("--order rain", vec![]),
        ("--restarts 2", vec![]),
        ("--tabu-length 2", vec![]),
        ("--limited-memory", vec!["decide"]),
        ("--time 60", TASKS.map(|(task, _)| task).into()),
        ("--format json", TASKS.map(|(task, _)| task).into()),
    ] {
        for (task, needed) in TASKS {
            let ask = format!("{needed} --task {task} {option}");
            if tasks.contains(&task) {
                // The task `predict` needs one variable, and the required options give it already.
                if (task, option) != ("predict", "--query grass") {
                    files.text(&ask);
                }
                continue;
            }
            let flag = option.split(' ').next().unwrap();
            files.refuses(
                &ask,
                &format!("{flag} has no effect on this --task {task}: it needs "),
            );
        }
    }
    for task in but(&[]) {
        files.refuses(
            &format!("--file garden.bif --task {task} --data data.csv"),
            "--data has no effect",
        );
    }
    for (task, needed) in TASKS {
        if !["sample", "convert", "learn", "predict"].contains(&task) {
            files.refuses(
                &format!("{needed} --task {task} --out copy.bif"),
                "--out has no effect",
            );
        }
    }
}

#[test]
fn an_algorithm_that_cannot_do_the_task_is_told_before_options_of_it() {
    files().refuses(
        "--file garden.bif --task k-best --algorithm enumerate --memory 1KiB",
         "--algorithm enumerate does not support --task k-best; use exact or junction-tree or circuit",
    );
}

#[test]
fn options_of_other_algorithms_and_structures_are_refused() {
    let files = files();
    let learn = "--task learn --data data.csv";
    let given = "--file garden.bif --task learn --data data.csv";
    let rounds = "it needs --file and --structure given";
    for (base, option, words) in [
        (
            "--file garden.bif",
            "--samples 9",
            "--algorithm importance-sampling",
        ),
        ("--file garden.bif", "--seed 1", "--task sample"),
        (
            "--file garden.bif --algorithm enumerate",
            "--memory 9",
            "it needs --algorithm exact, --algorithm junction-tree, --algorithm variable-elimination, --algorithm slices or --algorithm circuit; leave it out",
        ),
        (
            "--file garden.bif --task evidence --algorithm importance-sampling",
            "--memory 9",
            "--algorithm slices or --algorithm circuit; leave it out",
        ),
        (
            "--file garden.bif --task mpe --algorithm enumerate",
            "--memory 9",
            "or --algorithm branch-and-bound; leave it out",
        ),
        (
            "--file garden.bif --task cost",
            "--memory 9",
            "it needs --algorithm slices; leave it out",
        ),
        (given, "--seed 1", "--start random"),
        (given, "--max-parents 2", "a search for a structure"),
        (given, "--require rain grass", "a search for a structure"),
        (given, "--forbid rain grass", "a search for a structure"),
        (learn, "--start uniform", rounds),
        (learn, "--iterations 3", rounds),
        (learn, "--tolerance 3", rounds),
        (learn, "--memory 9", rounds),
        (learn, "--order grass", "--structure k2"),
        (learn, "--tabu-length 3", "--structure tabu"),
        (
            "--task learn --data data.csv --structure k2",
            "--restarts 3",
            "hill-climb or tabu",
        ),
        (
            "--task learn --data data.csv --structure k2",
            "--seed 3",
            "hill-climb or tabu",
        ),
        (
            "--task learn --data data.csv --restarts 0",
            "--seed 3",
            "hill-climb or tabu with --restarts",
        ),
        (learn, "--equivalent-sample-size 3", "--score bdeu"),
        (
            "--file garden.bif --task sample --out drawn.csv",
            "--repeat 2",
            "--format json",
        ),
    ] {
        let flag = option.split(' ').next().unwrap();
        let ask = format!("{base} {option}");
        files.refuses(&ask, &format!("{flag} has no effect"));
        files.refuses(&ask, words);
    }
}
