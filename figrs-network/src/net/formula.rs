//! Formulas that define tables in NET: expressions over the values of nodes.

use super::super::lexer::{LexerError, LexerResult};
use figrs_reading::{Mistake, MistakeKind};

/// Maximum nesting depth of formulas.
const MOST_DEPTH: usize = 100;

/// Maximum number of operators in a formula. The number of operators in a formula is limited because each operation may be nested in the next
/// operation.
const MOST_OPERATORS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Truth(bool),
    Number(f64),
    Label(String),
    /// A distribution, given by the probabilities of a node's states.
    Distribution(Vec<f64>),
}

/// An expression: a constant, a node given by its name, or a function applied to expressions.
#[derive(Debug)]
pub(super) enum Formula {
    Constant(Value),
    Node {
        at: usize,
        name: String,
    },
    Function {
        at: usize,
        name: String,
        arguments: Vec<Formula>,
    },
}

/// Returns the error that a formula cannot be read because of `reason`.
pub(super) fn unread(at: usize, reason: impl std::fmt::Display) -> LexerError {
    let problem = format!("the formula is not supported: {reason}");
    let remedy = "write the table as `data`";
    LexerError::new(at, Mistake::new(MistakeKind::Unsupported, problem, remedy))
}

/// Parses a list of formulas in parentheses, separated by commas; `offset` is the offset of `text` in the file.
pub(super) fn formulas(text: &str, offset: usize) -> LexerResult<Vec<Formula>> {
    let mut reader = FormulaReader::new(text, offset);
    reader.require("(")?;
    let formulas = reader.list()?;
    reader.end()?;
    Ok(formulas)
}

/// Parses a list of formulas as [`formulas`] does; the list may be nested, and its formulas need no commas between them.
pub(super) fn nested_formulas(text: &str, offset: usize) -> LexerResult<Vec<Formula>> {
    let mut reader = FormulaReader::new(text, offset);
    reader.require("(")?;
    let (mut all, mut lists) = (Vec::new(), 1_usize);
    while lists > 0 {
        if reader.mark("(") {
            lists += 1;
        } else if reader.mark(")") {
            lists -= 1;
        } else if !reader.mark(",") {
            reader.operators = 0;
            all.push(reader.binary(0)?);
        }
    }
    reader.end()?;
    Ok(all)
}

struct FormulaReader<'t> {
    text: &'t str,
    place: usize,
    offset: usize,
    depth: usize,
    /// Number of operators that have been parsed so far in the current formula.
    operators: usize,
}

/// Infix operators by increasing precedence; operators in the same inner list have equal precedence.
const OPERATORS: [&[&str]; 4] = [
    &["==", "!=", "<>", "<=", ">=", "<", ">", "="],
    &["+", "-"],
    &["*", "/"],
    &["^"],
];

impl<'t> FormulaReader<'t> {
    fn new(text: &'t str, offset: usize) -> Self {
        Self {
            text,
            place: 0,
            offset,
            depth: 0,
            operators: 0,
        }
    }

    /// Checks that nothing follows the formulas in the text.
    fn end(&mut self) -> LexerResult<()> {
        self.space();
        if self.place < self.text.len() {
            return Err(unread(
                self.at(),
                "more text follows after the end of the formula",
            ));
        }
        Ok(())
    }

    fn rest(&self) -> &'t str {
        &self.text[self.place..]
    }

    fn at(&self) -> usize {
        self.offset + self.place
    }

    fn space(&mut self) {
        loop {
            self.place = self.text.len() - self.rest().trim_start().len();
            if !self.rest().starts_with('%') {
                return;
            }
            let line = self.rest().find('\n');
            self.place = line.map_or(self.text.len(), |end| self.place + end);
        }
    }

    fn mark(&mut self, mark: &str) -> bool {
        self.space();
        let is_here = self.rest().starts_with(mark);
        self.place += if is_here { mark.len() } else { 0 };
        is_here
    }

    fn require(&mut self, mark: &str) -> LexerResult<()> {
        if self.mark(mark) {
            return Ok(());
        }
        Err(unread(self.at(), format!("`{mark}` is missing")))
    }

    /// Parses a list of formulas up to a closing parenthesis.
    fn list(&mut self) -> LexerResult<Vec<Formula>> {
        let mut all = Vec::new();
        while !self.mark(")") {
            if !all.is_empty() {
                self.require(",")?;
            }
            if self.depth == 0 {
                self.operators = 0;
            }
            all.push(self.binary(0)?);
        }
        Ok(all)
    }

    /// Parses a formula whose operators have at least the precedence of the entry with the index `line` in the precedence table `OPERATORS`.
    fn binary(&mut self, line: usize) -> LexerResult<Formula> {
        let Some(operators) = OPERATORS.get(line) else {
            return self.unary();
        };
        let mut left = self.binary(line + 1)?;
        loop {
            self.space();
            let at = self.at();
            let mut own = operators.iter();
            let Some(&name) = own.find(|&&operator| self.mark(operator)) else {
                return Ok(left);
            };
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                return Err(unread(at, "too many operators"));
            }
            let right = self.binary(line + 1)?;
            left = Formula::Function {
                at,
                name: name.to_owned(),
                arguments: vec![left, right],
            };
        }
    }

    fn unary(&mut self) -> LexerResult<Formula> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(unread(self.at(), "too many parentheses within each other"));
        }
        let found = self.operand();
        self.depth -= 1;
        found
    }

    fn operand(&mut self) -> LexerResult<Formula> {
        if self.mark("-") {
            let at = self.at();
            let arguments = vec![self.unary()?];
            let name = "-".to_owned();
            return Ok(Formula::Function {
                at,
                name,
                arguments,
            });
        }
        if self.mark("(") {
            let inner = self.binary(0)?;
            self.require(")")?;
            return Ok(inner);
        }
        let at = self.at();
        if self.mark("\"") {
            let label = self.rest().split('"').next().unwrap_or_default();
            self.place += label.len();
            self.require("\"")?;
            return Ok(Formula::Constant(Value::Label(label.to_owned())));
        }
        let rest = self.rest();
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let mut end = 0;
            for (i, c) in rest.char_indices() {
                let is_sign = matches!(c, '+' | '-') && rest[..i].ends_with(['e', 'E']);
                if !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || is_sign) {
                    break;
                }
                end = i + c.len_utf8();
            }
            self.place += end;
            let number = rest[..end]
                .parse()
                .map_err(|_| unread(at, "a number is invalid"))?;
            return Ok(Formula::Constant(Value::Number(number)));
        }
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let name = &rest[..length.unwrap_or(rest.len())];
        if name.is_empty() {
            return Err(unread(at, "a node, a number or a function is missing"));
        }
        self.place += name.len();
        if self.mark("(") {
            let (name, arguments) = (name.to_ascii_lowercase(), self.list()?);
            return Ok(Formula::Function {
                at,
                name,
                arguments,
            });
        }
        let name = name.to_owned();
        Ok(match name.as_str() {
            "true" => Formula::Constant(Value::Truth(true)),
            "false" => Formula::Constant(Value::Truth(false)),
            _ => Formula::Node { at, name },
        })
    }
}

impl Formula {
    /// Returns the offset of the formula in the text.
    pub(super) fn at(&self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Node { at, .. } | Self::Function { at, .. } => Some(*at),
        }
    }

    /// Returns the first node in the formula, with its offset.
    pub(super) fn node(&self) -> Option<(usize, &str)> {
        match self {
            Self::Constant(_) => None,
            Self::Node { at, name } => Some((*at, name)),
            Self::Function { arguments, .. } => arguments.iter().find_map(Self::node),
        }
    }

    /// Returns the value of the formula, given the values of nodes by their names.
    ///
    /// **Errors.** An error if a node has no value, a function is unknown, or the kind or number of its arguments is not
    /// allowed.
    pub(super) fn value(&self, of: &impl Fn(&str) -> Option<Value>) -> LexerResult<Value> {
        let (at, name, arguments) = match self {
            Self::Constant(value) => return Ok(value.clone()),
            Self::Node { at, name } => {
                let missing = || format!("`{name}` is not a parent whose values formulas can use");
                return of(name).ok_or_else(|| unread(*at, missing()));
            }
            Self::Function {
                at,
                name,
                arguments,
            } => (*at, name.as_str(), &arguments[..]),
        };
        if let ("if", [condition, yes, no]) = (name, arguments) {
            return match condition.value(of)? {
                Value::Truth(true) => yes.value(of),
                Value::Truth(false) => no.value(of),
                _ => Err(unread(
                    at,
                    "the first part of `if` is neither true nor false",
                )),
            };
        }
        let values = arguments.iter().map(|argument| argument.value(of));
        let values = values.collect::<LexerResult<Vec<Value>>>()?;
        applied(name, &values).ok_or_else(|| {
            unread(
                at,
                format!("`{name}` is not a supported function of these arguments"),
            )
        })
    }
}

/// Applies the function `name` to `values`; `None` if the function is unknown, or if the arguments have the wrong kinds.
fn applied(name: &str, values: &[Value]) -> Option<Value> {
    use Value::{Distribution, Number, Truth};
    if let ("==" | "=" | "!=" | "<>", [left, right]) = (name, values) {
        let is_same_kind = std::mem::discriminant(left) == std::mem::discriminant(right);
        return is_same_kind.then(|| Truth((left == right) == name.starts_with('=')));
    }
    if matches!(name, "and" | "or" | "not") {
        let truths = values.iter().map(|value| match value {
            Truth(truth) => Some(*truth),
            _ => None,
        });
        let truths: Vec<bool> = truths.collect::<Option<_>>()?;
        return match (name, &truths[..]) {
            ("not", [one]) => Some(Truth(!one)),
            ("and", [_, ..]) => Some(Truth(truths.iter().all(|&truth| truth))),
            ("or", [_, ..]) => Some(Truth(truths.iter().any(|&truth| truth))),
            _ => None,
        };
    }
    let numbers = values.iter().map(|value| match value {
        Number(number) => Some(*number),
        _ => None,
    });
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    let number = match (name, &numbers[..]) {
        ("distribution", [_, ..]) => return Some(Distribution(numbers)),
        ("<", [a, b]) => return Some(Truth(a < b)),
        ("<=", [a, b]) => return Some(Truth(a <= b)),
        (">", [a, b]) => return Some(Truth(a > b)),
        (">=", [a, b]) => return Some(Truth(a >= b)),
        ("+", [a, b]) => a + b,
        ("-", [a, b]) => a - b,
        ("-", [a]) => -a,
        ("*", [a, b]) => a * b,
        ("/", [a, b]) => a / b,
        ("^", [a, b]) => a.powf(*b),
        ("mod", [a, b]) => a - b * (a / b).floor(),
        ("min", [_, ..]) => numbers.iter().copied().fold(f64::INFINITY, f64::min),
        ("max", [_, ..]) => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ("abs", [a]) => a.abs(),
        ("sqrt", [a]) => a.sqrt(),
        ("exp", [a]) => a.exp(),
        ("log", [a]) => a.ln(),
        ("log2", [a]) => a.log2(),
        ("log10", [a]) => a.log10(),
        ("floor", [a]) => a.floor(),
        ("ceil", [a]) => a.ceil(),
        _ => return None,
    };
    // Adding zero turns -0.0 into 0.0, so that both zeros are the same value.
    number.is_finite().then_some(Number(number + 0.0))
}
