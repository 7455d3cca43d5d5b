//! A random model as data.

/// An element by its distance from the newest one in scope, modulo their number.
pub type Ref = u8;

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyName {
    /// `u32`, from 0 to 3.
    Number,
    /// `bool`.
    Boolean,
    /// `(bool, u32)`.
    Pair,
}

/// A probability or a weight.
#[derive(Clone, Debug)]
pub enum Chance {
    /// A constant.
    Constant(f64),
    /// One of the model's parameters.
    Param(u8),
    /// Levels between 0 and 1 by the value of a number.
    Element(Ref),
}

/// Inputs of a function or a Chain.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// One number.
    Number(Ref),
    /// One Boolean.
    Boolean(Ref),
    /// One pair.
    Pair(Ref),
    /// Two numbers.
    Two(Ref, Ref),
    /// A Boolean and a number.
    Mixed(Ref, Ref),
    /// The same as a `tuple`.
    Tuple(Ref, Ref),
    /// A number, a Boolean and a number.
    Three(Ref, Ref, Ref),
    /// A list of numbers.
    List(Vec<Ref>),
    /// The same as an `inject`.
    Inject(Vec<Ref>),
}

/// Result of a Chain: some elements of its own, then any element in scope.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Elements created in the branch.
    pub locals: Vec<Definition>,
    /// The result.
    pub result: Ref,
}

/// Values that a clause accepts, as bits by code.
#[derive(Clone, Debug)]
pub enum Case {
    /// These.
    OneOf(Vec<u8>),
    /// All but these.
    NoneOf(Vec<u8>),
    /// All.
    Any,
}

/// Evidence about one element.
#[derive(Clone, Debug)]
pub enum Statement {
    /// It has this value.
    Observe(u8),
    /// The bit of its value is set.
    Condition(u8),
    /// Weights by value.
    Weigh(Vec<f64>),
    /// Logarithms of weights by value.
    LogWeigh(Vec<f64>),
    /// Weights by value, with the promise that none exceeds the largest of them.
    WeighAtMost(Vec<f64>),
}

/// Elements that any family has.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A certain value.
    Constant(u8),
    /// Values with weights, the first of them positive.
    Select((f64, u8), Vec<(Chance, u8)>),
    /// Values with equal weights.
    Uniform(Vec<u8>),
    /// Elements with weights, the first of them positive.
    Dist((f64, Branch), Vec<(Chance, Branch)>),
    /// A table over Booleans (`true`) or numbers, with repeating weights.
    Table(bool, Vec<Ref>, u8, Vec<f64>),
    /// A function, chosen by a code.
    Apply(Inputs, u64),
    /// One of some branches, chosen by a code and the values of the inputs.
    Chain(Inputs, u64, Vec<Branch>),
    /// One of two branches.
    If(Ref, Branch, Branch),
    /// A row for each number, of some elements that rows share.
    CpdOne(Ref, Vec<u8>, Vec<Branch>),
    /// A row for each Boolean and number.
    CpdTwo(Ref, Ref, Vec<u8>, Vec<Branch>),
    /// Clauses over a Boolean and a number, and a last one that accepts everything.
    RichCpd(Ref, Ref, Vec<(Case, Case, Branch)>, Branch),
    /// A function that calls itself with a smaller number while a coin of its own shows heads.
    Recursion(Ref, Chance, Branch, u64),
    /// A recursive function whose calls share their distribution: it calls itself twice while a coin of its own shows
    /// heads. The code chooses its inputs and the function of the two results.
    Calls(Ref, Chance, Branch, u64),
    /// An element, weighed where it is reached.
    Score(Ref, Statement),
}

/// A named operation on Booleans.
#[derive(Clone, Copy, Debug)]
pub enum BooleanOp {
    /// `and`
    And,
    /// `or`
    Or,
    /// `not`
    Not,
    /// `xor`
    Xor,
    /// `implies`
    Implies,
}

/// A named comparison.
#[derive(Clone, Copy, Debug)]
pub enum CompareOp {
    /// `equals`
    Equals,
    /// `differs`
    Differs,
    /// `less_than`
    LessThan,
    /// `at_most`
    AtMost,
    /// `greater_than`
    GreaterThan,
    /// `at_least`
    AtLeast,
}

/// One element.
#[derive(Clone, Debug)]
pub enum Definition {
    /// Any constructor that all families have.
    Of(FamilyName, Shape),
    /// A Boolean.
    Flip(Chance),
    /// A number of up to three trials.
    Binomial(u8, Chance),
    /// An operation on Booleans.
    Boolean(BooleanOp, Ref, Ref),
    /// A comparison of numbers.
    Compare(CompareOp, Ref, Ref),
    /// A test whether a pair has this value.
    Is(Ref, u8),
    /// A Boolean and a number.
    Tuple(Ref, Ref),
    /// The second part of a pair.
    Second(Ref),
    /// A sum modulo four.
    Sum(Ref, Ref),
    /// A fold over numbers with a step chosen by a code.
    Fold(Vec<Ref>, u64),
}

/// A piece of evidence.
#[derive(Clone, Debug)]
pub enum Piece {
    /// About an element.
    On(FamilyName, Ref, Statement),
    /// About a number, a Boolean and a number together.
    Contingent(Ref, Ref, Ref, Statement),
    /// The values of a list of numbers.
    Inject(Vec<Ref>, Vec<u8>),
}

/// A model with targets.
#[derive(Clone, Debug)]
pub struct Description {
    /// The parameters: their values, and other values for later.
    pub params: Vec<(f64, f64)>,
    /// The elements, each made from earlier ones.
    pub definitions: Vec<Definition>,
    /// The evidence.
    pub evidence: Vec<Piece>,
    /// The interventions.
    pub interventions: Vec<(FamilyName, Ref, u8)>,
    /// The targets.
    pub targets: Vec<(FamilyName, Ref)>,
}
