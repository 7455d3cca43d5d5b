//! Tests of networks with real variables, against answers computed elsewhere.

use std::fmt::Write as _;

use figrs_tests::example::text as printed;
use serde_json::Value as Json;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::network_cli::files::Files;

/// The networks of the reference file in which no variance is zero; none, with a printed reason, if the file is not at hand.
fn cases() -> Vec<Json> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/reference/reals.json"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: {path} is not at hand");
        return Vec::new();
    };
    let all: Json = serde_json::from_str(&text).unwrap();
    let cases = all["cases"].as_array().unwrap().iter();
    let groups = ["conditional_linear_gaussian", "linear_gaussian_network"];
    let known = cases.filter(|case| groups.iter().any(|&group| case["group"] == group));
    let known = known.filter(|case| {
        let nodes = case["model"]["nodes"].as_array().unwrap();
        nodes.iter().all(|node| node["variance"] != 0.0)
    });
    known.cloned().collect()
}

fn words(json: &Json) -> Vec<&str> {
    let all = json.as_array().into_iter().flatten();
    all.map(|word| word.as_str().unwrap()).collect()
}

/// The normal distribution of a row, in NET.
fn normal(row: &Json) -> String {
    let mean = &row["mean"];
    let constant = mean.as_f64().or_else(|| mean["const"].as_f64()).unwrap();
    let mut sum = constant.to_string();
    for term in mean["terms"].as_array().into_iter().flatten() {
        let parent = term[1].as_str().unwrap();
        write!(sum, " + {} * {parent}", term[0].as_f64().unwrap()).unwrap();
    }
    format!("normal ({sum}, {})", row["variance"])
}

/// A network of the reference file, in NET.
fn net(nodes: &[Json]) -> String {
    let mut text = "net { }\n".to_owned();
    for node in nodes {
        let name = node["name"].as_str().unwrap();
        let mut rows: Vec<Json> = node["table"].as_array().cloned().unwrap_or_default();
        let mut parents = words(&node["discrete_parents"]);
        let sizes = |name: &&str| {
            let mut all = nodes.iter();
            words(&all.find(|node| node["name"] == **name).unwrap()["states"]).len()
        };
        let count: usize = parents.iter().map(sizes).product();
        if node["kind"] == "normal" {
            writeln!(text, "continuous node {name} {{ }}").unwrap();
            if rows.is_empty() {
                rows.push(node.clone());
            }
            for row in &rows {
                for term in row["mean"]["terms"].as_array().into_iter().flatten() {
                    let parent = term[1].as_str().unwrap();
                    if !parents.contains(&parent) {
                        parents.push(parent);
                    }
                }
            }
        } else {
            let states = words(&node["states"]).join(" ");
            writeln!(text, "node {name} {{ states = ({states}); }}").unwrap();
        }
        assert_eq!(rows.len(), count, "{name}");
        let bar = if parents.is_empty() { "" } else { " | " };
        write!(
            text,
            "potential ({name}{bar}{}) {{ data = (",
            parents.join(" ")
        )
        .unwrap();
        for row in &rows {
            let numbers = row["p"].as_array().into_iter().flatten();
            match row.get("p") {
                Some(_) => numbers.for_each(|p| write!(text, " {p}").unwrap()),
                None => write!(text, " {}", normal(row)).unwrap(),
            }
        }
        text.push_str(" ); }\n");
    }
    text
}

fn check(name: &str, found: &Json, exact: &Json) {
    let number = |json: &Json| {
        json.as_f64()
            .unwrap_or_else(|| panic!("{json} is no number"))
    };
    let (found, exact) = (number(found), number(exact));
    let apart = (found - exact).abs();
    assert!(
        apart <= 1e-9 * exact.abs() + 1e-11,
        "{name}: {found}, exactly {exact}"
    );
}

/// The probability that a real variable is at most `x`, by the components of the reference.
fn cdf(configurations: &[Json], position: usize, x: f64) -> f64 {
    let below = |one: &Json| {
        let number = |name: &str| one[name][position].as_f64().unwrap();
        let normal = Normal::new(number("mean"), number("variance").sqrt()).unwrap();
        one["weight"].as_f64().unwrap() * normal.cdf(x)
    };
    configurations.iter().map(below).sum()
}

#[test]
fn mixed_networks_have_the_answers_computed_elsewhere() {
    let mut quantiles = 0;
    let cases = cases();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let files = Files::new();
        let nodes = case["model"]["nodes"].as_array().unwrap();
        std::fs::write(files.path("mixed.net"), net(nodes)).unwrap();
        let evidence = serde_json::to_string(&case["evidence"]).unwrap();
        std::fs::write(files.path("seen.json"), evidence).unwrap();
        files.text("mixed.net --task convert --out again.net");
        for (file, algorithm) in [
            ("mixed.net", "exact"),
            ("again.net", "junction-tree"),
            ("mixed.net", "variable-elimination"),
        ] {
            let command = format!("{file} --evidence seen.json --algorithm {algorithm}");
            let found = files.json(&command);
            let answers = &case["answers"];
            let exact = &answers["log_evidence"];
            check(id, &found["log_evidence"], exact);
            let evidence = files.json(&format!("{command} --task evidence"));
            check(id, &evidence["log_evidence"], exact);
            let discrete = answers["discrete"].as_object().into_iter().flatten();
            for (name, exact) in discrete {
                let states = found["marginals"][name].as_object().unwrap();
                let exact = exact.as_array().unwrap();
                assert_eq!(states.len(), exact.len());
                for (found, exact) in states.values().zip(exact) {
                    check(name, found, exact);
                }
            }
            let names = answers.get("continuous").unwrap_or(&answers["order"]);
            for (i, name) in words(names).iter().enumerate() {
                let real = &found["reals"][name];
                check(name, &real["mean"], &answers["mean"][i]);
                let sd = answers["variance"][i].as_f64().unwrap().sqrt();
                check(name, &real["sd"], &sd.into());
                if let Some(configurations) = answers["configurations"].as_array() {
                    for (p, x) in real["quantiles"].as_object().unwrap() {
                        let below = cdf(configurations, i, x.as_f64().unwrap());
                        let p: f64 = p.parse().unwrap();
                        assert!((below - p).abs() < 1e-8, "{id}, {name}: {below}, not {p}");
                        quantiles += 1;
                    }
                }
            }
        }
    }
    assert!(cases.is_empty() || quantiles > 500, "{quantiles}");
}

#[test]
fn questions_about_real_variables_that_have_no_answer_are_refused() {
    let files = Files::new();
    let network = "net { } node sky { states = (clear dark); } potential (sky) { data = (1 0); }
        continuous node heat { } potential (heat | sky) { data = ( normal (20, 9) normal (10, 4) ); }";
    std::fs::write(files.path("heat.net"), network).unwrap();
    for (arguments, code, words) in [
        (
            "heat.net --algorithm circuit",
            2,
            "use exact, junction-tree or variable-elimination",
        ),
        (
            "heat.net --report page.html",
            2,
            "--report does not support networks with real variables",
        ),
        (
            "heat.net --repeat 3 --format json",
            2,
            "--repeat does not support networks",
        ),
        (
            "heat.net --task mpe",
            2,
            "ask it by --task marginals or evidence",
        ),
        (
            "heat.net --format dot",
            2,
            "ask it with --format text or json",
        ),
        ("heat.net --observe heat=warm", 2, "not a finite number"),
        ("heat.net --observe heat=1 heat=2", 2, "has two values"),
        ("heat.net --query hat", 2, "did you mean `heat`, `sky`?"),
        (
            "heat.net --observe heat=1 sky=dark",
            1,
            "evidence is impossible",
        ),
        (
            "heat.net --task convert --out heat.bif",
            2,
            "write the network as NET",
        ),
    ] {
        let output = files.run(arguments);
        let error = printed(&output.stderr);
        assert!(error.contains(words), "{arguments}: {error}");
        assert_eq!(output.status.code(), Some(code), "{arguments}");
    }
    // Without the continuous node, every task of discrete networks is at hand.
    let found = files.json("heat.net --query sky --algorithm circuit");
    assert_eq!(found["marginals"]["sky"]["clear"], 1.0);
    let text = files.text("heat.net --observe heat=20");
    assert!(text.contains("heat  mean 20.000000, sd 0.000000"), "{text}");
    assert!(text.contains("log-evidence -2.017551"), "{text}");
}
