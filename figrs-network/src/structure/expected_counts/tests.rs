use figrs_core::rand::RngExt;
use figrs_core::stream;

use super::super::super::Network;
use super::super::NetworkScore;
use super::super::dag::ArcChange;
use super::super::family_scores::FamilyScores;
use super::*;

/// Returns random rows with missing cells, preceded by complete rows in which every state occurs.
fn rows(states: &[usize], count: usize, missing: f64, seed: u64) -> DataRows {
    let mut random = stream(seed, 0);
    let names: Vec<String> = (0..states.len()).map(|v| format!("v{v}")).collect();
    let mut text = names.join(",") + "\n";
    let most = *states.iter().max().unwrap();
    for row in 0..count.max(most) {
        let cells = states.iter().map(|&n| match row {
            row if row < most => (row % n).to_string(),
            _ if random.random_bool(missing) => String::new(),
            _ => random.random_range(0..n).to_string(),
        });
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    let (network, data) = Network::from_data_csv(&text).unwrap();
    DataRows::new(&network, &data).unwrap()
}

/// Returns a random structure with arcs from earlier to later variables, and random conditional tables for the structure.
fn model(states: &[usize], arcs: f64, seed: u64) -> (Dag, Vec<Vec<f64>>) {
    let mut random = stream(seed, 1);
    let mut dag = Dag::empty(states.len());
    for to in 1..states.len() as u32 {
        for from in 0..to {
            if dag.parents(to).len() < 3 && random.random_bool(arcs) {
                dag.change(ArcChange::Add(from, to));
            }
        }
    }
    let tables = (0..states.len() as u32).map(|child| {
        let parents = dag.parents(child).iter();
        let rows: usize = parents.map(|&p| states[p as usize]).product();
        let mut numbers = Vec::new();
        for _ in 0..rows {
            let row: Vec<f64> = (0..states[child as usize])
                .map(|_| random.random())
                .collect();
            let sum: f64 = row.iter().sum();
            numbers.extend(row.iter().map(|x| x / sum));
        }
        numbers
    });
    let tables = tables.collect();
    (dag, tables)
}

/// Returns the expected counts of a variable with its parents, and the log-likelihood, both computed by a sum over all completions of each row.
fn enumerated(
    rows: &DataRows,
    (dag, tables): &(Dag, Vec<Vec<f64>>),
    members: &[u32],
) -> (Vec<f64>, f64) {
    let states = |v: u32| rows.complete.states(v);
    let place = |members: &[u32], world: &[u32]| {
        let members = members.iter();
        members.fold(0, |place, &v| {
            place * states(v) + world[v as usize] as usize
        })
    };
    let mut counts = vec![0.0; members.iter().map(|&v| states(v)).product()];
    let mut log_likelihood = 0.0;
    let complete = (0..rows.complete.distinct()).map(|row| {
        let cells = (0..dag.len() as u32).map(|v| rows.complete.column(v)[row]);
        (cells.collect::<Vec<u32>>(), rows.complete.numbers()[row])
    });
    let open = rows.open.iter().map(|row| (row.cells.to_vec(), row.number));
    for (cells, number) in complete.chain(open) {
        let missing = (0..).zip(&cells).filter(|(_, cell)| **cell == MISSING);
        let missing: Vec<u32> = missing.map(|(v, _)| v).collect();
        let worlds: usize = missing.iter().map(|&v| states(v)).product();
        let mut weights = Vec::new();
        let mut world = cells.clone();
        for completion in 0..worlds {
            let mut rest = completion;
            for &v in &missing {
                world[v as usize] = (rest % states(v)) as u32;
                rest /= states(v);
            }
            let p = (0..).zip(tables).map(|(child, table)| {
                let scope = [dag.parents(child), &[child]].concat();
                table[place(&scope, &world)]
            });
            weights.push((place(members, &world), p.product::<f64>()));
        }
        let total: f64 = weights.iter().map(|(_, p)| p).sum();
        for (place, p) in weights {
            counts[place] += f64::from(number) * p / total;
        }
        log_likelihood += f64::from(number) * total.ln();
    }
    (counts, log_likelihood)
}

fn assert_near(found: f64, expected: f64, what: impl std::fmt::Debug) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-12 * expected.abs().max(1.0),
        "{what:?}: {found} for {expected}"
    );
}

fn check(rows: &DataRows, model: &(Dag, Vec<Vec<f64>>), families: &[&[u32]]) {
    let expected = ExpectedFamilyCounts::new(rows, &model.0, &model.1)
        .ok()
        .unwrap();
    for members in families {
        let (&child, parents) = members.split_last().unwrap();
        let (counts, log_likelihood) = enumerated(rows, model, members);
        for (found, count) in expected.table(child, parents).iter().zip(&counts) {
            assert_near(*found, *count, members);
        }
        assert_near(expected.log_likelihood, log_likelihood, "log-likelihood");
    }
}

#[test]
fn expected_counts_are_sums_over_all_completions() {
    let states = [2, 3, 2, 4, 2, 3];
    let families: [&[u32]; 5] = [&[0], &[1, 0], &[0, 2, 5], &[3, 4], &[0, 1, 3, 4]];
    for seed in 0..6 {
        for missing in [0.1, 0.4, 0.9] {
            let rows = rows(&states, 30, missing, seed);
            assert!(rows.missing_cells > 0);
            check(&rows, &model(&states, 0.6, seed), &families);
        }
    }
}

/// Tests the joint posterior of 13 missing cells in a row. The posterior is too large to be stored, so that each query runs a variable elimination.
#[test]
fn large_posteriors_are_eliminated() {
    let states = [2; 13];
    let mut chain = (Dag::empty(13), Vec::new());
    for to in 1..13 {
        chain.0.change(ArcChange::Add(to - 1, to));
    }
    chain.1 = vec![vec![0.3, 0.7]];
    chain.1.extend((1..13).map(|_| vec![0.9, 0.1, 0.2, 0.8]));
    let rows = rows(&states, 3, 1.0, 1);
    assert_eq!((rows.open.len(), rows.missing_cells), (1, 13));
    check(&rows, &chain, &[&[0, 12], &[3, 9, 4]]);
}

/// Tests that the sum of a family's score terms equals the sum computed from the family's contingency table, whether the rows are counted in a dense
/// table or by sorting.
#[test]
fn terms_are_those_of_tables() {
    let states = [2, 3, 2, 30, 30, 30];
    let rows = rows(&states, 60, 0.2, 3);
    let (dag, tables) = model(&states, 0.3, 3);
    let expected = ExpectedFamilyCounts::new(&rows, &dag, &tables)
        .ok()
        .unwrap();
    for score in [NetworkScore::Bic, NetworkScore::K2, NetworkScore::default()] {
        let mut scores = FamilyScores::new(&expected, score, 1);
        let never = || false;
        let found = scores.toggled(0, &[1], &[2], &never).unwrap()[0];
        let mut plain = FamilyScores::new(&expected, score, 1);
        assert_near(found, plain.family(0, &[1, 2]), score);
    }
    // A table of 54000 cells is counted by sorting.
    assert!(expected.base(2, &[3, 4, 5]).is_none());
    let mut scores = FamilyScores::new(&expected, NetworkScore::LogLikelihood, 1);
    let table = expected.table(2, &[3, 4, 5]);
    let rows = table.chunks(2).map(|row| {
        let all: f64 = row.iter().sum();
        let positive = row.iter().filter(|count| **count > 0.0);
        positive
            .map(|count| count * (count / all).ln())
            .sum::<f64>()
    });
    assert_near(scores.family(2, &[3, 4, 5]), rows.sum(), "sorted");
}
