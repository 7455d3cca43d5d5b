//! Random models as plain data.

/// A reference to an element: its distance from the newest element in scope, modulo the number of elements in scope.
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
    /// A constant probability or weight.
    Constant(f64),
    /// One of the model's parameters.
    Param(u8),
    /// A probability that is computed from the value of a number element, as equally spaced levels between 0 and 1.
    Element(Ref),
}

/// The input elements of a function or a `Chain`.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// One input, which is a number.
    Number(Ref),
    /// One input, which is a Boolean.
    Boolean(Ref),
    /// One input, which is a pair.
    Pair(Ref),
    /// Two inputs, which are numbers.
    Two(Ref, Ref),
    /// Two inputs, which are a Boolean and a number.
    Mixed(Ref, Ref),
    /// A Boolean and a number, combined by `tuple`.
    Tuple(Ref, Ref),
    /// Three inputs, which are a number, a Boolean and a number.
    Three(Ref, Ref, Ref),
    /// A list of numbers.
    List(Vec<Ref>),
    /// A list of numbers, combined by `inject`.
    Inject(Vec<Ref>),
}

/// The branch of a `Chain`: it creates some elements and returns one of them or any other element in scope.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Elements created in the branch.
    pub locals: Vec<Definition>,
    /// Reference to the element that the branch returns.
    pub result: Ref,
}

/// The values that a clause accepts, as bits at the positions of their codes.
#[derive(Clone, Debug)]
pub enum Case {
    /// The clause accepts these values.
    OneOf(Vec<u8>),
    /// The clause accepts all values but these.
    NoneOf(Vec<u8>),
    /// The clause accepts all values.
    Any,
}

/// Evidence about one element.
#[derive(Clone, Debug)]
pub enum Statement {
    /// The element has the value with this code.
    Observe(u8),
    /// The bit at the position of the value's code is set.
    Condition(u8),
    /// Each value has its own weight.
    Weigh(Vec<f64>),
    /// Each value has a weight that is given by its logarithm.
    LogWeigh(Vec<f64>),
    /// Each value has its own weight, with the promise that no weight exceeds the largest of these.
    WeighAtMost(Vec<f64>),
}

/// The constructors that exist for elements of every family.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A constant.
    Constant(u8),
    /// A Select of values with weights; the first weight is positive.
    Select((f64, u8), Vec<(Chance, u8)>),
    /// A Uniform over values.
    Uniform(Vec<u8>),
    /// A Dist over branches with weights; the first weight is positive.
    Dist((f64, Branch), Vec<(Chance, Branch)>),
    /// A table over Booleans (if `true`) or numbers, whose weights repeat cyclically.
    Table(bool, Vec<Ref>, u8, Vec<f64>),
    /// An `Apply` of a function that is chosen by a code.
    Apply(Inputs, u64),
    /// A `Chain` that takes one of several branches, chosen by a code and the values of the inputs.
    Chain(Inputs, u64, Vec<Branch>),
    /// An If with two branches.
    If(Ref, Branch, Branch),
    /// A table with a row for each number; the rows share some branches.
    CpdOne(Ref, Vec<u8>, Vec<Branch>),
    /// A table with a row for each pair of a Boolean and a number.
    CpdTwo(Ref, Ref, Vec<u8>, Vec<Branch>),
    /// A table of clauses over a Boolean and a number, with a last clause that accepts everything.
    RichCpd(Ref, Ref, Vec<(Case, Case, Branch)>, Branch),
    /// A function that calls itself with a smaller number for as long as a coin, flipped in each call, shows heads.
    Recursion(Ref, Chance, Branch, u64),
    /// A recursive function whose calls share their distribution; it calls itself twice for as long as a coin, flipped in each call, shows heads. The
    /// code chooses the inputs of the function and how it combines the two results.
    Calls(Ref, Chance, Branch, u64),
    /// An element with a `Score`, which weighs each world that reaches the element.
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

/// A definition of one element.
#[derive(Clone, Debug)]
pub enum Definition {
    /// A constructor that exists for all families.
    Of(FamilyName, Shape),
    /// A Flip with this probability.
    Flip(Chance),
    /// A Binomial with up to three trials.
    Binomial(u8, Chance),
    /// An operation on Booleans.
    Boolean(BooleanOp, Ref, Ref),
    /// A comparison of numbers.
    Compare(CompareOp, Ref, Ref),
    /// A test whether a pair has the value with this code.
    Is(Ref, u8),
    /// A pair of a Boolean and a number.
    Tuple(Ref, Ref),
    /// The second component of a pair.
    Second(Ref),
    /// The sum of two numbers modulo four.
    Sum(Ref, Ref),
    /// A fold over numbers, whose step function is chosen by a code.
    Fold(Vec<Ref>, u64),
}

/// A piece of evidence.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Evidence about one element.
    On(FamilyName, Ref, Statement),
    /// Evidence about a number, a Boolean and a number together.
    Contingent(Ref, Ref, Ref, Statement),
    /// Evidence that a list of numbers has these values.
    Inject(Vec<Ref>, Vec<u8>),
}

/// A model with targets.
#[derive(Clone, Debug)]
pub struct Description {
    /// For each parameter, its first value and the value that it gets later.
    pub params: Vec<(f64, f64)>,
    /// The definitions of the elements, each of which refers to earlier elements.
    pub definitions: Vec<Definition>,
    /// The pieces of evidence.
    pub evidence: Vec<Piece>,
    /// The interventions, each with the element and the code of its value.
    pub interventions: Vec<(FamilyName, Ref, u8)>,
    /// The targets, each with its type.
    pub targets: Vec<(FamilyName, Ref)>,
}
