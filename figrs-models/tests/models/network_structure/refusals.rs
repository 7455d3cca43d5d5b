//! Structures: arcs, data and sizes that are refused.

use figrs_models::network::{
    Network, NetworkData, NetworkError, NetworkScore, State, StructureLearner,
    StructureLearningError, StructureSearch, Unknown, Variable,
};

use super::*;

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
    let error_of_cycle = error(cycle);
    assert!(
        matches!(&error_of_cycle, StructureLearningError::RequiredCycle { cycle } if cycle == &["v2", "v0", "v1", "v2"]),
        "{error_of_cycle}"
    );
    let both = error(learner().require("v0", "v1").forbid("v0", "v1"));
    assert!(matches!(
        both,
        StructureLearningError::RequiredAndForbidden { .. }
    ));
    let unknown = error(learner().forbid("v0", "w1"));
    assert!(
        matches!(&unknown, StructureLearningError::Unknown(Unknown::Variable { name, .. }) if name == "w1"),
        "{unknown}"
    );
    let own = error(learner().require("v1", "v1"));
    assert!(matches!(own, StructureLearningError::ArcToItself { .. }));
    let many = learner().require("v0", "v2").require("v1", "v2");
    assert!(matches!(
        error(many.max_parents(1)),
        StructureLearningError::TooManyRequired {
            required: 2,
            most: 1,
            ..
        }
    ));
    let k2 = || learner().search(StructureSearch::K2);
    let against = error(k2().order(["v1"]).require("v0", "v1"));
    assert!(matches!(
        against,
        StructureLearningError::AgainstOrder { .. }
    ));
    let twice = error(k2().order(["v1", "v1"]));
    assert!(matches!(
        twice,
        StructureLearningError::RepeatedInOrder { .. }
    ));
    assert!(matches!(
        error(learner().prior(-1.0)),
        StructureLearningError::PriorCount { count } if count < 0.0
    ));
    for size in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let score = NetworkScore::Bdeu {
            equivalent_sample_size: size,
        };
        assert!(matches!(
            error(StructureLearner::new(score)),
            StructureLearningError::EquivalentSampleSize { .. }
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
    assert_eq!(
        missing,
        StructureLearningError::MissingCell {
            line: 4,
            variable: "v1".into()
        }
    );
    assert!(
        missing.to_string().contains("line 4") && missing.to_string().contains("fill the cell")
    );
    let column = error("v1\ns0\n");
    assert_eq!(
        column,
        StructureLearningError::MissingColumn {
            variable: "v0".into()
        }
    );
    let other = without_arcs(&[2, 3]);
    let of_other = |text: &str| {
        let data = other.data_from_csv(text).unwrap();
        NetworkScore::Bic.of(&network, &data).unwrap_err()
    };
    assert_eq!(
        of_other("v0,v1\ns0,s2\n"),
        StructureLearningError::OtherData
    );
    let third = without_arcs(&[2, 2, 2]);
    for (network, other) in [(&network, &third), (&third, &network)] {
        let names: Vec<&str> = other.variables().iter().map(Variable::name).collect();
        let row = vec!["s0"; names.len()].join(",");
        let data = other.data_from_csv(&format!("{}\n{row}\n", names.join(",")));
        let error = NetworkScore::Bic.of(network, &data.unwrap()).unwrap_err();
        assert_eq!(error, StructureLearningError::OtherData);
    }
    let markov = Network::from_uai("MARKOV 1 2 1 1 0 2 1.0 3.0").unwrap();
    let none = NetworkData::default();
    let error = NetworkScore::Bic.of(&markov, &none).unwrap_err();
    assert_eq!(error, StructureLearningError::NotBayesian);
    let learner = StructureLearner::new(NetworkScore::Bic);
    let error = learner.learn(&markov, &none).unwrap_err();
    assert_eq!(error, StructureLearningError::NotBayesian);
}

#[test]
fn what_is_too_large_is_refused_or_not_tried() {
    // 300 states each: two parents would need 27 million entries.
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
    assert!(
        matches!(
            error,
            StructureLearningError::TableTooLarge {
                entries: 27_000_000,
                ..
            }
        ),
        "{error}"
    );
    let names: Vec<String> = (0..5000).map(|v| format!("v{v}")).collect();
    let cells = vec!["x"; 5000].join(",");
    let (network, data) =
        Network::from_data_csv(&format!("{}\n{cells}\n", names.join(","))).unwrap();
    let error = StructureLearner::new(NetworkScore::Bic).learn(&network, &data);
    assert!(matches!(
        error.unwrap_err(),
        StructureLearningError::TooManyVariables { count: 5000, .. }
    ));
}

#[test]
fn variables_are_read_off_data() {
    let text = "size,\"a, b\"\n10,z\n9.5,y\n-1,\n1e1,Ä\n";
    let (network, data) = Network::from_data_csv(text).unwrap();
    let states = |v: usize| {
        let states = network.variables()[v].states();
        states.iter().map(State::name).collect::<Vec<_>>().join(" ")
    };
    // Equal numbers as they are written.
    assert_eq!(
        (states(0), states(1)),
        ("-1 9.5 10 1e1".into(), "y z Ä".into())
    );
    assert_eq!(network.variables()[1].name(), "a, b");
    assert_eq!((data.len(), data.row(2).nth(1)), (4, Some(None)));
    assert_eq!(network.tables()[0].numbers(), [0.25; 4]);
    for (text, (line, column), words) in [
        ("", (1, 1), "a first line with the names"),
        ("a,\n1,2\n", (1, 3), "the name of a variable"),
        ("a,b\n1,\n2,\n", (1, 3), "has no states"),
        ("a,a\n1,2\n", (1, 3), "second time"),
        ("a,b\n1,2\n1\n", (3, 1), "1 cells for 2"),
    ] {
        match Network::from_data_csv(text) {
            Err(NetworkError::Text {
                line: at,
                column: place,
                problem,
                ..
            }) => {
                assert_eq!((at, place), (line, column), "{text:?}: {problem}");
                assert!(problem.to_string().contains(words), "{text:?}: {problem}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
}
