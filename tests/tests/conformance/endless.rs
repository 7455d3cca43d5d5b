//! Models with infinitely many worlds: for samplers, until there are lazy bounds.

use figrs::prelude::*;

use crate::asked::probability;
use crate::case::Expected::Number;

fn count_from(n: u32) -> Element<u32> {
    Flip::new(0.4).flat_map(move |&stop| if stop { Constant::new(n) } else { count_from(n + 1) })
}

/// Whether a random list has an `a` in it, and a `b`.
fn letters() -> Element<(bool, bool)> {
    Flip::new(0.5).flat_map(|&end| {
        if end {
            return Constant::new((false, false));
        }
        let head = Select::new([(0.6, 'a'), (0.4, 'b')]);
        (&head, &letters()).map(|(&head, &(a, b))| (a || head == 'a', b || head == 'b'))
    })
}

cases! {
    recursive_geometric: Number(0.0864), Endless, || {
        probability(Model::new(), &count_from(0), 3)
    };

    lazy_list: Number(2.0 / 7.0), Endless, || {
        probability(Model::new(), &letters().map(|&(_, b)| b), true)
    };
}
