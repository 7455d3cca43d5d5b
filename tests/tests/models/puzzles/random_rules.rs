//! Tests of random rules with variables, negation and recursion, against an evaluation that tries all values of all variables.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use figrs::gdl::{GameState, Puzzle};
use figrs::stream;
use rand::{Rng, RngExt};

use crate::puzzles::reference::names;

const CONSTANTS: [&str; 3] = ["a", "b", "c"];
const VARIABLES: usize = 3;

/// The name of a relation, which determines the text before and after its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Edge,
    Domain,
    TrueOne,
    TrueTwo,
    Does,
    /// A relation that depends only on the state and on itself.
    Near,
    /// A relation whose rules may negate `Near`.
    Far,
    /// A relation that depends on the move.
    Moved,
    Legal,
    NextOne,
    NextTwo,
    Terminal,
    Goal,
}

impl Name {
    fn arity(self) -> usize {
        match self {
            Self::Edge | Self::TrueTwo | Self::NextTwo | Self::Near => 2,
            Self::Terminal | Self::Goal => 0,
            _ => 1,
        }
    }

    fn write(self, arguments: &str) -> String {
        match self {
            Self::Edge => format!("(edge {arguments})"),
            Self::Domain => format!("(thing {arguments})"),
            Self::TrueOne => format!("(true (one {arguments}))"),
            Self::TrueTwo => format!("(true (two {arguments}))"),
            Self::Does => format!("(does r (act {arguments}))"),
            Self::Near => format!("(near {arguments})"),
            Self::Far => format!("(far {arguments})"),
            Self::Moved => format!("(moved {arguments})"),
            Self::Legal => format!("(legal r (act {arguments}))"),
            Self::NextOne => format!("(next (one {arguments}))"),
            Self::NextTwo => format!("(next (two {arguments}))"),
            Self::Terminal => "terminal".into(),
            Self::Goal => "(goal r 100)".into(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Term {
    Variable(usize),
    Constant(usize),
}

#[derive(Clone, Debug)]
struct Atom(Name, Vec<Term>);

#[derive(Clone, Debug)]
enum Condition {
    Holds(Atom),
    Fails(Atom),
    Distinct(Term, Term),
}

#[derive(Clone, Debug)]
struct Rule {
    head: Atom,
    body: Vec<Condition>,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(variable) => write!(f, "?v{variable}"),
            Self::Constant(constant) => f.write_str(CONSTANTS[*constant]),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.1.iter().map(Term::to_string).collect();
        f.write_str(&self.0.write(&arguments.join(" ")))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(<= {}", self.head)?;
        for condition in &self.body {
            match condition {
                Condition::Holds(atom) => write!(f, " {atom}")?,
                Condition::Fails(atom) => write!(f, " (not {atom})")?,
                Condition::Distinct(a, b) => write!(f, " (distinct {a} {b})")?,
            }
        }
        f.write_str(")")
    }
}

type Facts = BTreeSet<(Name, Vec<usize>)>;

fn random_atom(rng: &mut impl Rng, names: &[Name]) -> Atom {
    let name = names[rng.random_range(0..names.len())];
    let term = |_| match rng.random_range(0..4) {
        0 => Term::Constant(rng.random_range(0..CONSTANTS.len())),
        _ => Term::Variable(rng.random_range(0..VARIABLES)),
    };
    Atom(name, (0..name.arity()).map(term).collect())
}

/// Returns a rule whose conditions use some relations; the relations in `negated` may be negated.
fn random_rule(rng: &mut impl Rng, head: Name, positive: &[Name], negated: &[Name]) -> Rule {
    let head = random_atom(rng, &[head]);
    let mut body = Vec::new();
    for _ in 0..rng.random_range(1..4) {
        body.push(match rng.random_range(0..6) {
            0 | 1 if !negated.is_empty() => Condition::Fails(random_atom(rng, negated)),
            2 => Condition::Distinct(
                Term::Variable(rng.random_range(0..VARIABLES)),
                Term::Constant(rng.random_range(0..CONSTANTS.len())),
            ),
            _ => Condition::Holds(random_atom(rng, positive)),
        });
    }
    let mut bound = [false; VARIABLES];
    let mut used = [false; VARIABLES];
    let look = |terms: &[Term], seen: &mut [bool]| {
        for term in terms {
            if let Term::Variable(variable) = term {
                seen[*variable] = true;
            }
        }
    };
    look(&head.1, &mut used);
    for condition in &body {
        match condition {
            Condition::Holds(atom) => look(&atom.1, &mut bound),
            Condition::Fails(atom) => look(&atom.1, &mut used),
            Condition::Distinct(a, b) => look(&[*a, *b], &mut used),
        }
    }
    for variable in (0..VARIABLES).filter(|&v| used[v] && !bound[v]) {
        let at = rng.random_range(0..=body.len());
        let domain = Atom(Name::Domain, vec![Term::Variable(variable)]);
        body.insert(at, Condition::Holds(domain));
    }
    Rule { head, body }
}

/// Rules by strata, the facts that always hold, and the facts of the start.
struct Rules {
    strata: Vec<Vec<Rule>>,
    fixed: Facts,
    start: Facts,
}

impl Rules {
    fn new(rng: &mut impl Rng) -> Self {
        use Name::{
            Does, Domain, Edge, Far, Goal, Legal, Moved, Near, NextOne, NextTwo, Terminal, TrueOne,
            TrueTwo,
        };
        let state = [Edge, TrueOne, TrueTwo, TrueOne];
        let known = [Edge, TrueOne, TrueTwo, Near, Far];
        let moved = [Edge, TrueOne, TrueTwo, Near, Far, Does, Moved];
        let mut some = |count: usize, head, positive: &[Name], negated: &[Name]| -> Vec<Rule> {
            (0..count)
                .map(|_| random_rule(rng, head, positive, negated))
                .collect()
        };
        let strata = vec![
            some(3, Near, &[Edge, TrueOne, TrueTwo, Near, Near], &state),
            some(2, Far, &[Edge, TrueOne, Near, Far], &[Near, TrueTwo]),
            some(2, Moved, &[Does, TrueOne, Near, Moved], &[Far, Near, Does]),
            [
                some(3, Legal, &known, &known),
                some(3, NextOne, &moved, &moved),
                some(3, NextTwo, &moved, &moved),
                some(1, Terminal, &known, &known),
                some(1, Goal, &known, &known),
            ]
            .concat(),
        ];
        let mut pick = |name: Name, chance: f64| -> Facts {
            let rows = (0..CONSTANTS.len().pow(name.arity() as u32)).map(|n| match name.arity() {
                1 => vec![n],
                _ => vec![n / 3, n % 3],
            });
            let chosen = rows.filter(|_| rng.random_bool(chance));
            chosen.map(|row| (name, row)).collect()
        };
        let fixed = pick(Edge, 0.4)
            .into_iter()
            .chain(pick(Domain, 1.0))
            .collect();
        let start = pick(TrueOne, 0.5)
            .into_iter()
            .chain(pick(TrueTwo, 0.3))
            .collect();
        Self {
            strata,
            fixed,
            start,
        }
    }

    fn text(&self) -> String {
        let mut lines = vec!["(role r)".to_owned()];
        let row = |row: &[usize]| {
            row.iter()
                .map(|&c| CONSTANTS[c])
                .collect::<Vec<_>>()
                .join(" ")
        };
        lines.extend(self.fixed.iter().map(|(name, fact)| name.write(&row(fact))));
        let starts = self.start.iter().map(|(name, fact)| name.write(&row(fact)));
        lines.extend(starts.map(|fact| fact.replacen("true", "init", 1)));
        lines.extend(self.strata.iter().flatten().map(Rule::to_string));
        lines.join("\n")
    }

    /// Returns everything that holds in a state, with or without a move.
    fn closure(&self, state: &Facts, action: Option<usize>) -> Facts {
        let mut facts: Facts = self.fixed.union(state).cloned().collect();
        facts.extend(action.map(|action| (Name::Does, vec![action])));
        for stratum in &self.strata {
            loop {
                let mut new = Facts::new();
                for rule in stratum {
                    for values in 0..CONSTANTS.len().pow(VARIABLES as u32) {
                        let value = |term: &Term| match term {
                            Term::Variable(v) => values / 3usize.pow(*v as u32) % 3,
                            Term::Constant(constant) => *constant,
                        };
                        let ground = |atom: &Atom| (atom.0, atom.1.iter().map(value).collect());
                        let met = |condition: &Condition| match condition {
                            Condition::Holds(atom) => facts.contains(&ground(atom)),
                            Condition::Fails(atom) => !facts.contains(&ground(atom)),
                            Condition::Distinct(a, b) => value(a) != value(b),
                        };
                        if rule.body.iter().all(met) {
                            new.insert(ground(&rule.head));
                        }
                    }
                }
                let before = facts.len();
                facts.extend(new);
                if facts.len() == before {
                    break;
                }
            }
        }
        facts
    }
}

fn written(facts: &Facts, name: Name) -> Vec<String> {
    let rows = facts
        .iter()
        .filter(|(other, _)| *other == name)
        .map(|(_, row)| row);
    let rows = rows.map(|row| {
        row.iter()
            .map(|&c| CONSTANTS[c])
            .collect::<Vec<_>>()
            .join(" ")
    });
    rows.collect()
}

fn state_names(state: &Facts) -> Vec<String> {
    let one = written(state, Name::TrueOne)
        .into_iter()
        .map(|row| format!("(one {row})"));
    let two = written(state, Name::TrueTwo)
        .into_iter()
        .map(|row| format!("(two {row})"));
    one.chain(two).collect()
}

/// Returns the state of all facts that hold next.
fn next(facts: &Facts) -> Facts {
    let next = facts.iter().filter_map(|(name, row)| match name {
        Name::NextOne => Some((Name::TrueOne, row.clone())),
        Name::NextTwo => Some((Name::TrueTwo, row.clone())),
        _ => None,
    });
    next.collect()
}

#[test]
fn states_are_those_of_an_evaluation_of_all_values() {
    let (mut compared, mut terminals, mut solved) = (0, 0, 0);
    for case in 0..1000 {
        let rules = Rules::new(&mut stream(5, case));
        let text = rules.text();
        let puzzle = Puzzle::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut open: VecDeque<(GameState, Facts)> = [(puzzle.start(), rules.start.clone())].into();
        let mut seen: BTreeSet<Facts> = BTreeSet::new();
        while let Some((state, expected)) = open.pop_front() {
            if seen.len() > 20 || !seen.insert(expected.clone()) {
                continue;
            }
            assert_eq!(names(&puzzle, &state), state_names(&expected), "{text}");
            let facts = rules.closure(&expected, None);
            let terminal = facts.contains(&(Name::Terminal, Vec::new()));
            let is_solved = terminal && facts.contains(&(Name::Goal, Vec::new()));
            assert_eq!(puzzle.is_terminal(&state), terminal, "{text}");
            assert_eq!(puzzle.is_solved(&state), is_solved, "{text}");
            let legal = puzzle.legal(&state);
            let mut found: Vec<&str> = legal.iter().map(|&a| puzzle.action(a)).collect();
            found.sort_unstable();
            let acts = written(&facts, Name::Legal)
                .into_iter()
                .map(|row| format!("(act {row})"));
            let acts: Vec<String> = acts.filter(|_| !terminal).collect();
            assert_eq!(found, acts, "{text}");
            for action in legal {
                let name = puzzle.action(action);
                let constant = CONSTANTS.iter().position(|c| name == format!("(act {c})"));
                let after = next(&rules.closure(&expected, constant));
                open.push_back((puzzle.next(&state, action), after));
            }
            compared += 1;
            terminals += usize::from(terminal);
            solved += usize::from(is_solved);
        }
    }
    // Enough of the random rules have effects, so that the test is not trivial.
    assert!(
        compared > 1200 && terminals > 300 && solved > 200,
        "{compared} {terminals} {solved}"
    );
}
