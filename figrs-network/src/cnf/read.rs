//! Reads formulas in DIMACS CNF (conjunctive normal form).

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::SplitAsciiWhitespace;

use rustc_hash::FxHashMap;

use super::super::clause::NetworkClause;
use super::super::draft::NetworkDraft;
use super::super::lexer::{LexerError, LexerResult, unexpected, weight};
use super::super::{NetworkKind, NetworkTable, State, mistakes};
use figrs_reading::{Mistake, MistakeKind};

/// Maximum number of variables that a small CNF file may declare.
const VARIABLES: usize = 1 << 16;

/// Parses a CNF text to a [`NetworkDraft`], from which a Markov network is built.
pub(in super::super) fn read(text: &str) -> LexerResult<NetworkDraft> {
    let mut reader = CnfReader::new(text);
    for line in text.trim_start_matches('\u{feff}').split_inclusive('\n') {
        reader.line += 1;
        let mut words = line.split_ascii_whitespace().peekable();
        match words.peek() {
            None => {}
            Some(&"p") => reader.header(words)?,
            // In some collections of formulas the character `%` ends the file.
            Some(&"%") => break,
            Some(word) if word.starts_with('c') => reader.comment(words)?,
            Some(_) => reader.literals(words)?,
        }
    }
    reader.finish()
}

type Words<'t> = Peekable<SplitAsciiWhitespace<'t>>;

/// The numbers in the header line of a formula, and the offset in the text of the second number (the number of clauses).
struct CnfHeader {
    variables: usize,
    clauses_at: usize,
    clauses: usize,
}

/// A literal with its offset in the file: the number of its variable (the first variable has the number 1), negative if the variable is negated.
type Literal = (usize, i64);

struct CnfReader<'t> {
    text: &'t str,
    header: Option<CnfHeader>,
    /// The clauses of the formula read so far, without clauses that are always true.
    clauses: Vec<NetworkClause>,
    /// Number of clauses that have been read completely, including clauses that are always true.
    ended: usize,
    /// The literals, read so far, of the clause that is being read.
    open: Vec<(usize, bool)>,
    open_at: Option<usize>,
    open_line: usize,
    line: usize,
    weights: Vec<(Literal, f64)>,
    /// True if the file requests unweighted model counting, in which all literals have weight one.
    is_unweighted: bool,
    /// Offset of the first line that lists the variables for projected model counting (over some variables only).
    projected_at: Option<usize>,
    shown: BTreeSet<i64>,
}

impl<'t> CnfReader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            header: None,
            clauses: Vec::new(),
            ended: 0,
            open: Vec::new(),
            open_at: None,
            open_line: 0,
            line: 0,
            weights: Vec::new(),
            is_unweighted: false,
            projected_at: None,
            shown: BTreeSet::new(),
        }
    }

    /// Returns the offset in the formula's text of `word`, which must be a part of the text.
    fn offset(&self, word: &str) -> usize {
        word.as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// Returns the next word of the line `words`, with its offset in the text.
    fn word(
        &self,
        words: &mut Words<'t>,
        last: &str,
        what: &'static str,
    ) -> LexerResult<(usize, &'t str)> {
        if let Some(word) = words.next() {
            return Ok((self.offset(word), word));
        }
        let at = self.offset(last) + last.len();
        let rest = self.text[at..].trim_start_matches([' ', '\t', '\r']);
        Err(unexpected(at, rest, what))
    }

    /// Returns an error if the line `words` has further words after those already read.
    fn end(&self, words: &mut Words<'t>, what: &'static str) -> LexerResult<()> {
        let word = words.next();
        word.map_or(Ok(()), |word| {
            Err(unexpected(self.offset(word), word, what))
        })
    }

    fn header(&mut self, mut words: Words<'t>) -> LexerResult<()> {
        let p = words.next().unwrap_or_default();
        if self.header.is_some() {
            let mistake = mistakes::repeated("a line `p cnf` occurs");
            return Err(LexerError::new(self.offset(p), mistake));
        }
        let (at, format) = self.word(&mut words, p, "`cnf` after `p`")?;
        if format != "cnf" {
            let what = "`cnf` after `p`; weights stand in lines `c p weight LITERAL WEIGHT 0`";
            return Err(unexpected(at, format, what));
        }
        let what = "the number of variables";
        let (at, digits) = self.word(&mut words, format, what)?;
        let variables = digits
            .parse::<usize>()
            .map_err(|_| unexpected(at, digits, what))?;
        // A variable that occurs in a clause takes at least two characters of the text.
        let limit = VARIABLES.max(self.text.len() / 2);
        mistakes::check_size(at, "variables", variables as u128, limit)?;
        let what = "the number of clauses";
        let (clauses_at, digits) = self.word(&mut words, digits, what)?;
        let clauses = digits
            .parse()
            .map_err(|_| unexpected(clauses_at, digits, what))?;
        self.header = Some(CnfHeader {
            variables,
            clauses_at,
            clauses,
        });
        self.end(
            &mut words,
            "the end of the line after the number of clauses",
        )
    }

    /// Parses a line of a CNF file that begins with `c`: a comment or an instruction to model counters.
    fn comment(&mut self, mut words: Words<'t>) -> LexerResult<()> {
        let Some("c") = words.next() else {
            return Ok(());
        };
        match (words.next(), words.next()) {
            (Some("t"), Some(task)) if words.peek().is_none() => match task {
                "mc" => self.is_unweighted = true,
                "wmc" => {}
                "pmc" | "pwmc" => return Err(projected(self.offset(task))),
                _ => {
                    let what = "`mc` or `wmc`, a count or a weighted one";
                    return Err(unexpected(self.offset(task), task, what));
                }
            },
            (Some("p"), Some(word @ "weight")) => {
                let (at, digits) = self.word(&mut words, word, "the literal that has a weight")?;
                let literal = integer(at, digits)?;
                let (weight_at, number) =
                    self.word(&mut words, digits, "the weight of a literal")?;
                self.weights
                    .push(((at, literal), ratio(weight_at, number)?));
                let what = "`0` after the weight";
                let (at, zero) = self.word(&mut words, number, what)?;
                if zero != "0" {
                    return Err(unexpected(at, zero, what));
                }
                self.end(&mut words, "the end of the line after the weight")?;
            }
            (Some("p"), Some(word @ "show")) => self.show(word, words),
            (Some(word @ "ind"), Some(first)) => {
                self.show(word, std::iter::once(first).chain(words));
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses the list of variables for projected model counting; a zero ends the list.
    fn show(&mut self, word: &str, variables: impl Iterator<Item = &'t str>) {
        self.projected_at.get_or_insert(self.offset(word));
        let variables = variables.map_while(|digits| digits.parse().ok());
        self.shown.extend(variables.take_while(|&v: &i64| v != 0));
    }

    fn literals(&mut self, words: Words<'t>) -> LexerResult<()> {
        for word in words {
            let at = self.offset(word);
            let Some(header) = &self.header else {
                let what = "`p cnf VARIABLES CLAUSES` before the first clause";
                return Err(unexpected(at, word, what));
            };
            match integer(at, word)? {
                0 => {
                    self.ended += 1;
                    let line = match self.open_at.take() {
                        Some(_) => self.open_line,
                        None => self.line,
                    };
                    let literals = std::mem::take(&mut self.open);
                    (self.clauses).extend(NetworkClause::new(literals, (self.ended, line)));
                }
                literal => {
                    self.open.push(within((at, literal), header.variables)?);
                    if self.open_at.is_none() {
                        (self.open_at, self.open_line) = (Some(at), self.line);
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> LexerResult<NetworkDraft> {
        let Some(header) = &self.header else {
            let what = "`p cnf VARIABLES CLAUSES`";
            return Err(unexpected(self.text.len(), "", what));
        };
        if let Some(at) = self.open_at {
            let problem = "the clause that begins here does not end";
            let remedy = "add a 0 after its last literal";
            return Err(LexerError::new(
                at,
                Mistake::new(MistakeKind::Syntax, problem, remedy),
            ));
        }
        // A projected count over all variables is accepted, because it equals the plain count.
        let is_plain = (1..=header.variables as i64).all(|v| self.shown.contains(&v));
        if let Some(at) = self.projected_at.filter(|_| !is_plain) {
            return Err(projected(at));
        }
        let (declared, found) = (header.clauses, self.ended);
        if declared != found {
            let problem = format!("the header declares {declared} clauses, but there are {found}");
            let mistake = Mistake::new(MistakeKind::Count, problem, "make them agree");
            return Err(LexerError::new(header.clauses_at, mistake));
        }
        let mut draft = NetworkDraft::new(NetworkKind::Markov, String::new());
        let states = State::all(vec!["false".into(), "true".into()]);
        for number in 1..=header.variables {
            draft.add_variable(header.clauses_at, &number.to_string(), states.clone())?;
        }
        self.add_weights(header.variables, &mut draft)?;
        draft.clauses = self.clauses;
        Ok(draft)
    }

    /// Adds a table for each variable with a weighted literal; the opposite literal has weight one, unless the file gives its weight.
    fn add_weights(&self, variables: usize, draft: &mut NetworkDraft) -> LexerResult<()> {
        let mut tables: FxHashMap<usize, usize> = FxHashMap::default();
        let mut all: Vec<(usize, usize, [Option<f64>; 2])> = Vec::new();
        for &(literal, weight) in &self.weights {
            let (variable, value) = within(literal, variables)?;
            let place = *tables.entry(variable).or_insert(all.len());
            if place == all.len() {
                all.push((literal.0, variable, [None; 2]));
            }
            if all[place].2[usize::from(value)].replace(weight).is_some() {
                let (at, literal) = literal;
                let mistake =
                    mistakes::repeated(format_args!("the literal {literal} has a weight"));
                return Err(LexerError::new(at, mistake));
            }
        }
        if self.is_unweighted {
            return Ok(());
        }
        for (at, variable, weights) in all {
            draft.places.push(at);
            draft.tables.push(NetworkTable {
                variables: vec![variable],
                weights: weights.map(|weight| weight.unwrap_or(1.0)).to_vec().into(),
            });
        }
        Ok(())
    }
}

/// Parses the weight `word` of a literal, which is a decimal number or a fraction.
fn ratio(at: usize, word: &str) -> LexerResult<f64> {
    let Some((above, below)) = word.split_once('/') else {
        return weight(at, word);
    };
    let number = weight(at, above)? / weight(at + above.len() + 1, below)?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(LexerError::new(at, mistakes::weight(number)))
    }
}

/// Returns the error that a formula requests projected model counting, over only some of the variables.
fn projected(at: usize) -> LexerError {
    let problem = "asks for a projected count (of the assignments of some variables only), which is not supported";
    let remedy = "remove the line to count the assignments of all variables";
    LexerError::new(at, Mistake::new(MistakeKind::Unsupported, problem, remedy))
}

fn integer(at: usize, word: &str) -> LexerResult<i64> {
    let what = "a literal, a whole number";
    word.parse().map_err(|_| unexpected(at, word, what))
}

fn within((at, literal): Literal, variables: usize) -> LexerResult<(usize, bool)> {
    let variable = usize::try_from(literal.unsigned_abs()).unwrap_or(usize::MAX);
    if variable == 0 || variable > variables {
        let problem = format!(
            "the literal {literal} belongs to no variable: the header numbers the variables from 1 to {variables}"
        );
        let mistake = Mistake::new(MistakeKind::Unknown, problem, "correct one of them");
        return Err(LexerError::new(at, mistake));
    }
    Ok((variable - 1, literal > 0))
}
