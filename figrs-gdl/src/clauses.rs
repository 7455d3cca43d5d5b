//! Converts expressions to rules; a condition with `or` is expanded into several rules.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::kif::{Expression, ExpressionForm, KifError, KifResult, not_a_name};
use super::syntax::{Atom, Literal, Pattern, Rule, SymbolId, Symbols};
use figrs_reading::{Mistake, MistakeKind};

/// Maximum total number of conditions in the rules to which one rule with `or` expands.
const MOST_CONDITIONS: usize = 2_000;

/// Operators of the Game Description Language. An operator cannot be the name of a relation.
const OPERATORS: [&str; 5] = ["<=", "or", "and", "not", "distinct"];

/// A conjunction of conditions, as the body of a rule.
type Conditions = Vec<Literal>;

/// Reads rules, and checks that names have the same number of arguments everywhere.
#[derive(Debug)]
pub(super) struct Clauses<'s> {
    symbols: &'s mut Symbols,
    rules: Vec<Rule>,
    /// Number of arguments of each relation at its first occurrence.
    relations: FxHashMap<SymbolId, usize>,
    functions: FxHashMap<SymbolId, usize>,
    /// Names of the variables in the rule that is currently read.
    variables: IndexSet<String, FxBuildHasher>,
}

pub(super) fn rules(expressions: &[Expression], symbols: &mut Symbols) -> KifResult<Vec<Rule>> {
    let mut clauses = Clauses {
        symbols,
        rules: Vec::new(),
        relations: FxHashMap::default(),
        functions: FxHashMap::default(),
        variables: IndexSet::default(),
    };
    for expression in expressions {
        clauses.rule(expression)?;
    }
    Ok(clauses.rules)
}

impl Clauses<'_> {
    fn rule(&mut self, expression: &Expression) -> KifResult<()> {
        self.variables.clear();
        let (name, parts) = expression.parts()?;
        let (head, body) = match (name, parts.split_first()) {
            ("<=", Some(parts)) => parts,
            ("<=", None) => {
                return Err(misplaced(expression.at, name, "without a head after it"));
            }
            _ => (expression, &[][..]),
        };
        let (relation, arguments) = head.parts()?;
        if OPERATORS.contains(&relation) {
            return Err(misplaced(head.at, relation, "as the head of a rule"));
        }
        let head = self.atom(head.at, relation, arguments)?;
        if matches!(head.relation, SymbolId::TRUE | SymbolId::DOES) {
            let position = "as the head of a rule; state `next`, `init` or `legal`";
            return Err(misplaced(head.at, relation, position));
        }
        let mut alternatives = vec![Vec::new()];
        for condition in body {
            let more = self.alternatives(condition, true)?;
            alternatives = product(condition.at, alternatives, more)?;
        }
        let variables: Arc<[String]> = self.variables.drain(..).collect();
        for body in alternatives {
            self.rules.push(Rule {
                head: head.clone(),
                body,
                variables: Arc::clone(&variables),
            });
        }
        Ok(())
    }

    /// Returns the disjunctive normal form of the condition `expression` or of its negation, as a list of conjunctions.
    fn alternatives(
        &mut self,
        expression: &Expression,
        positive: bool,
    ) -> KifResult<Vec<Conditions>> {
        let (name, parts) = expression.parts()?;
        match name {
            "<=" => Err(misplaced(expression.at, name, "as a condition")),
            "not" => {
                operands(expression, name, parts, 1)?;
                self.alternatives(&parts[0], !positive)
            }
            // A disjunction, and a negated conjunction, hold if one of their alternatives holds.
            "or" | "and" if (name == "or") == positive => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.alternatives(part, positive)?);
                    within(expression.at, size(&all))?;
                }
                Ok(all)
            }
            "or" | "and" => {
                let mut all = vec![Vec::new()];
                for part in parts {
                    let more = self.alternatives(part, positive)?;
                    all = product(part.at, all, more)?;
                }
                Ok(all)
            }
            "distinct" => {
                operands(expression, name, parts, 2)?;
                let terms = Box::new([self.pattern(&parts[0])?, self.pattern(&parts[1])?]);
                let (at, same) = (expression.at, !positive);
                Ok(vec![vec![Literal::Compared { at, terms, same }]])
            }
            _ => {
                let atom = self.atom(expression.at, name, parts)?;
                if matches!(atom.relation, SymbolId::INIT | SymbolId::NEXT) {
                    let position = "as a condition; use `true`";
                    return Err(misplaced(atom.at, name, position));
                }
                let literal = if positive {
                    Literal::Holds(atom)
                } else {
                    Literal::Fails(atom)
                };
                Ok(vec![vec![literal]])
            }
        }
    }

    fn atom(&mut self, at: usize, name: &str, arguments: &[Expression]) -> KifResult<Atom> {
        if name.starts_with('?') {
            return Err(not_a_name(at, &format!("the variable `{name}`")));
        }
        let relation = self.symbols.number(name);
        let fixed = relation.fixed_arity();
        let first = fixed.unwrap_or(arguments.len());
        let expected = *self.relations.entry(relation).or_insert(first);
        check_arity(at, name, arguments.len(), (expected, place_of(fixed)))?;
        let arguments = arguments.iter().map(|argument| self.pattern(argument));
        Ok(Atom {
            at,
            relation,
            arguments: arguments.collect::<KifResult<_>>()?,
        })
    }

    fn pattern(&mut self, expression: &Expression) -> KifResult<Pattern> {
        let (name, parts) = expression.parts()?;
        if name.starts_with('?') {
            if matches!(expression.form, ExpressionForm::List(_)) {
                let found = format!("the variable `{name}`");
                return Err(not_a_name(expression.at, &found));
            }
            let (number, _) = self.variables.insert_full(name.into());
            return Ok(Pattern::Variable(number));
        }
        if OPERATORS.contains(&name) {
            return Err(misplaced(expression.at, name, "in a term"));
        }
        let function = self.symbols.number(name);
        if !parts.is_empty() {
            let expected = *self.functions.entry(function).or_insert(parts.len());
            check_arity(expression.at, name, parts.len(), (expected, place_of(None)))?;
        }
        let arguments = parts.iter().map(|part| self.pattern(part));
        Ok(Pattern::Term(
            function,
            arguments.collect::<KifResult<_>>()?,
        ))
    }
}

fn operands(
    expression: &Expression,
    name: &str,
    parts: &[Expression],
    expected: usize,
) -> KifResult<()> {
    check_arity(
        expression.at,
        name,
        parts.len(),
        (expected, place_of(Some(expected))),
    )
}

/// Checks that `name` has `expected` arguments; `elsewhere` describes the place where `name` has this number of arguments.
fn check_arity(
    at: usize,
    name: &str,
    found: usize,
    (expected, elsewhere): (usize, &str),
) -> KifResult<()> {
    if found == expected {
        return Ok(());
    }
    let s = if found == 1 { "" } else { "s" };
    let problem = format!("`{name}` has {found} argument{s} here and {expected} {elsewhere}");
    let mistake = Mistake::new(
        MistakeKind::Count,
        problem,
        "use the same number in both places",
    );
    Err(KifError::new(at, mistake))
}

fn place_of(fixed: Option<usize>) -> &'static str {
    if fixed.is_some() {
        "in the language"
    } else {
        "at its first use"
    }
}

fn misplaced(at: usize, name: &str, position: &'static str) -> KifError {
    let problem = format!("`{name}` cannot stand {position}");
    KifError::new(at, Mistake::new(MistakeKind::Syntax, problem, ""))
}

fn within(at: usize, conditions: usize) -> KifResult<()> {
    if conditions <= MOST_CONDITIONS {
        return Ok(());
    }
    let problem = format!("more than {MOST_CONDITIONS} conditions after `or` is multiplied out");
    let remedy = "split the rule with relations of its own";
    Err(KifError::new(
        at,
        Mistake::new(MistakeKind::TooLarge, problem, remedy),
    ))
}

/// Returns the total number of conditions in all conjunctions of `alternatives`, plus one for each conjunction.
fn size(alternatives: &[Conditions]) -> usize {
    alternatives.iter().map(|all| all.len() + 1).sum()
}

/// Returns the conjunction of two disjunctions: each alternative of `first` is joined with each alternative of `second`.
fn product(
    at: usize,
    first: Vec<Conditions>,
    second: Vec<Conditions>,
) -> KifResult<Vec<Conditions>> {
    within(
        at,
        size(&first) * second.len() + size(&second) * first.len(),
    )?;
    if let [only] = &second[..] {
        // Most rules have a single alternative; in this case the conditions are not copied.
        let mut first = first;
        for conditions in &mut first {
            conditions.extend(only.iter().cloned());
        }
        return Ok(first);
    }
    let joined = |(a, b): (&Conditions, &Conditions)| a.iter().chain(b).cloned().collect();
    let pairs = first
        .iter()
        .flat_map(|a| second.iter().map(move |b| (a, b)));
    Ok(pairs.map(joined).collect())
}
