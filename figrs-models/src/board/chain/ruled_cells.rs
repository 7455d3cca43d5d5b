//! The input of the Markov chains of boards: independent cells, and rules for whole boards.

use figrs_core::Value;

use super::BoardMoves;
use crate::grid::{BoardRule, Position, Size};

/// The input of [`Method::Chain`](crate::board::Method::Chain), for boards of any size: the cells as independent random choices, and the rules for
/// whole boards.
///
/// The distribution of the boards is that of independent cells given that all rules are followed; the [probabilistic
/// program](crate::board::Generator::elements) of the board has the same distribution.
#[expect(missing_debug_implementations, reason = "it holds rules")]
pub struct RuledCells<C> {
    pub(super) size: Size,
    pub(super) kinds: Vec<CellChoice<C>>,
    pub(super) kind_of: Vec<u32>,
    pub(super) rules: Vec<Box<dyn BoardRule<C>>>,
    pub(super) starts: Vec<Vec<C>>,
    pub(super) joined: Joined,
    pub(super) exchanges: bool,
    /// Proposals of the puzzle for its Markov chain; they replace the proposals to change one cell or to exchange two.
    pub(super) moves: Option<Box<dyn BoardMoves<C>>>,
    pub(in crate::board) is_slow: bool,
    pub(super) clues: Vec<Position>,
}

/// States whether the boards that follow all rules are connected, which means that Markov chains reach all of them without passing through boards
/// that break rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    Unknown,
    Mostly,
    Fully,
}

#[derive(Clone, Debug)]
pub(super) struct CellChoice<C> {
    pub(super) values: Vec<C>,
    pub(super) logs: Vec<f64>,
    pub(super) is_even: bool,
}

impl<C: Value> CellChoice<C> {
    fn same(&self, other: &Self) -> bool {
        let (one, two) = (&self.values, &other.values);
        let values = one.len() == two.len() && one.iter().zip(two).all(|(a, b)| a.same(b));
        values && self.logs == other.logs
    }
}

impl<C: Value> RuledCells<C> {
    /// Creates the cells of a board, without rules. The argument `choices` is a function that returns the possible values of a cell with their
    /// weights, which must be positive and need not sum to one. A cell whose value is known has this value as its only possible value.
    pub fn new(size: Size, mut choices: impl FnMut(usize) -> Vec<(C, f64)>) -> Self {
        let mut kinds: Vec<CellChoice<C>> = Vec::new();
        let kind_of = (0..size.cells()).map(|at| {
            let (values, weights): (Vec<C>, Vec<f64>) = choices(at).into_iter().unzip();
            let choice = CellChoice {
                is_even: weights.windows(2).all(|pair| pair[0] == pair[1]),
                logs: weights.into_iter().map(f64::ln).collect(),
                values,
            };
            let known = kinds.iter().position(|kind| kind.same(&choice));
            known.unwrap_or_else(|| {
                kinds.push(choice);
                kinds.len() - 1
            }) as u32
        });
        let kind_of = kind_of.collect();
        Self {
            size,
            kinds,
            kind_of,
            rules: Vec::new(),
            starts: Vec::new(),
            joined: Joined::Unknown,
            exchanges: true,
            moves: None,
            is_slow: false,
            clues: Vec::new(),
        }
    }

    /// Declares which cells of the board have clues. If no board follows the rules, the error names the cells that have clues.
    #[must_use]
    pub fn clues(self, clues: impl IntoIterator<Item = Position>) -> Self {
        let clues = clues.into_iter().collect();
        Self { clues, ..self }
    }

    /// Adds a rule. Rules of the board are evaluated in the order in which they were added; the rule that is quickest to evaluate should therefore
    /// come first.
    #[must_use]
    pub fn rule(mut self, rule: impl BoardRule<C> + 'static) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// True if Markov chains quickly reach all boards that follow all rules without passing through boards that break rules.
    pub(in crate::board) fn is_joined(&self) -> bool {
        self.joined == Joined::Fully && !self.is_slow
    }

    /// Adds the rule `rule` for boards if it is not `None`.
    #[must_use]
    pub fn rule_if(self, rule: Option<impl BoardRule<C> + 'static>) -> Self {
        match rule {
            Some(rule) => self.rule(rule),
            None => self,
        }
    }

    /// Adds a rule, and withdraws the declarations [`joined`](Self::joined) and [`nearly_joined`](Self::nearly_joined), because boards that follow
    /// the added rule too may not be reachable from each other.
    #[must_use]
    pub fn further_rule(mut self, rule: impl BoardRule<C> + 'static) -> Self {
        self.joined = Joined::Unknown;
        self.rule(rule)
    }

    /// Adds a board from which a Markov chain starts; this board may break rules, but no rule may forbid it. The Markov chains start from different
    /// start boards in turn; these boards should differ much. If no start boards are given, Markov chains start from boards with independently drawn
    /// cells.
    #[must_use]
    pub fn start(mut self, cells: Vec<C>) -> Self {
        self.starts.push(cells);
        self
    }

    /// Declares that the boards that follow all rules are connected: any two of them are linked by a series of such boards, each made from the
    /// previous one by changing one cell, by exchanging two cells, or by the puzzle's [moves](Self::moves). If the boards that follow all rules are
    /// connected, Markov chains are quicker, because they need not pass through boards that break rules.
    #[must_use]
    pub fn joined(self) -> Self {
        Self {
            joined: Joined::Fully,
            ..self
        }
    }

    /// Declares that most boards that follow all rules are connected in the sense of [`joined`](Self::joined). Such a declaration makes sampling
    /// quicker, because only a single additional Markov chain passes through boards that break rules.
    #[must_use]
    pub fn nearly_joined(self) -> Self {
        Self {
            joined: Joined::Mostly,
            ..self
        }
    }

    /// Disables Markov chain steps that exchange two cells, for rules that exchanges would mostly break.
    #[must_use]
    pub fn without_exchanges(self) -> Self {
        Self {
            exchanges: false,
            ..self
        }
    }

    /// Makes Markov chains use proposals of the puzzle instead of proposals to change one cell or to exchange two.
    #[must_use]
    pub fn moves(self, moves: impl BoardMoves<C> + 'static) -> Self {
        Self {
            moves: Some(Box::new(moves)),
            exchanges: false,
            ..self
        }
    }

    /// Declares that Markov chains move slowly between boards that follow all rules; the sampler then tries particles before Markov chains, if the
    /// board has a probabilistic program.
    #[must_use]
    pub fn slow(self) -> Self {
        Self {
            is_slow: true,
            ..self
        }
    }

    /// Returns the size of the board's grid.
    pub fn size(&self) -> Size {
        self.size
    }

    pub(super) fn choice(&self, at: usize) -> &CellChoice<C> {
        &self.kinds[self.kind_of[at] as usize]
    }

    /// Allows each of the cells `clues` to have every value that any cell of the board may have.
    pub(super) fn open(&mut self, clues: &[Position]) {
        let mut values: Vec<C> = Vec::new();
        for value in self.kinds.iter().flat_map(|kind| &kind.values) {
            if !values.iter().any(|known| known.same(value)) {
                values.push(value.clone());
            }
        }
        let kind = self.kinds.len() as u32;
        self.kinds.push(CellChoice {
            is_even: true,
            logs: vec![0.0; values.len()],
            values,
        });
        for &clue in clues {
            self.kind_of[self.size.index(clue)] = kind;
        }
    }

    /// Returns `false` if a single rule is known to exclude all boards.
    pub(super) fn may_be_kept(&mut self) -> bool {
        let Self {
            kinds,
            kind_of,
            rules,
            ..
        } = self;
        let values = |at: usize| kinds[kind_of[at] as usize].values.as_slice();
        if kind_of
            .iter()
            .any(|&kind| kinds[kind as usize].values.is_empty())
        {
            return false;
        }
        let any: Vec<C> = (0..kind_of.len()).map(|at| values(at)[0].clone()).collect();
        rules.iter_mut().all(|rule| {
            rule.read(&any);
            rule.may_be_kept(&values)
        })
    }
}
