//! Parses the blocks of a NET file.

use super::super::lexer::{Input, LexerResult, offset, unexpected};
use super::super::mistakes;
use super::token::{Dialect, Net, value};

/// A name and its offset in the text.
pub(super) type Name<'t> = (usize, &'t str);

/// A potential of a NET file (the table of a node): the node, its parents, and numbers or formulas, if there are any.
pub(super) struct Potential<'t> {
    pub(super) subject: Name<'t>,
    pub(super) parents: Vec<Name<'t>>,
    pub(super) data: Option<Data<'t>>,
    /// The formulas of the potential; `None` if the potential has numbers.
    pub(super) model: Option<Model<'t>>,
    /// The normal distributions of the potential; `None` unless its node is continuous.
    pub(super) normals: Option<Model<'t>>,
    /// Nodes whose joint states index the list of formulas of the potential: the list has one formula for each joint state of the nodes.
    pub(super) nodes: Vec<Name<'t>>,
}

/// The text of a potential's formulas, which are parsed later.
pub(super) struct Model<'t> {
    /// The input text from the beginning of the list of formulas to the end of the file.
    data: Input<'t>,
    length: usize,
}

/// A list of numbers in parentheses, which may consist of nested lists.
pub(super) struct Data<'t> {
    /// The input text after the opening parenthesis of the list.
    start: Input<'t>,
    /// If the list of numbers is nested, the offset of the first innermost list, and the number of numbers in each innermost list.
    pub(super) columns: Option<(usize, usize)>,
}

/// Attributes of the network or of a node, such as its name and states; `name` may be an identifier made from the full name.
#[derive(Default)]
pub(super) struct Attributes<'t> {
    pub(super) name: Option<&'t str>,
    pub(super) full_name: Option<&'t str>,
    pub(super) states: Vec<(usize, String)>,
    /// Kind of the values that represent the states of a node in formulas: truth values, numbers, intervals or labels.
    pub(super) subtype: Option<&'t str>,
    /// Values that represent the states of a node in formulas, or the bounds of the states' intervals.
    pub(super) values: Vec<Name<'t>>,
}

/// Parses the attributes of the network or of a node, from `{` to `}`.
pub(super) fn attributes<'t>(input: &mut Input<'t>) -> LexerResult<Attributes<'t>> {
    let mut found = Attributes::default();
    Net::require(input, '{', "`{`")?;
    while !Net::mark(input, '}')? {
        let (_, name) = Net::word(input, "an attribute or `}`")?;
        Net::require(input, '=', "`=`")?;
        match name {
            "name" => found.name = Some(Net::word(input, "a name")?.1),
            "figrs_name" => found.full_name = Some(Net::word(input, "a name")?.1),
            "states" => {
                Net::require(input, '(', "`(` and the states")?;
                while !Net::mark(input, ')')? {
                    let (at, state) = Net::word(input, "a state or `)`")?;
                    found.states.push((at, state.to_owned()));
                }
            }
            "subtype" => {
                let mut kind = *input;
                found.subtype = Net::word(&mut kind, "a kind of states")
                    .ok()
                    .map(|(_, kind)| kind);
                value(input)?;
                continue;
            }
            "state_values" => {
                found.values = names(&mut input.clone()).unwrap_or_default();
                value(input)?;
                continue;
            }
            _ => {
                value(input)?;
                continue;
            }
        }
        Net::require(input, ';', "`;` at the end of the attribute")?;
    }
    Ok(found)
}

/// Parses a potential (the table of a node), after the word `potential`.
pub(super) fn potential<'t>(input: &mut Input<'t>) -> LexerResult<Potential<'t>> {
    Net::require(input, '(', "`(` and a node")?;
    let mut found = Potential {
        subject: Net::word(input, "a node")?,
        parents: Vec::new(),
        data: None,
        model: None,
        normals: None,
        nodes: Vec::new(),
    };
    if Net::mark(input, '|')? {
        while !Net::mark(input, ')')? {
            found.parents.push(Net::word(input, "a node or `)`")?);
        }
    } else {
        Net::require(input, ')', "`|` or `)` after one node")?;
    }
    Net::require(input, '{', "`{`")?;
    while !Net::mark(input, '}')? {
        let (at, name) = Net::word(input, "an attribute or `}`")?;
        Net::require(input, '=', "`=`")?;
        match name {
            "data" if found.data.is_none() && found.normals.is_none() => {
                Net::space(input)?;
                if begins_with_normal(input)? {
                    found.normals = Some(Model::read(input)?);
                } else if input.starts_with('(') {
                    found.data = Some(Data::read(input)?);
                } else {
                    found.model = Some(Model::read(input)?);
                }
            }
            "data" => return Err(unexpected(at, name, "one `data`")),
            "model_data" => found.model = Some(Model::read(input)?),
            "model_nodes" => {
                found.nodes = names(&mut input.clone()).unwrap_or_default();
                value(input)?;
            }
            _ => value(input)?,
        }
    }
    Ok(found)
}

/// True if the first word of a list, or of its first nested list, is `normal`.
fn begins_with_normal(input: &Input<'_>) -> LexerResult<bool> {
    let mut ahead = *input;
    if !Net::mark(&mut ahead, '(')? {
        return Ok(false);
    }
    while Net::mark(&mut ahead, '(')? {}
    let first = Net::word(&mut ahead, "a number");
    Ok(first.is_ok_and(|(_, word)| word.eq_ignore_ascii_case("normal")))
}

impl<'t> Model<'t> {
    /// Returns the text of a potential's list of formulas, and the offset of the text in the file.
    pub(super) fn text(&self) -> (&'t str, usize) {
        let text: &'t str = &self.data[..self.length];
        (text.trim_end(), offset(&self.data))
    }

    /// Skips the formulas of a potential, including the semicolon after them.
    fn read(input: &mut Input<'t>) -> LexerResult<Self> {
        Net::space(input)?;
        let data = *input;
        value(input)?;
        let length = offset(input) - offset(&data) - ';'.len_utf8();
        Ok(Self { data, length })
    }
}

/// Parses a list of names in parentheses.
fn names<'t>(input: &mut Input<'t>) -> LexerResult<Vec<Name<'t>>> {
    let mut all = Vec::new();
    Net::require(input, '(', "`(` and names")?;
    while !Net::mark(input, ')')? {
        all.push(Net::word(input, "a name or `)`")?);
    }
    Ok(all)
}

impl<'t> Data<'t> {
    /// Reads a list of numbers, including the semicolon after it.
    fn read(input: &mut Input<'t>) -> LexerResult<Self> {
        let begin = offset(input);
        Net::require(input, '(', "`(`")?;
        let start = *input;
        let mut columns: Option<(usize, usize)> = None;
        // The nesting depth of parentheses; the start of the innermost list, and the number of numbers that were read from this list.
        let (mut depth, mut row) = (1usize, (begin, 0usize));
        while depth > 0 {
            Net::space(input)?;
            let at = offset(input);
            if Net::mark(input, '(')? {
                depth += 1;
                row = (at, 0);
            } else if Net::mark(input, ')')? {
                depth -= 1;
                let (at, found) = std::mem::take(&mut row);
                if found > 0 && depth > 0 {
                    let &mut (_, first) = columns.get_or_insert((at, found));
                    mistakes::check_entries(at, found, first as u128)?;
                }
            } else {
                Net::word(input, "a number, `(` or `)`")?;
                row.1 += 1;
            }
        }
        Net::require(input, ';', "`;` at the end of the numbers")?;
        Ok(Self { start, columns })
    }

    /// Returns the numbers of the list as texts, each with its offset in the file.
    pub(super) fn words(&self) -> impl Iterator<Item = Name<'t>> + use<'t> {
        let mut input = self.start;
        std::iter::from_fn(move || {
            while Net::mark(&mut input, '(').ok()? || Net::mark(&mut input, ')').ok()? {}
            // Reading a word fails at the semicolon, so the iterator ends.
            Net::word(&mut input, "a number").ok()
        })
    }
}
