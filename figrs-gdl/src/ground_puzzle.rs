//! The compiled form of a puzzle's rules: ground rules with their dependencies.

use std::sync::{Arc, Mutex};

use super::check::Relations;
use super::clock::{AskedAtoms, Clock};
use super::ground::{AtomNumbering, WORD, ground};
use super::limits::LimitExceeded;
use super::local::GroundingError;
use super::machine::{AtomSet, Cone, RuleMachine, TransitionRules};
use super::puzzle::within;
use super::roles::role;
use super::saturate::Facts;
use super::state::{Action, GameState};
use super::syntax::{Rule, SymbolId, Symbols};
use super::terms::TermId;
use super::{GdlError, GroundingLimits};
use figrs_reading::{Mistake, MistakeKind};

/// Ground rules of a puzzle, with the subsets of rules that derive legal moves, goals, the end and the next state.
pub(super) struct GroundPuzzle {
    pub(super) role: String,
    pub(super) is_role_inferred: bool,
    pub(super) strangers: Vec<String>,
    pub(super) undefined: Vec<String>,
    pub(super) facts: Vec<String>,
    pub(super) actions: Vec<String>,
    pub(super) start: GameState,
    pub(super) machine: RuleMachine,
    /// For each action, the atom which states that the action is legal.
    pub(super) legal: Vec<u32>,
    pub(super) does: Vec<u32>,
    pub(super) terminal: Option<u32>,
    /// Values of the goal, each with the atom which states that the goal has this value.
    pub(super) goals: Vec<(u8, u32)>,
    /// The rules for legal moves, for the end of the puzzle, and for facts of the next state that depend on the present state alone.
    pub(super) ahead: Cone,
    /// The rules for the end of the puzzle and for its goals.
    pub(super) ending: Cone,
    pub(super) end: Cone,
    pub(super) steps: TransitionRules,
    pub(super) clock: Option<Clock>,
    /// The state for which atoms were derived last, with the atoms that hold in this state; the atoms are stored because callers often ask for one
    /// state several times.
    latest: Mutex<Option<(GameState, Arc<AtomSet>)>>,
}

impl GroundPuzzle {
    /// Returns the atoms that hold in `state` independently of the action taken.
    pub(super) fn look_ahead(&self, state: &GameState) -> Arc<AtomSet> {
        let latest = self.latest.try_lock().ok();
        if let Some(Some((known, held))) = latest.as_deref()
            && known == state
        {
            return Arc::clone(held);
        }
        drop(latest);
        let held = Arc::new(self.machine.run(&self.ahead, state));
        if let Ok(mut latest) = self.latest.try_lock() {
            *latest = Some((state.clone(), Arc::clone(&held)));
        }
        held
    }

    /// Returns the atoms about the end of the puzzle and its goals that hold in `state`.
    pub(super) fn judge(&self, state: &GameState) -> AtomSet {
        self.machine.run(&self.ending, state)
    }

    pub(super) fn ends(&self, state: &GameState) -> bool {
        self.has_ended(&self.machine.run(&self.end, state))
    }

    /// True if the puzzle has ended in `state`, and its goal has at least the value `value`. The end of the puzzle is tested first, because fewer
    /// rules define the end than the goals.
    pub(super) fn is_solved(&self, state: &GameState, value: u8) -> bool {
        self.ends(state) && self.value(&self.judge(state)) >= Some(value)
    }

    /// Returns the legal actions, given the atoms `held` that hold in a state; no actions if the puzzle has ended.
    pub(super) fn legal(&self, held: &AtomSet) -> impl Iterator<Item = Action> {
        let goes_on = !self.has_ended(held);
        let legal = (0..).zip(&self.legal).filter(move |_| goes_on);
        legal
            .filter(|(_, atom)| held.has(**atom))
            .map(|(action, _)| Action(action))
    }

    /// Returns the facts of the state after `action`, as bits, given the atoms `held` that hold in the state before the action.
    pub(super) fn next(
        &self,
        held: &AtomSet,
        action: Action,
    ) -> impl ExactSizeIterator<Item = u64> + use<> {
        self.machine
            .next(&self.steps, held, self.does[action.number()])
    }

    pub(super) fn has_ended(&self, held: &AtomSet) -> bool {
        self.terminal.is_some_and(|atom| held.has(atom))
    }

    /// Returns the largest value of the goal, given the atoms `held` that hold in a state.
    pub(super) fn value(&self, held: &AtomSet) -> Option<u8> {
        let met = self.goals.iter().filter(|(_, atom)| held.has(*atom));
        met.map(|(value, _)| *value).max()
    }
}

/// Checked rules with their text, whose variables can now be replaced by values.
pub(super) struct Grounding<'a> {
    pub(super) rules: &'a [Rule],
    pub(super) relations: &'a Relations,
    pub(super) symbols: &'a Symbols,
    pub(super) text: &'a str,
    pub(super) place: &'a str,
}

impl Grounding<'_> {
    fn too_large(&self, exceeded: LimitExceeded) -> GdlError {
        let relation = exceeded.relation.map(|name| self.symbols.name(name));
        GdlError::TooLarge {
            place: self.place.into(),
            relation: relation.unwrap_or_default().into(),
            what: exceeded.what,
            limit: exceeded.limit,
        }
    }

    fn no_grounding(&self, error: GroundingError, facts: &Facts) -> GdlError {
        match error {
            GroundingError::TooLarge(exceeded) => self.too_large(exceeded),
            GroundingError::Cycle(cycle) => {
                within(self.text, self.place, cycle.message(facts, self.symbols))
            }
        }
    }

    fn undefined(&self) -> Vec<String> {
        let names = self.relations.undefined().iter();
        let text = |&name: &SymbolId| self.symbols.name(name).to_owned();
        names.map(text).collect()
    }

    /// Returns the values of the goal of the player `role`, each with the atom which states that the goal has this value.
    fn goals(
        &self,
        role: TermId,
        facts: &Facts,
        numbering: &AtomNumbering,
    ) -> Result<Vec<(u8, u32)>, GdlError> {
        let goals = facts.of(SymbolId::GOAL);
        let rows = (0..goals.len()).map(|number| (number, goals.row(number)));
        let of_role = rows.filter(|(_, row)| row[0] == role);
        let each = of_role.map(|(number, row)| {
            let value = facts.terms.text(row[1], self.symbols);
            match value.parse::<u8>() {
                Ok(of) if of <= 100 => Ok((of, numbering.atom(SymbolId::GOAL, number))),
                _ => {
                    let problem =
                        format!("the value `{value}` of a goal is not a number from 0 to 100");
                    let mistake = Mistake::new(MistakeKind::Value, problem, "write one");
                    Err(mistake.of(self.place).into())
                }
            }
        });
        each.collect()
    }

    /// Instantiates the rules as far as the limits `limits` allow, and compiles the ground rules to a puzzle.
    pub(super) fn puzzle(&self, limits: GroundingLimits) -> Result<GroundPuzzle, GdlError> {
        let Self {
            rules,
            relations,
            symbols,
            text: written,
            place,
        } = *self;
        let is_open = |relation| relations.changes(relation);
        let mut facts = Facts::new(symbols.len(), limits);
        let fixed = facts.add_static(rules, relations);
        fixed.map_err(|error| self.no_grounding(error, &facts))?;
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
            // For each action that can be legal, there is an atom which states that the action is taken.
            if let Some(done) = facts.of(SymbolId::DOES).number_of(row) {
                legal.push(numbering.atom(SymbolId::LEGAL, number));
                does.push(numbering.atom(SymbolId::DOES, done));
                actions.push(text(row[1]));
            }
        }
        let goals = self.goals(role, &facts, &numbering)?;
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
            within(written, place, cycle.message(&facts, symbols))
        })?;
        let of_goals = goals.iter().map(|&(_, atom)| atom);
        let of_state: Vec<u32> = of_goals
            .clone()
            .chain(terminal)
            .chain(legal.iter().copied())
            .collect();
        let start = GameState(start.into());
        let clock = Clock::new(
            &machine,
            AskedAtoms {
                of_state: &of_state,
                does: &does,
                terminal,
                start: &start,
            },
        );
        let steps = machine.steps(&does);
        let playing = machine.cone(legal.iter().copied().chain(terminal));
        Ok(GroundPuzzle {
            role: text(role),
            is_role_inferred: false,
            strangers: player.strangers,
            undefined: self.undefined(),
            facts: rows(SymbolId::TRUE).map(|(_, row)| text(row[0])).collect(),
            start,
            ahead: playing.union(steps.still()),
            ending: machine.cone(of_goals.chain(terminal)),
            end: machine.cone(terminal),
            steps,
            clock,
            latest: Mutex::new(None),
            machine,
            actions,
            legal,
            does,
            terminal,
            goals,
        })
    }
}
