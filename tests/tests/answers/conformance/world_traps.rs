//! Conformance cases of most probable worlds: factors that belong to the probability of a world, and quantities that do not.

use figrs::prelude::*;

use crate::conformance::asked::{asks, most_probable_world};
use crate::conformance::case::Expected::{Impossible, Most};

cases! {
    /// The ten values of the branch that is not taken do not divide the probability of the world.
    mpe_branch_not_taken: Most { values: &[("a", "false"), ("c", "0")], joint: 0.4, posterior: 0.4 }, Few, || {
        let a = Flip::new(0.6);
        let c = If::new(&a, Uniform::new(1..=10), Constant::new(0));
        most_probable_world(Model::new(), vec![asks("a", &a), asks("c", &c)])
    };

    /// The same case with evidence on the branch, which makes it a root that is part of every world.
    mpe_branch_with_evidence: Most { values: &[("a", "true"), ("c", "1")], joint: 0.06, posterior: 0.06 }, Few, || {
        let (a, r) = (Flip::new(0.6), Uniform::new(1..=10));
        let c = If::new(&a, &r, Constant::new(0));
        let model = Model::new().condition(&r, |_| true);
        most_probable_world(model, vec![asks("a", &a), asks("c", &c)])
    };

    mpe_branch_shared_counts_once: Most {
        values: &[("a", "true"), ("c", "1"), ("d", "1")],
        joint: 0.48,
        posterior: 0.48,
    }, Few, || {
        let (a, s) = (Flip::new(0.6), Select::new([(0.8, 1), (0.2, 2)]));
        let [c, d] = [(); 2].map(|()| If::new(&a, &s, Constant::new(0)));
        most_probable_world(Model::new(), vec![asks("a", &a), asks("c", &c), asks("d", &d)])
    };

    /// The world without the shared branch has probability 0.28; a world with it has at most 0.21.
    mpe_branch_reached_by_either_chain: Most {
        values: &[("a", "false"), ("b", "false"), ("c", "0"), ("d", "0")],
        joint: 0.28,
        posterior: 0.28,
    }, Few, || {
        let (a, b, s) = (Flip::new(0.6), Flip::new(0.3), Uniform::new(1..=2));
        let c = If::new(&a, &s, Constant::new(0));
        let d = If::new(&b, &s, Constant::new(0));
        let roots = vec![asks("a", &a), asks("b", &b), asks("c", &c), asks("d", &d)];
        most_probable_world(Model::new(), roots)
    };

    /// The branches have three levels: the shortest path has probability 0.3, and each longer path 0.7 * 0.5 * 0.5.
    mpe_nested_branches: Most { values: &[("a", "false"), ("c", "9")], joint: 0.3, posterior: 0.3 }, Few, || {
        let a = Flip::new(0.7);
        let inner = If::new(&Flip::new(0.5), Uniform::new(0..=1), Uniform::new(2..=3));
        let c = If::new(&a, inner, Constant::new(9));
        most_probable_world(Model::new(), vec![asks("a", &a), asks("c", &c)])
    };

    /// The element that a Dist chose is part of the world, so two worlds of probability 0.3 with the value 2 are not added.
    mpe_choice_of_a_dist: Most { values: &[("d", "1")], joint: 0.4, posterior: 0.4 }, Few, || {
        let d = Dist::new([0.4, 0.3, 0.3].into_iter().zip([1, 2, 2].map(Constant::new)));
        most_probable_world(Model::new(), vec![asks("d", &d)])
    };

    /// Equal values of a Select count as one outcome.
    mpe_values_of_a_select: Most { values: &[("s", "2")], joint: 0.6, posterior: 0.6 }, Few, || {
        let s = Select::new([(0.4, 1), (0.3, 2), (0.3, 2)]);
        most_probable_world(Model::new(), vec![asks("s", &s)])
    };

    /// A parent that is not a target is maximised, not summed out: 0.36 with `hidden` at 0, against 0.6 that is spread over ten values.
    mpe_parent_not_asked_for: Most { values: &[("c", "true")], joint: 0.36, posterior: 0.36 }, Few, || {
        let hidden = Select::new([(0.4, 0)].into_iter().chain((1..=10).map(|i| (0.06, i))));
        let c = hidden.flat_map(|&h| if h == 0 { Flip::new(0.9) } else { Flip::new(0.0) });
        most_probable_world(Model::new(), vec![asks("c", &c)])
    };

    mpe_score_in_a_branch: Most { values: &[("a", "true"), ("c", "1")], joint: 1.2, posterior: 0.75 }, Few, || {
        let a = Flip::new(0.6);
        let c = If::new(&a, Score::weigh(&Constant::new(1), |_| 2.0), Constant::new(0));
        let model = Model::new().condition(&c, |_| true);
        most_probable_world(model, vec![asks("a", &a), asks("c", &c)])
    };

    mpe_impossible: Impossible, Few, || {
        let (a, b) = (Flip::new(0.3), Flip::new(0.4));
        let model = Model::new().observe(&a.and(&b), true).observe(&a.xor(&b), true);
        most_probable_world(model, vec![asks("a", &a)])
    };

    /// An element that is set by intervention is certain, and its parents are not part of the world.
    mpe_intervention: Most { values: &[("b", "true"), ("c", "true")], joint: 0.9, posterior: 0.9 }, Few, || {
        let b = If::new(&Flip::new(0.1), Flip::new(0.2), Flip::new(0.3));
        let c = If::new(&b, Flip::new(0.9), Flip::new(0.4));
        most_probable_world(Model::new().intervene(&b, true), vec![asks("b", &b), asks("c", &c)])
    };
}
