//! Conformance cases of most probable worlds and marginal MAP.

use figrs::prelude::*;
use figrs::tuple;

use crate::conformance::asked::{asks, marginal_map, most_probable_world, probability};
use crate::conformance::case::Expected::{Most, Number};

const PIXELS: [&str; 16] = [
    "p00", "p01", "p02", "p03", "p10", "p11", "p12", "p13", "p20", "p21", "p22", "p23", "p30",
    "p31", "p32", "p33",
];

/// A picture of four by four pixels: each pair of neighbours that differ halves the weight, and six pixels are known.
fn pixels() -> (Model, Vec<Element<bool>>) {
    let known = [
        (0, true),
        (2, false),
        (5, true),
        (8, true),
        (11, false),
        (13, true),
    ];
    let pixels: Vec<Element<bool>> = PIXELS.map(|_| Flip::new(0.4)).to_vec();
    let mut model = Model::new();
    for (at, value) in known {
        model = model.observe(&pixels[at], value);
    }
    for at in 0..16 {
        let right = (at % 4 < 3).then_some(at + 1);
        let below = (at < 12).then_some(at + 4);
        for neighbour in right.into_iter().chain(below) {
            let same = pixels[at].equals(&pixels[neighbour]);
            model = model.weigh(&same, |&same| if same { 1.0 } else { 0.5 });
        }
    }
    (model, pixels)
}

fn two_levels() -> [Element<bool>; 4] {
    let a = Flip::new(0.6);
    let b = If::new(&a, Flip::new(0.7), Flip::new(0.4));
    let c = If::new(&a, Flip::new(0.6), Flip::new(0.1));
    let d = If::new(&b, Flip::new(0.1), Flip::new(0.6));
    [a, b, c, d]
}

cases! {
    mpe_pixels: Most {
        values: &[
            ("p00", "true"), ("p01", "true"), ("p02", "false"), ("p03", "false"),
            ("p10", "true"), ("p11", "true"), ("p12", "false"), ("p13", "false"),
            ("p20", "true"), ("p21", "true"), ("p22", "false"), ("p23", "false"),
            ("p30", "true"), ("p31", "true"), ("p32", "false"), ("p33", "false"),
        ],
        joint: 6.879_707_136e-7,
        posterior: 0.066_191_609_069_990_55,
    }, Few, || {
        let (model, pixels) = pixels();
        let roots = PIXELS.into_iter().zip(&pixels).map(|(name, pixel)| asks(name, pixel));
        most_probable_world(model, roots.collect())
    };

    pixel_marginal: Number(0.286_697_276_762_255_2), Few, || {
        let (model, pixels) = pixels();
        probability(model, &pixels[10], true)
    };

    /// The most probable number of fours is zero, although all sixteen worlds are equally probable.
    mmap_dice: Most { values: &[("n", "0")], joint: 0.5625, posterior: 0.5625 }, Few, || {
        let four = || Uniform::new(1..=4).is(4);
        let fours = (four(), four()).map(|(&a, &b)| u8::from(a) + u8::from(b));
        marginal_map(Model::new(), &fours, |n| vec![("n", n.to_string())])
    };

    mmap_evidence: Most {
        values: &[("a", "false"), ("b", "true")],
        joint: 0.16,
        posterior: 0.64,
    }, Few, || {
        let a = Flip::new(0.6);
        let b = If::new(&a, Flip::new(0.3).and(&Flip::new(0.5)), Flip::new(0.4));
        let model = Model::new().observe(&b, true);
        marginal_map(model, &tuple((&a, &b)), |(a, b)| vec![("a", a.to_string()), ("b", b.to_string())])
    };

    mmap_two_of_four: Most {
        values: &[("c", "false"), ("d", "false")],
        joint: 0.396,
        posterior: 0.396,
    }, Few, || {
        let [_, _, c, d] = two_levels();
        marginal_map(Model::new(), &tuple((&c, &d)), |(c, d)| vec![("c", c.to_string()), ("d", d.to_string())])
    };
}
