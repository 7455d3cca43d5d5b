//! Tests of the best worlds, and of samples of worlds.

use serde_json::json;

use crate::network_cli::files::{Files, assert_near, keys};

#[test]
fn worlds_come_best_first() {
    let files = Files::new();
    for algorithm in [
        "junction-tree",
        "mpe-variable-elimination",
        "slices",
        "circuit",
        "branch-and-bound",
        "enumerate",
    ] {
        let ask =
            format!("--file garden.bif --observe grass=wet --task mpe --algorithm {algorithm}");
        let found = files.json(&ask);
        let expected = json!({"grass": "wet", "rain": "yes", "cat=mood": "sits"});
        assert_eq!(found["mpe"]["assignment"], expected);
        assert_near(&found["mpe"]["log_probability"], (0.18_f64 * 0.75).ln());
        let text = files.text(&ask);
        assert!(text.contains("\n  cat=mood  sits\n"), "{text}");
    }
    // The probabilities are 0.64, 0.18, 0.16 and 0.02, each multiplied by 0.75 and by 0.25.
    let best = [0.48, 0.16, 0.135, 0.12, 0.045, 0.04, 0.015, 0.005];
    for (count, expected) in [("", 5), ("--count 3", 3), ("--count 99", 8)] {
        let ask = format!("--file garden.bif --task k-best {count}");
        let searched = files.json(&format!("{ask} --algorithm circuit"));
        let (searched, planned) = (&searched["worlds"], &files.json(&ask)["worlds"]);
        assert_eq!(
            searched.as_array().unwrap().len(),
            planned.as_array().unwrap().len()
        );
        let found = files.json(&ask);
        let fields = ["worlds", "algorithm", "exact", "tried", "cost", "seconds"];
        assert_eq!(keys(&found), fields);
        let worlds = found["worlds"].as_array().unwrap();
        assert_eq!(worlds.len(), expected);
        for (world, p) in worlds.iter().zip(best) {
            assert_near(&world["log_probability"], f64::ln(p));
        }
        let second = json!({"grass": "dry", "rain": "no", "cat=mood": "runs"});
        assert_eq!(worlds[1]["assignment"], second);
        let text = files.text(&ask);
        assert_eq!(text.matches("log-probability").count(), expected);
    }
}

#[test]
fn samples_have_their_posterior_probabilities_and_follow_the_seed() {
    let files = Files::new();
    let ask = |more: &str| {
        files.json(&format!(
            "--file garden.bif --task sample --observe grass=wet {more}"
        ))
    };
    let found = ask("");
    let fields = ["samples", "algorithm", "exact", "tried", "cost", "seconds"];
    assert_eq!(keys(&found), fields);
    assert_eq!(found["samples"].as_array().unwrap().len(), 10);
    assert_eq!(keys(&found["samples"][0]), ["grass", "rain", "cat=mood"]);
    assert_eq!(found["samples"], ask("--seed 0")["samples"]);
    assert_ne!(found["samples"], ask("--seed 1")["samples"]);
    let many = ask("--count 4000 --seed 2");
    let many = many["samples"].as_array().unwrap();
    assert_eq!(many.len(), 4000);
    let rainy = many.iter().filter(|world| world["rain"] == "yes").count() as f64 / 4000.0;
    // The tolerance is five standard errors.
    assert!((rainy - 0.18 / 0.34).abs() < 0.04, "{rainy}");
    let text = files.text("--file garden.bif --task sample --count 3 --query rain grass");
    let worlds = text
        .lines()
        .filter(|line| line.starts_with("grass=") && line.contains(" rain="));
    assert_eq!(worlds.count(), 3);
}
