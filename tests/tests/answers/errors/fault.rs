//! Tests of functions of a model that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use figrs::prelude::*;
use figrs::{Fault, ModelError, RichCpd, Table, none_of, one_of};

use crate::errors::everywhere;

fn fault(error: &Error) -> &Fault {
    match error {
        Error::Model(ModelError::Function { fault, .. }) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

#[test]
fn panicked() {
    let die = Uniform::new(0..=5);
    let share = die.map(|&n| {
        assert!(n != 0, "nobody to share {n} cakes");
        60 / n
    });
    let share = share.named("share");
    for found in everywhere(
        &Model::new(),
        &share,
        &[
            "`share`",
            "map at",
            "nobody to share 0 cakes (",
            "fault.rs:",
        ],
    ) {
        assert!(matches!(fault(&found), Fault::Panicked(_)));
    }
}

#[test]
fn panicked_in_a_chain_and_in_evidence() {
    let die = Uniform::new(1..=6).named("die");
    let next = die
        .flat_map(|&n| Uniform::new([1, 2, 3].map(|i| i / (6 - n))))
        .named("next");
    everywhere(&Model::new(), &next, &["`next`", "divide by zero"]);
    let model = Model::new().condition(&die, |&n| [false; 5][n]);
    everywhere(&model, &die, &["`die`", "the len is 5 but the index is"]);
}

#[test]
fn row_missing() {
    let (rain, wind) = (Flip::new(0.2), Flip::new(0.3));
    let rows = [
        ((true, true), Flip::new(0.9)),
        ((false, false), Flip::new(0.1)),
    ];
    let late = Cpd::new((&rain, &wind), rows).named("late");
    let model = Model::new().observe(&rain, true);
    for found in everywhere(
        &model,
        &late,
        &["`late`", "Cpd", "no row for (true, false)", "add one"],
    ) {
        assert!(matches!(fault(&found), Fault::Row(_)));
    }
}

#[test]
fn row_given_twice() {
    let rain = Flip::new(0.2);
    let rows = [0.9, 0.1, 0.2].map(Flip::new);
    let late = Cpd::new(&rain, [true, false, true].into_iter().zip(rows)).named("late");
    everywhere(
        &Model::new(),
        &late,
        &["`late`", "2 rows for", "true", "keep one"],
    );
}

#[test]
fn row_that_no_clause_accepts() {
    let die = Uniform::new(1..=6);
    let clauses = [
        (one_of([6]), Flip::new(0.9)),
        (none_of([1, 6]), Flip::new(0.5)),
    ];
    let win = RichCpd::new(&die, clauses).named("win");
    everywhere(
        &Model::new(),
        &win,
        &["`win`", "RichCpd", "2 clauses", "add one"],
    );
}

#[test]
fn row_of_a_table_for_an_unlisted_state() {
    let die = Uniform::new(1..=3);
    let win = Table::new(
        [(&die, vec![1, 2])],
        [true, false],
        vec![0.5, 0.5, 0.1, 0.9],
    )
    .named("win");
    everywhere(
        &Model::new(),
        &win,
        &[
            "`win`",
            "Table",
            "parent 0",
            "not among its states",
            "add it",
        ],
    );
}

#[test]
fn impure() {
    if !cfg!(debug_assertions) {
        return;
    }
    let count = Arc::new(AtomicU32::new(1));
    let coin = Flip::new(0.5).flat_map(move |_| {
        let n = count.fetch_add(1, Ordering::Relaxed);
        Flip::new(1.0 / f64::from(n + 1))
    });
    let coin = coin.named("coin");
    let parts = [
        "`coin`",
        "two different elements",
        "Flip(0.",
        "depend on its arguments alone",
    ];
    for found in everywhere(&Model::new(), &coin, &parts) {
        assert!(matches!(fault(&found), Fault::Impure(_)));
    }
}
