//! Tests of arcs, data and sizes that structure learning rejects.

use figrs_network::{
    Network, NetworkData, NetworkLearner, NetworkScore, State, StructureLearner,
    StructureLearningError, StructureSearch, Unknown, Variable,
};

use super::*;

/// The line and the variable of a network or data that cannot be used.
#[track_caller]
fn unfit(error: &StructureLearningError) -> (Option<usize>, Option<&str>) {
    match error {
        StructureLearningError::Unfit { line, variable, .. } => (*line, variable.as_deref()),
        other => panic!("{other}"),
    }
}

/// Checks that something is too large, by a size that the problem names.
#[track_caller]
fn too_large(error: &StructureLearningError, words: &str) {
    match error {
        StructureLearningError::TooLarge { problem, .. } => {
            assert!(problem.contains(words), "{problem}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn rules_that_no_structure_keeps_are_errors() {
    let states = [2, 2, 2];
    let network = without_arcs(&states);
    let data = network.data_from_csv(&csv(&rows(&states, 20, 1))).unwrap();
    let error = |learner: StructureLearner| learner.learn(&network, &data).unwrap_err();
    let learner = || StructureLearner::new(NetworkScore::Bic);
    let cycle = learner()
        .require("v0", "v1")
        .require("v1", "v2")
        .require("v2", "v0");
    let rules = |learner, expected: &[&str], words: &str| match error(learner) {
        StructureLearningError::Rules {
            settings, problem, ..
        } => assert!(settings == expected && problem.contains(words), "{problem}"),
        other => panic!("{other}"),
    };
    rules(cycle, &["require"], "v2 -> v0 -> v1 -> v2");
    let both = learner().require("v0", "v1").forbid("v0", "v1");
    rules(both, &["require", "forbid"], "both required and forbidden");
    let unknown = error(learner().forbid("v0", "w1"));
    assert!(
        matches!(&unknown, StructureLearningError::Unknown(Unknown { name, variable: None, .. }) if name == "w1"),
        "{unknown}"
    );
    let own = learner().require("v1", "v1");
    rules(own, &["require", "forbid"], "from `v1` to itself");
    let many = learner().require("v0", "v2").require("v1", "v2");
    let words = "2 required parents, more than the 1";
    rules(many.max_parents(1), &["max_parents", "require"], words);
    let k2 = || learner().search(StructureSearch::K2);
    let against = k2().order(["v1"]).require("v0", "v1");
    rules(against, &["require", "order"], "goes against the order");
    let twice = k2().order(["v1", "v1"]);
    rules(twice, &["order"], "names `v1` a second time");
    for count in [-1.0, 1e16, f64::INFINITY, f64::NAN] {
        assert!(matches!(
            error(learner().prior(count)),
            StructureLearningError::Setting {
                setting: "prior",
                ..
            }
        ));
    }
    for size in [0.0, -1.0, 1e-320, 1e101, f64::INFINITY, f64::NAN] {
        let score = NetworkScore::Bdeu {
            equivalent_sample_size: size,
        };
        assert!(matches!(
            error(StructureLearner::new(score)),
            StructureLearningError::Setting {
                setting: "equivalent_sample_size",
                ..
            }
        ));
    }
}

#[test]
fn data_that_cannot_be_scored_is_an_error() {
    let network = without_arcs(&[2, 2]);
    let error = |text: &str| {
        let data = network.data_from_csv(text).unwrap();
        NetworkScore::Bic.of(&network, &data).unwrap_err()
    };
    let missing = error("v0,v1\ns0,s1\n\ns1,\n");
    assert_eq!(unfit(&missing), (Some(4), Some("v1")), "{missing}");
    assert!(
        missing.to_string().contains("line 4") && missing.to_string().contains("fill the cell")
    );
    let column = error("v1\ns0\n");
    assert_eq!(unfit(&column), (None, Some("v0")), "{column}");
    let other = without_arcs(&[2, 3]);
    let of_other = |text: &str| {
        let data = other.data_from_csv(text).unwrap();
        NetworkScore::Bic.of(&network, &data).unwrap_err()
    };
    let error = of_other("v0,v1\ns0,s2\n");
    assert_eq!(unfit(&error), (None, None), "{error}");
    let third = without_arcs(&[2, 2, 2]);
    for (network, other) in [(&network, &third), (&third, &network)] {
        let names: Vec<&str> = other.variables().iter().map(Variable::name).collect();
        let row = vec!["s0"; names.len()].join(",");
        let data = other.data_from_csv(&format!("{}\n{row}\n", names.join(",")));
        let error = NetworkScore::Bic.of(network, &data.unwrap()).unwrap_err();
        let words = "the data has other variables";
        assert_eq!(unfit(&error), (None, None));
        assert!(error.to_string().starts_with(words), "{error}");
    }
    let markov = Network::from_uai("MARKOV 1 2 1 1 0 2 1.0 3.0").unwrap();
    let none = NetworkData::default();
    let error = NetworkScore::Bic.of(&markov, &none).unwrap_err();
    assert_eq!(unfit(&error), (None, None));
    assert!(error.to_string().starts_with("a Markov network"), "{error}");
    let learner = StructureLearner::new(NetworkScore::Bic);
    let error = learner.learn(&markov, &none).unwrap_err();
    assert_eq!(unfit(&error), (None, None));
    assert!(error.to_string().starts_with("a Markov network"), "{error}");
}

#[test]
fn what_is_too_large_is_refused_or_not_tried() {
    // Each variable has 300 states, so a table with two parents would need 27 million entries.
    let rows: Vec<Vec<usize>> = (0..300).map(|x| vec![x; 3]).collect();
    let (network, data) = Network::from_data_csv(&csv(&rows)).unwrap();
    let learner = StructureLearner::new(NetworkScore::LogLikelihood);
    let found = learner.learn(&network, &data).unwrap();
    assert!(
        parents_of(&found.network)
            .iter()
            .all(|parents| parents.len() < 2)
    );
    let learner = learner.require("v0", "v2").require("v1", "v2");
    let error = learner.learn(&network, &data).unwrap_err();
    too_large(&error, "would have 27000000 entries");
    // There are four tables of 2^24 entries each, and one table without parents.
    let rows: Vec<Vec<usize>> = (0..4096).map(|x| vec![x; 5]).collect();
    let (network, data) = Network::from_data_csv(&csv(&rows)).unwrap();
    let mut learner = StructureLearner::new(NetworkScore::Bic).restarts(0);
    for child in 1..5 {
        learner = learner.require("v0", format!("v{child}"));
    }
    let error = learner.learn(&network, &data).unwrap_err();
    too_large(
        &error,
        "would have 67112960 entries together, more than 67108864",
    );
    let names: Vec<String> = (0..5000).map(|v| format!("v{v}")).collect();
    let cells = vec!["x"; 5000].join(",");
    let (network, data) =
        Network::from_data_csv(&format!("{}\n{cells}\n", names.join(","))).unwrap();
    let error = StructureLearner::new(NetworkScore::Bic).learn(&network, &data);
    too_large(&error.unwrap_err(), "5000 variables");
}

#[test]
fn cells_are_missing_in_several_ways_and_separated_in_several() {
    for text in [
        "size,rain\n1,yes\n?,no\nNA,yes\n,no\n2,NA\n",
        "size;rain\n1;yes\n?;no\nNA;yes\n;no\n2;NA\n",
        "\nsize\t\"rain\"\n1\tyes\n?\tno\nNA\tyes\n\tno\n2\tNA\n",
    ] {
        let (network, data) = Network::from_data_csv(text).unwrap();
        let sizes = data.rows().map(|mut row| row.next().flatten().is_some());
        assert_eq!(
            sizes.collect::<Vec<_>>(),
            [true, false, false, false, true],
            "{text:?}"
        );
        assert_eq!(network.variables()[0].states().len(), 2);
        assert_eq!(data.row(4).nth(1), Some(None));
    }
    for mark in ["nan", "NaN", "None", "NULL", "null", "N/A", "#N/A", "<NA>"] {
        let text = format!("a,b\nx,u\ny,{mark}\n{mark},v\n");
        let (network, data) = Network::from_data_csv(&text).unwrap();
        let states = network.variables().iter().map(|one| one.states().len());
        assert_eq!(states.collect::<Vec<_>>(), [2, 2], "{mark}");
        assert_eq!(
            (data.row(1).nth(1), data.row(2).next()),
            (Some(None), Some(None))
        );
    }
    // If a state of the network has the name of a missing-value mark, such a cell is this state.
    let network = Network::from_bif(
        "network n { } variable a { type discrete [ 2 ] { NA, x }; }
         probability ( a ) { table 0.5, 0.5; }",
    );
    let data = network.unwrap().data_from_csv("a\nNA\n?\n").unwrap();
    let states = data
        .rows()
        .map(|mut row| row.next().flatten().map(State::index));
    assert_eq!(states.collect::<Vec<_>>(), [Some(0), None]);
}

/// Scores remain finite for the largest prior count, and for the smallest and the largest equivalent sample size of
/// BDeu.
#[test]
fn extremes_of_priors_have_finite_scores() {
    let (network, data) = Network::from_data_csv("a,b\n1,x\n2,y\n2,y\n").unwrap();
    for size in [1e-100, 1e100] {
        let score = NetworkScore::Bdeu {
            equivalent_sample_size: size,
        };
        let learner = StructureLearner::new(score).prior(NetworkLearner::MOST_PRIOR);
        let learned = learner.require("a", "b").learn(&network, &data).unwrap();
        assert!(learned.score.total.is_finite(), "{}", learned.score.total);
        for table in learned.network.tables() {
            let near = |p: &f64| (p - 0.5).abs() < 1e-9;
            assert!(table.numbers().iter().all(near));
        }
    }
}

/// States are found quickly by name; comparing each cell with each state would take minutes.
#[test]
fn a_column_may_have_very_many_states() {
    let rows: Vec<Vec<usize>> = (0..20_000).map(|x| vec![x, x % 2]).collect();
    let (network, data) = Network::from_data_csv(&csv(&rows)).unwrap();
    assert_eq!(network.variables()[0].states().len(), 20_000);
    assert_eq!(data.len(), 20_000);
}

#[test]
fn variables_are_read_off_data() {
    let text = "size,\"a, b\"\n10,z\n9.5,y\n-1,\n1e1,Ä\n";
    let (network, data) = Network::from_data_csv(text).unwrap();
    let states = |v: usize| {
        let states = network.variables()[v].states();
        states.iter().map(State::name).collect::<Vec<_>>().join(" ")
    };
    // States that are equal as numbers but written differently are different states.
    assert_eq!(
        (states(0), states(1)),
        ("-1 9.5 10 1e1".into(), "y z Ä".into())
    );
    assert_eq!(network.variables()[1].name(), "a, b");
    assert_eq!((data.len(), data.row(2).nth(1)), (4, Some(None)));
    assert_eq!(network.tables()[0].numbers(), [0.25; 4]);
}

#[test]
fn missing_cells_that_are_too_many_are_errors() {
    let network = without_arcs(&[2, 2]);
    let learner = StructureLearner::new(NetworkScore::Bic);
    let data = network.data_from_csv("v1\ns0\ns1\n").unwrap();
    let error = learner.learn(&network, &data).unwrap_err();
    assert_eq!(unfit(&error), (None, Some("v0")), "{error}");
    // With 3000 variables there are nine million pairs for each of the thousand rows.
    let states = vec![2; 3000];
    let network = without_arcs(&states);
    let data = network.data_from_csv(&many_open_rows(3000, 1000)).unwrap();
    let error = learner.learn(&network, &data).err().unwrap();
    let words = "1000 different rows with missing cells and 9000000 pairs";
    too_large(&error, words);
    // Each pair of the ten causes has an observed child, so the posterior of the causes is one joint table.
    let causes = 10;
    let pairs: Vec<(usize, usize)> = (0..causes)
        .flat_map(|first| (0..first).map(move |second| (first, second)))
        .collect();
    let states = [vec![8; causes], vec![2; pairs.len()]].concat();
    let network = without_arcs(&states);
    let mut text = many_open_rows(states.len(), 2);
    text += &(",".repeat(causes) + &vec!["s0"; pairs.len()].join(",") + "\n");
    let data = network.data_from_csv(&text).unwrap();
    let mut learner = learner.rounds(0);
    for (child, (first, second)) in (causes..).zip(pairs) {
        for parent in [first, second] {
            learner = learner.require(format!("v{parent}"), format!("v{child}"));
        }
    }
    let error = learner.learn(&network, &data).err().unwrap();
    too_large(&error, "10 missing cells depend on each other");
    assert!(matches!(
        error,
        StructureLearningError::TooLarge {
            line: Some(4),
            source: Some(_),
            ..
        }
    ));
}

/// Returns distinct rows with one missing cell each, in which each variable has a state in some row.
fn many_open_rows(variables: usize, rows: usize) -> String {
    let names: Vec<String> = (0..variables).map(|v| format!("v{v}")).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..rows {
        let cells = (0..variables).map(|v| match v {
            v if v == row % variables => "",
            v if row >> (v % 16) & 1 == 1 => "s1",
            _ => "s0",
        });
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}
