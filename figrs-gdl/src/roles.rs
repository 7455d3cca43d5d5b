//! Determines the player of a puzzle: the rules declare the player, or actions and goals name the player.

use figrs_reading::{FileError, Mistake, MistakeKind};

use super::saturate::Facts;
use super::syntax::{Atom, Literal, Pattern, Rule, SymbolId, Symbols};
use super::terms::TermId;

pub(super) const REMEDY_OF_ROLE: &str = "name the player, such as `(role robot)`";

/// Returns the error that the rules lack the relation `relation`, which every puzzle needs.
pub(super) fn missing(relation: &str, remedy: &str) -> Mistake {
    let problem = format!("no rule states `{relation}`");
    Mistake::new(MistakeKind::Missing, problem, remedy)
}

/// The player of a puzzle, with the other names that its rules use for a player, perhaps by mistake.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) term: TermId,
    /// Names that stand where rules expect a player, but that are not the player.
    pub(super) strangers: Vec<String>,
}

/// Adds a declaration of the player if the rules have none and their actions and goals name only one player; returns `true` if the rules had no
/// declaration.
///
/// **Errors.** [`MistakeKind::Missing`] if actions and goals name several players.
pub(super) fn declare(
    rules: &mut Vec<Rule>,
    symbols: &Symbols,
    place: &str,
) -> Result<bool, FileError> {
    if rules
        .iter()
        .any(|rule| rule.head.relation == SymbolId::ROLE)
    {
        return Ok(false);
    }
    let named: Vec<(usize, Pattern)> = named(rules).map(|(at, name)| (at, name.clone())).collect();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in &named {
        let name = text(name, symbols);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > 1 {
        let problem = format!(
            "no rule states `role`, and actions and goals name {}",
            names.join(", ")
        );
        let remedy = format!("declare the player, such as `(role {})`", names[0]);
        return Err(Mistake::new(MistakeKind::Missing, problem, remedy).of(place));
    }
    let Some((at, name)) = named.into_iter().next() else {
        return Ok(false);
    };
    rules.push(Rule {
        head: Atom {
            at,
            relation: SymbolId::ROLE,
            arguments: vec![name],
        },
        body: Vec::new(),
        variables: [].into(),
    });
    Ok(true)
}

/// Returns the only player, whose declaration must be among the facts.
pub(super) fn role(
    rules: &[Rule],
    facts: &Facts,
    symbols: &Symbols,
    place: &str,
) -> Result<Role, FileError> {
    let roles = facts.of(SymbolId::ROLE);
    let all: Vec<TermId> = (0..roles.len())
        .map(|number| roles.row(number)[0])
        .collect();
    let name = |&term: &TermId| facts.terms.text(term, symbols);
    let [term] = all[..] else {
        if all.is_empty() {
            return Err(missing("role", REMEDY_OF_ROLE).of(place));
        }
        let roles: Vec<String> = all.iter().map(name).collect();
        let problem = format!(
            "the rules have {} roles ({}), but a plan is for one role",
            roles.len(),
            roles.join(", ")
        );
        let mistake = Mistake::new(
            MistakeKind::Unsupported,
            problem,
            "write rules with one role",
        );
        return Err(mistake.of(place));
    };
    let player = name(&term);
    let mut strangers: Vec<String> = Vec::new();
    for (_, name) in named(rules) {
        let name = text(name, symbols);
        if name != player && !strangers.contains(&name) {
            strangers.push(name);
        }
    }
    Ok(Role { term, strangers })
}

/// Returns each term or variable that stands where a rule expects a player's name, with its offset in the text.
fn named(rules: &[Rule]) -> impl Iterator<Item = (usize, &Pattern)> {
    let atoms = rules.iter().flat_map(|rule| {
        let of_body = rule.body.iter().filter_map(|literal| match literal {
            Literal::Holds(atom) | Literal::Fails(atom) => Some(atom),
            Literal::Compared { .. } => None,
        });
        [&rule.head].into_iter().chain(of_body)
    });
    let of_player = |atom: &&Atom| {
        matches!(
            atom.relation,
            SymbolId::DOES | SymbolId::LEGAL | SymbolId::GOAL
        )
    };
    atoms.filter(of_player).filter_map(|atom| {
        let name = &atom.arguments[0];
        let mut is_ground = true;
        name.each_variable(&mut |_| is_ground = false);
        is_ground.then_some((atom.at, name))
    })
}

fn text(term: &Pattern, symbols: &Symbols) -> String {
    match term {
        Pattern::Variable(_) => "?".into(),
        Pattern::Term(name, arguments) if arguments.is_empty() => symbols.name(*name).into(),
        Pattern::Term(name, arguments) => {
            let arguments = arguments.iter().map(|argument| text(argument, symbols));
            let arguments: Vec<String> = arguments.collect();
            format!("({} {})", symbols.name(*name), arguments.join(" "))
        }
    }
}
