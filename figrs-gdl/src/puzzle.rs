//! A puzzle: rules that have been read, checked and instantiated.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::check::Relations;
use super::clauses::rules;
use super::ground_puzzle::{GroundPuzzle, Grounding};
use super::kif::{self, KifError};
use super::roles::{REMEDY_OF_ROLE, declare, missing};
use super::state::{Action, GameState};
use super::syntax::{SymbolId, Symbols};
use super::{GdlError, GroundingLimits};
use figrs_reading::{FileError, LineIndex, MOST_BYTES, Mistake, MistakeKind, read_limited};

/// A puzzle of one player: its states, its actions and its transitions. A clone of a puzzle shares its rules and is
/// cheap.
#[derive(Clone)]
pub struct Puzzle {
    pub(super) rules: Arc<GroundPuzzle>,
    pub(super) goal: u8,
}

/// Formats the numbers of actions, facts and rules of the puzzle, but not the rules themselves.
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

/// Relations that every puzzle needs, each with an example for error messages.
const REQUIRED: [(SymbolId, &str, &str); 4] = [
    (SymbolId::ROLE, "role", REMEDY_OF_ROLE),
    (
        SymbolId::LEGAL,
        "legal",
        "state the legal actions, such as `(<= (legal robot wait) ...)`",
    ),
    (
        SymbolId::GOAL,
        "goal",
        "state the goal, such as `(<= (goal robot 100) ...)`",
    ),
    (
        SymbolId::TERMINAL,
        "terminal",
        "state when the puzzle ends, such as `(<= terminal (goal robot 100))`",
    ),
];

impl Puzzle {
    /// Reads a puzzle from a file.
    ///
    /// **Errors.** [`GdlError::File`] if the file cannot be read or has more than [`MOST_BYTES`] bytes, and the errors of
    /// [`parse`](Self::parse).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, GdlError> {
        Self::read_within(path, GroundingLimits::default())
    }

    /// Reads a puzzle from a file; the limits `limits` bound the grounding (the replacement of variables by values).
    pub fn read_within(path: impl AsRef<Path>, limits: GroundingLimits) -> Result<Self, GdlError> {
        let path = path.as_ref();
        let bytes =
            read_limited(path, MOST_BYTES).map_err(|cause| FileError::unreadable(path, &cause))?;
        let place = path.display().to_string();
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parsed(text, &place, limits),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let mistake =
                    Mistake::new(MistakeKind::Encoding, "not UTF-8", "save the file as UTF-8");
                Err(within(&valid, &place, KifError::new(valid.len(), mistake)))
            }
        }
    }

    /// Reads a puzzle from a text.
    ///
    /// **Errors.** [`GdlError::File`] if the text has a mistake, with line and column for mistakes at one position; [`GdlError::TooLarge`] if
    /// the rules have too many instances.
    pub fn parse(text: &str) -> Result<Self, GdlError> {
        Self::parse_within(text, GroundingLimits::default())
    }

    /// Reads a puzzle from a text; the limits `limits` bound the grounding (the replacement of variables by values).
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
                return Err(missing(relation, remedy).of(place).into());
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

    /// Returns the values of the goal that are below the value at which the puzzle counts as solved, in ascending order.
    pub(super) fn goals(&self) -> Vec<u8> {
        let goals = self.rules.goals.iter().map(|&(value, _)| value);
        let mut goals: Vec<u8> = goals.filter(|&value| value < self.goal).collect();
        goals.sort_unstable();
        goals.dedup();
        goals
    }

    /// Sets `value` as the smallest value of the goal that counts as solved (default: 100).
    #[must_use]
    pub fn goal(mut self, value: u8) -> Self {
        self.goal = value;
        self
    }

    /// Returns the name of the player.
    pub fn role(&self) -> &str {
        &self.rules.role
    }

    /// True if no rule declares the player, whose name is then inferred from actions and goals.
    pub fn is_role_inferred(&self) -> bool {
        self.rules.is_role_inferred
    }

    /// Returns the names of undeclared players: names that stand where rules expect a player, but that are not the player. The actions and goals of
    /// undeclared players are ignored; such names may be misspelt.
    pub fn undeclared_roles(&self) -> &[String] {
        &self.rules.strangers
    }

    /// Returns the relations that occur in conditions but that no rule defines. Relations without rules have no facts, and their names may be
    /// misspelt.
    pub fn undefined(&self) -> &[String] {
        &self.rules.undefined
    }

    /// Returns an upper bound of the number of actions that are legal in some state, without visiting all states.
    pub fn actions(&self) -> usize {
        self.rules.actions.len()
    }

    /// Returns an upper bound of the number of facts that hold in some state, without visiting all states.
    pub fn possible_facts(&self) -> usize {
        self.rules.facts.len()
    }

    /// Returns the number of ground rules.
    pub fn ground_rules(&self) -> usize {
        self.rules.machine.rules()
    }

    /// Returns the text of `action` in the notation of rules, in lower case.
    pub fn action(&self, action: Action) -> &str {
        &self.rules.actions[action.number()]
    }

    /// Returns the texts of the facts that hold in `state`, in lower case.
    pub fn facts(&self, state: &GameState) -> Vec<&str> {
        state
            .facts()
            .map(|fact| self.rules.facts[fact].as_str())
            .collect()
    }

    /// Returns the state in which the puzzle starts.
    pub fn start(&self) -> GameState {
        self.rules.start.clone()
    }

    /// Returns the legal actions in `state`; no actions if the puzzle has ended.
    pub fn legal(&self, state: &GameState) -> Vec<Action> {
        self.rules.legal(&self.rules.look_ahead(state)).collect()
    }

    /// Returns the state to which `action` leads from `state`.
    pub fn next(&self, state: &GameState, action: Action) -> GameState {
        let held = self.rules.look_ahead(state);
        GameState(self.rules.next(&held, action).collect())
    }

    /// True if the puzzle has ended in `state` and its goal has a value that counts as solved.
    pub fn is_solved(&self, state: &GameState) -> bool {
        self.rules.is_solved(state, self.goal)
    }

    /// True if the puzzle has ended in `state`.
    pub fn is_terminal(&self, state: &GameState) -> bool {
        self.rules.ends(state)
    }
}

pub(super) fn within(text: &str, place: &str, mismatch: KifError) -> GdlError {
    let position = LineIndex::new(text).at(mismatch.at);
    mismatch.mistake.at(place, position).into()
}
