//! Strategies that generate random descriptions.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::description::{
    BooleanOp, Branch, Case, Chance, CompareOp, Definition, Description, FamilyName, Inputs, Piece,
    Ref, Shape, Statement,
};

/// Returns a strategy that generates models with one to three targets.
pub fn description() -> BoxedStrategy<Description> {
    let interventions = vec((family(), reference(), 0u8..8), 1..3);
    (
        vec((probability(), probability()), 0..3),
        (roots(), vec(definition(2), 1..10)),
        prop_oneof![3 => vec(piece(), 0..2), 3 => vec(piece(), 1..4), 1 => vec(piece(), 3..6)],
        prop_oneof![2 => Just(Vec::new()), 1 => interventions],
        prop_oneof![
            vec((family(), reference()), 1..4),
            vec((family(), reference()), 3)
        ],
    )
        .prop_map(
            |(params, (roots, more), evidence, interventions, targets)| {
                let definitions = roots.into_iter().chain(more).collect();
                Description {
                    params,
                    definitions,
                    evidence,
                    interventions,
                    targets,
                }
            },
        )
        .boxed()
}

/// Returns a strategy that generates mainly atomic elements of each family, so that references find elements whose values vary.
fn roots() -> BoxedStrategy<Vec<Definition>> {
    let values = |family, most| {
        let uniform = vec(0..most, 2..5).prop_map(Shape::Uniform);
        let others = vec((weighing(), 0..most), 1..4);
        let select = ((sure(), 0..most), others).prop_map(|(s, o)| Shape::Select(s, o));
        prop_oneof![select, uniform].prop_map(move |shape| Definition::Of(family, shape))
    };
    let likely = prop_oneof![
        4 => select(vec![0.5, 0.25, 0.9]).prop_map(Chance::Constant),
        1 => chance(),
    ];
    let roots = (
        vec(likely.prop_map(Definition::Flip), 0..4),
        vec(values(FamilyName::Number, 4u8), 0..4),
        vec(values(FamilyName::Pair, 8u8), 0..2),
    );
    roots.prop_map(|(a, b, c)| [a, b, c].concat()).boxed()
}

fn reference() -> BoxedStrategy<Ref> {
    prop_oneof![0u8..3, 0u8..12].boxed()
}

fn references(most: usize) -> BoxedStrategy<Vec<Ref>> {
    vec(reference(), 1..=most).boxed()
}

fn family() -> BoxedStrategy<FamilyName> {
    prop_oneof![
        3 => Just(FamilyName::Number),
        3 => Just(FamilyName::Boolean),
        1 => Just(FamilyName::Pair),
    ]
    .boxed()
}

fn code() -> BoxedStrategy<u64> {
    prop_oneof![0u64..4, any::<u64>()].boxed()
}

fn probability() -> BoxedStrategy<f64> {
    prop_oneof![
        4 => select(vec![0.5, 0.25, 0.9, 0.3, 0.7]),
        1 => select(vec![0.0, 1.0, 1e-9, 1e-200, 1e-320]),
    ]
    .boxed()
}

fn chance() -> BoxedStrategy<Chance> {
    prop_oneof![
        3 => probability().prop_map(Chance::Constant),
        1 => (0u8..3).prop_map(Chance::Param),
        1 => reference().prop_map(Chance::Element),
    ]
    .boxed()
}

fn weight() -> BoxedStrategy<f64> {
    prop_oneof![
        4 => select(vec![1.0, 2.0, 0.5, 3.0, 0.1]),
        1 => select(vec![0.0, 1e-3, 1e-200, 1e250]),
    ]
    .boxed()
}

fn weighing() -> BoxedStrategy<Chance> {
    prop_oneof![
        3 => weight().prop_map(Chance::Constant),
        1 => (0u8..3).prop_map(Chance::Param),
        1 => reference().prop_map(Chance::Element),
    ]
    .boxed()
}

fn sure() -> BoxedStrategy<f64> {
    prop_oneof![6 => select(vec![1.0, 2.0, 0.25]), 1 => Just(1e-150)].boxed()
}

fn statement() -> BoxedStrategy<Statement> {
    let soft = prop_oneof![
        9 => select(vec![1.0, 0.5, 2.0, 0.1]),
        2 => select(vec![1e-300, 1e300, 1e-310]),
        1 => Just(0.0),
    ];
    let extreme = [
        -800.0, 800.0, -745.0, -740.0, -720.0, 700.0, 709.0, 1500.0, -1500.0,
    ];
    let log = prop_oneof![
        8 => select(vec![0.0, -1.0, 1.0, -0.5]),
        8 => select(extreme.to_vec()),
        1 => Just(f64::NEG_INFINITY),
    ];
    let limited = select(vec![1.0, 0.5, 0.25, 0.1, 0.0, 2.0, 1e-300]);
    let mask = (any::<u8>(), any::<u8>(), any::<u8>()).prop_map(|(a, b, c)| a | b | c);
    prop_oneof![
        4 => (0u8..4).prop_map(Statement::Observe),
        1 => (0u8..16).prop_map(Statement::Observe),
        3 => mask.prop_map(Statement::Condition),
        2 => vec(soft, 1..5).prop_map(Statement::Weigh),
        2 => vec(log, 1..5).prop_map(Statement::LogWeigh),
        2 => vec(limited, 1..5).prop_map(Statement::WeighAtMost),
    ]
    .boxed()
}

fn piece() -> BoxedStrategy<Piece> {
    let r = reference;
    prop_oneof![
        9 => (family(), r(), statement()).prop_map(|(f, r, s)| Piece::On(f, r, s)),
        1 => (r(), r(), r(), statement()).prop_map(|(a, b, c, s)| Piece::Contingent(a, b, c, s)),
        1 => (references(3), vec(0u8..4, 1..4)).prop_map(|(r, v)| Piece::Inject(r, v)),
    ]
    .boxed()
}

fn inputs() -> BoxedStrategy<Inputs> {
    let r = reference;
    prop_oneof![
        4 => r().prop_map(Inputs::Number),
        4 => r().prop_map(Inputs::Boolean),
        1 => r().prop_map(Inputs::Pair),
        1 => (r(), r()).prop_map(|(a, b)| Inputs::Two(a, b)),
        2 => (r(), r()).prop_map(|(a, b)| Inputs::Mixed(a, b)),
        1 => (r(), r()).prop_map(|(a, b)| Inputs::Tuple(a, b)),
        1 => (r(), r(), r()).prop_map(|(a, b, c)| Inputs::Three(a, b, c)),
        1 => references(3).prop_map(Inputs::List),
        1 => references(2).prop_map(Inputs::Inject),
    ]
    .boxed()
}

fn branch(depth: u32) -> BoxedStrategy<Branch> {
    let locals = vec(definition(depth), 0..3);
    (locals, reference())
        .prop_map(|(locals, result)| Branch { locals, result })
        .boxed()
}

fn case() -> BoxedStrategy<Case> {
    prop_oneof![
        vec(0u8..4, 0..3).prop_map(Case::OneOf),
        vec(0u8..4, 0..3).prop_map(Case::NoneOf),
        Just(Case::Any),
    ]
    .boxed()
}

fn simple_shape() -> BoxedStrategy<Shape> {
    prop_oneof![
        1 => (0u8..8).prop_map(Shape::Constant),
        3 => ((sure(), 0u8..8), vec((weighing(), 0u8..8), 0..3)).prop_map(|(s, o)| Shape::Select(s, o)),
        1 => vec(0u8..8, 1..4).prop_map(Shape::Uniform),
        2 => (any::<bool>(), references(2), 0u8..3, vec(weight(), 1..6))
            .prop_map(|(b, p, c, w)| Shape::Table(b, p, c, w)),
        2 => (inputs(), code()).prop_map(|(i, c)| Shape::Apply(i, c)),
        3 => (reference(), statement()).prop_map(|(r, s)| Shape::Score(r, s)),
    ].boxed()
}

fn branching_shape(depth: u32) -> BoxedStrategy<Shape> {
    let (r, b) = (reference, move || branch(depth));
    prop_oneof![
        4 => (inputs(), code(), vec(b(), 1..4)).prop_map(|(i, c, b)| Shape::Chain(i, c, b)),
        2 => (r(), b(), b()).prop_map(|(r, y, n)| Shape::If(r, y, n)),
        1 => ((sure(), b()), vec((weighing(), b()), 0..3)).prop_map(|(s, o)| Shape::Dist(s, o)),
        1 => (r(), vec(0u8..4, 1..5), vec(b(), 1..4)).prop_map(|(x, r, b)| Shape::CpdOne(x, r, b)),
        1 => (r(), r(), vec(0u8..4, 1..9), vec(b(), 1..4))
            .prop_map(|(x, y, r, b)| Shape::CpdTwo(x, y, r, b)),
        1 => (r(), r(), vec((case(), case(), b()), 0..3), b())
            .prop_map(|(x, y, c, o)| Shape::RichCpd(x, y, c, o)),
        1 => (r(), chance(), b(), 0u64..3).prop_map(|(n, p, s, c)| Shape::Recursion(n, p, s, c)),
        1 => (r(), chance(), b(), 0u64..16).prop_map(|(n, p, s, c)| Shape::Calls(n, p, s, c)),
    ]
    .boxed()
}

fn definition(depth: u32) -> BoxedStrategy<Definition> {
    let r = reference;
    let boolean = select(vec![
        BooleanOp::And,
        BooleanOp::Or,
        BooleanOp::Not,
        BooleanOp::Xor,
        BooleanOp::Implies,
    ]);
    let compare = select(vec![
        CompareOp::Equals,
        CompareOp::Differs,
        CompareOp::LessThan,
        CompareOp::AtMost,
        CompareOp::GreaterThan,
        CompareOp::AtLeast,
    ]);
    let simple = prop_oneof![
        4 => chance().prop_map(Definition::Flip),
        1 => (0u8..4, chance()).prop_map(|(n, p)| Definition::Binomial(n, p)),
        8 => (family(), simple_shape()).prop_map(|(f, s)| Definition::Of(f, s)),
        2 => (boolean, r(), r()).prop_map(|(o, a, b)| Definition::Boolean(o, a, b)),
        1 => (compare, r(), r()).prop_map(|(o, a, b)| Definition::Compare(o, a, b)),
        1 => (r(), 0u8..8).prop_map(|(a, v)| Definition::Is(a, v)),
        1 => (r(), r()).prop_map(|(a, b)| Definition::Tuple(a, b)),
        1 => r().prop_map(Definition::Second),
        1 => (r(), r()).prop_map(|(a, b)| Definition::Sum(a, b)),
        1 => (references(3), code()).prop_map(|(r, c)| Definition::Fold(r, c)),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    let branching = (family(), branching_shape(depth - 1));
    prop_oneof![
        3 => simple,
        2 => branching.prop_map(|(f, s)| Definition::Of(f, s)),
    ]
    .boxed()
}
