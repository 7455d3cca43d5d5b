//! A puzzle: rules that were read, checked and grounded.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::check::Relations;
use super::clauses::rules;
use super::ground::{WORD, ground};
use super::kif::{self, KifError};
use super::limits::LimitExceeded;
use super::local::GroundingError;
use super::machine::{Cone, RuleMachine, TransitionRules};
use super::roles::{declare, role};
use super::saturate::Facts;
use super::state::{Action, GameState};
use super::syntax::{Rule, SymbolId, Symbols};
use super::terms::TermId;
use super::{GdlError, GroundingLimits, RuleTextProblem};
use crate::line_index::LineIndex;
use crate::reading::{MOST_BYTES, read_limited};

/// A puzzle of one player: its states, its actions and its transitions. Cheap to clone.
#[derive(Clone)]
pub struct Puzzle {
    rules: Arc<GroundPuzzle>,
    goal: u8,
}

/// Shows sizes, not rules.
impl fmt::Debug for Puzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Puzzle")
            .field("role", &self.role())
            .field("goal", &self.goal)
            .field("actions", &self.actions())
            .field("possible_facts", &self.possible_facts())
            .field("ground_rules", &self.ground_rules())
            .finish_non_exhaustive()
    }
}

/// The compiled form of the rules.
struct GroundPuzzle {
    role: String,
    is_role_inferred: bool,
    strangers: Vec<String>,
    undefined: Vec<String>,
    facts: Vec<String>,
    actions: Vec<String>,
    start: GameState,
    machine: RuleMachine,
    /// For each action the atom that it is legal, and the atom that it is done.
    legal: Vec<u32>,
    does: Vec<u32>,
    terminal: Option<u32>,
    /// Values of the goal, each with the atom that it is met.
    goals: Vec<(u8, u32)>,
    /// The rules of legal moves and of the end of the puzzle.
    playing: Cone,
    /// The rules of the end of the puzzle and of its goals.
    ending: Cone,
    steps: TransitionRules,
}

/// Relations that every puzzle needs, with the remedy for errors.
const REQUIRED: [(SymbolId, &str, &str); 4] = [
    (
        SymbolId::ROLE,
        "role",
        "name the player, such as `(role robot)`",
    ),
    (
        SymbolId::LEGAL,
        "legal",
        "state what may be done, such as `(<= (legal robot wait) ...)`",
    ),
    (
        SymbolId::GOAL,
        "goal",
        "state what is to be reached, such as `(<= (goal robot 100) ...)`",
    ),
    (
        SymbolId::TERMINAL,
        "terminal",
        "state when the puzzle ends, such as `(<= terminal (goal robot 100))`",
    ),
];

impl Puzzle {
    /// The puzzle of a file.
    ///
    /// **Errors.** [`GdlError::Read`], also of a file of more than [`MOST_BYTES`], and those of [`parse`](Self::parse).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, GdlError> {
        Self::read_within(path, GroundingLimits::default())
    }

    /// The puzzle of a file, with other limits.
    pub fn read_within(path: impl AsRef<Path>, limits: GroundingLimits) -> Result<Self, GdlError> {
        let path = path.as_ref();
        let bytes = read_limited(path, MOST_BYTES).map_err(|cause| GdlError::Read {
            path: path.into(),
            cause,
        })?;
        let place = path.display().to_string();
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parsed(text, &place, limits),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let at = valid.len();
                Err(within(
                    &valid,
                    &place,
                    KifError::new(at, RuleTextProblem::NotUtf8),
                ))
            }
        }
    }

    /// The puzzle of a text.
    ///
    /// **Errors.** [`GdlError::Text`] with line and column, [`GdlError::Missing`], [`GdlError::Roles`], [`GdlError::UndeclaredRoles`],
    /// [`GdlError::GoalValue`], [`GdlError::TooLarge`].
    pub fn parse(text: &str) -> Result<Self, GdlError> {
        Self::parse_within(text, GroundingLimits::default())
    }

    /// The puzzle of a text, with other limits.
    pub fn parse_within(text: &str, limits: GroundingLimits) -> Result<Self, GdlError> {
        Self::parsed(text, "rules", limits)
    }

    fn parsed(text: &str, place: &str, limits: GroundingLimits) -> Result<Self, GdlError> {
        let mut symbols = Symbols::new();
        let problem = |mismatch| within(text, place, mismatch);
        let read = kif::read(text).and_then(|read| rules(&read, &mut symbols));
        let mut rules = read.map_err(problem)?;
        let is_role_inferred = declare(&mut rules, &symbols, place)?;
        let relations = Relations::new(&rules, &symbols).map_err(problem)?;
        for (symbol, relation, remedy) in REQUIRED {
            if !rules.iter().any(|rule| rule.head.relation == symbol) {
                return Err(GdlError::Missing {
                    place: place.into(),
                    relation,
                    remedy,
                });
            }
        }
        let grounding = Grounding {
            rules: &rules,
            relations: &relations,
            symbols: &symbols,
            text,
            place,
        };
        let mut rules = grounding.puzzle(limits)?;
        rules.is_role_inferred = is_role_inferred;
        Ok(Self {
            rules: Arc::new(rules),
            goal: 100,
        })
    }

    /// Values of the goal below the one that counts as solved, the smallest first.
    pub(super) fn goals(&self) -> Vec<u8> {
        let goals = self.rules.goals.iter().map(|&(value, _)| value);
        let mut goals: Vec<u8> = goals.filter(|&value| value < self.goal).collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    }

    /// Counts as solved where the goal has at least this value, instead of 100.
    #[must_use]
    pub fn goal(mut self, value: u8) -> Self {
        self.goal = value;
        self
    }

    /// The name of the player.
    pub fn role(&self) -> &str {
        &self.rules.role
    }

    /// True if no rule declares the player, who is then the only one that actions and goals name.
    pub fn is_role_inferred(&self) -> bool {
        self.rules.is_role_inferred
    }

    /// Names that stand where a player does and are not the player: their actions and goals count for nothing, and the name may be misspelt.
    pub fn undeclared_roles(&self) -> &[String] {
        &self.rules.strangers
    }

    /// Relations that conditions name and no rule defines: no fact of them ever holds, and the name may be misspelt.
    pub fn undefined(&self) -> &[String] {
        &self.rules.undefined
    }

    /// Number of actions that are legal in some state; an upper bound, found without going through all states.
    pub fn actions(&self) -> usize {
        self.rules.actions.len()
    }

    /// Number of facts that hold in some state; an upper bound, found without going through all states.
    pub fn possible_facts(&self) -> usize {
        self.rules.facts.len()
    }

    /// Number of ground rules.
    pub fn ground_rules(&self) -> usize {
        self.rules.machine.rules()
    }

    /// An action as it is written in the rules, in lower case.
    pub fn action(&self, action: Action) -> &str {
        &self.rules.actions[action.number()]
    }

    /// The facts that hold in a state, in lower case.
    pub fn facts(&self, state: &GameState) -> Vec<&str> {
        state
            .facts()
            .map(|fact| self.rules.facts[fact].as_str())
            .collect()
    }

    /// The state at the start.
    pub fn start(&self) -> GameState {
        self.rules.start.clone()
    }

    /// Legal actions in a state; none if the puzzle has ended.
    pub fn legal(&self, state: &GameState) -> Vec<Action> {
        let rules = &*self.rules;
        let bits = rules.machine.run(&rules.playing, state);
        if rules.terminal.is_some_and(|atom| bits.has(atom)) {
            return Vec::new();
        }
        let legal = (0..).zip(&rules.legal);
        legal
            .filter(|(_, atom)| bits.has(**atom))
            .map(|(action, _)| Action(action))
            .collect()
    }

    /// The state after an action.
    pub fn next(&self, state: &GameState, action: Action) -> GameState {
        let rules = &*self.rules;
        let done = rules.does[action.number()];
        rules.machine.next(&rules.steps, state, done)
    }

    /// True if the puzzle has ended and its goal has the value that counts as solved.
    pub fn is_solved(&self, state: &GameState) -> bool {
        let rules = &*self.rules;
        let bits = rules.machine.run(&rules.ending, state);
        let mut goals = rules.goals.iter();
        rules.terminal.is_some_and(|atom| bits.has(atom))
            && goals.any(|&(value, atom)| value >= self.goal && bits.has(atom))
    }

    /// True if the puzzle has ended.
    pub fn is_terminal(&self, state: &GameState) -> bool {
        let rules = &*self.rules;
        let bits = rules.machine.run(&rules.ending, state);
        rules.terminal.is_some_and(|atom| bits.has(atom))
    }
}

fn within(text: &str, place: &str, mismatch: KifError) -> GdlError {
    let (line, column) = LineIndex::new(text).at(mismatch.at);
    GdlError::Text {
        place: place.into(),
        line,
        column,
        problem: Box::new(mismatch.problem),
    }
}

/// Rules that were checked, with their text.
struct Grounding<'a> {
    rules: &'a [Rule],
    relations: &'a Relations,
    symbols: &'a Symbols,
    text: &'a str,
    place: &'a str,
}

impl Grounding<'_> {
    fn too_large(&self, LimitExceeded { what, limit }: LimitExceeded) -> GdlError {
        GdlError::TooLarge {
            place: self.place.into(),
            what,
            limit,
        }
    }

    fn puzzle(&self, limits: GroundingLimits) -> Result<GroundPuzzle, GdlError> {
        let Self {
            rules,
            relations,
            symbols,
            text: written,
            place,
        } = *self;
        let undefined = relations.undefined().iter();
        let undefined = undefined
            .map(|&name| symbols.name(name).to_owned())
            .collect();
        let is_open = |relation| relations.changes(relation);
        let mut facts = Facts::new(symbols.len(), limits);
        if let Err(error) = facts.add_static(rules, relations) {
            return Err(match error {
                GroundingError::TooLarge(exceeded) => self.too_large(exceeded),
                GroundingError::Cycle(cycle) => {
                    within(written, place, cycle.told(&facts, symbols))
                }
            });
        }
        let player = role(rules, &facts, symbols, place)?;
        let role = player.term;
        let too_large = |exceeded| self.too_large(exceeded);
        facts.add_possible(rules, relations).map_err(too_large)?;
        let changing = rules.iter().filter(|rule| is_open(rule.head.relation));
        let changing: Vec<&Rule> = changing.collect();
        let (numbering, ground_rules) =
            ground(&changing, &is_open, &mut facts).map_err(too_large)?;

        let rows = |relation: SymbolId| {
            let tuples = facts.of(relation);
            (0..tuples.len()).map(move |number| (number, tuples.row(number)))
        };
        let text = |term: TermId| facts.terms.text(term, symbols);
        let of_role = |row: &[TermId]| row[0] == role;
        let (mut legal, mut does, mut actions) = (Vec::new(), Vec::new(), Vec::new());
        for (number, row) in rows(SymbolId::LEGAL).filter(|(_, row)| of_role(row)) {
            // Every action that can be legal has an atom of being done.
            if let Some(done) = facts.of(SymbolId::DOES).number_of(row) {
                legal.push(numbering.atom(SymbolId::LEGAL, number));
                does.push(numbering.atom(SymbolId::DOES, done));
                actions.push(text(row[1]));
            }
        }
        let mut goals = Vec::new();
        for (number, row) in rows(SymbolId::GOAL).filter(|(_, row)| of_role(row)) {
            let value = text(row[1]);
            match value.parse::<u8>() {
                Ok(number_of) if number_of <= 100 => {
                    goals.push((number_of, numbering.atom(SymbolId::GOAL, number)));
                }
                _ => {
                    return Err(GdlError::GoalValue {
                        place: place.into(),
                        value,
                    });
                }
            }
        }
        let mut start = vec![0; numbering.words];
        for (_, row) in rows(SymbolId::INIT) {
            if let Some(fact) = facts.of(SymbolId::TRUE).number_of(row) {
                start[fact / WORD] |= 1 << (fact % WORD);
            }
        }
        let ended = rows(SymbolId::TERMINAL).map(|(number, _)| number).next();
        let terminal = ended.map(|number| numbering.atom(SymbolId::TERMINAL, number));
        let machine = RuleMachine::new(&numbering, ground_rules).map_err(|cycle| {
            let cycle = cycle.within(&changing, numbering.clone(), &facts);
            within(written, place, cycle.told(&facts, symbols))
        })?;
        let of_goals = goals.iter().map(|&(_, atom)| atom);
        Ok(GroundPuzzle {
            role: text(role),
            is_role_inferred: false,
            strangers: player.strangers,
            undefined,
            facts: rows(SymbolId::TRUE).map(|(_, row)| text(row[0])).collect(),
            start: GameState(start.into()),
            playing: machine.cone(legal.iter().copied().chain(terminal)),
            ending: machine.cone(of_goals.chain(terminal)),
            steps: machine.steps(&does),
            machine,
            actions,
            legal,
            does,
            terminal,
            goals,
        })
    }
}
