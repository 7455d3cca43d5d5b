//! Builds networks and influence diagrams from drafts, the parsed contents of files.

use figrs_core::Model;

use super::draft::NetworkDraft;
use super::lexer::{LexerError, LexerResult, unexpected};
use super::order::parents_first;
use super::{
    InfluenceDiagram, MixedNetwork, Network, NetworkKind, NormalisedRow, RealVariable, elements,
    mistakes,
};
use figrs_reading::{LineIndex, Mistake, MistakeKind};

impl NetworkDraft {
    /// Builds the network and its elements from the draft (the parsed contents of a file); returns an error if the draft has decisions, utilities or
    /// real variables.
    pub(super) fn network(self, text: &str) -> LexerResult<Network> {
        if let Some((name, real)) = self.reals.first() {
            let problem = format!(
                "`{name}` is a continuous node, so this is a mixed network, not a network of discrete nodes alone"
            );
            let remedy = "read it as a mixed network";
            let mistake = Mistake::new(MistakeKind::Unsupported, problem, remedy);
            return Err(LexerError::new(
                real.declared,
                mistake.with_setting("read_mixed"),
            ));
        }
        let decisions = self.decisions.iter().map(|(at, decision)| {
            let name = &self.variables[decision.variable].name;
            (*at, name, "decision")
        });
        let utilities = self.utilities.iter();
        let utilities = utilities.map(|(at, utility)| (*at, &utility.name, "utility"));
        if let Some((at, node, kind)) = decisions.chain(utilities).min_by_key(|node| node.0) {
            let problem = format!(
                "`{node}` is a {kind} node, so this is an influence diagram, not a network of chance nodes alone"
            );
            let remedy = "read it as an influence diagram";
            let mistake = Mistake::new(MistakeKind::Unsupported, problem, remedy);
            return Err(LexerError::new(at, mistake.with_setting("read_diagram")));
        }
        let (order, elements, model) = match self.kind {
            NetworkKind::Bayesian => {
                let mut table_of = vec![0; self.variables.len()];
                for (number, table) in self.tables.iter().enumerate() {
                    if let Some(&child) = table.variables.last() {
                        table_of[child] = number;
                    }
                }
                let order = self.order()?.into_iter().map(|child| table_of[child]);
                let order: Vec<usize> = order.collect();
                let elements = elements::of_tables(&self.variables, &self.tables, &order);
                (order, elements, Model::new())
            }
            NetworkKind::Markov => {
                let (elements, model) =
                    elements::markov(&self.variables, &self.tables, &self.clauses);
                (Vec::new(), elements, model)
            }
        };
        Ok(Network {
            normalised: placed(self.normalised, text),
            name: self.name,
            kind: self.kind,
            variables: self.variables,
            tables: self.tables,
            clauses: self.clauses,
            index: self.index,
            order,
            elements,
            model,
        })
    }

    /// Builds a mixed network (discrete and real variables) from the draft, the parsed contents of a file. If the draft has no real variables, the
    /// mixed network has no real variables either.
    pub(super) fn mixed(mut self, text: &str) -> LexerResult<MixedNetwork> {
        let drafted = std::mem::take(&mut self.reals);
        let mut reals = Vec::with_capacity(drafted.len());
        let mut places = Vec::with_capacity(drafted.len());
        for (name, real) in drafted {
            let distribution = real
                .distribution
                .ok_or_else(|| LexerError::new(real.declared, mistakes::no_distribution(&name)));
            let (place, distribution) = distribution?;
            places.push(place);
            reals.push(RealVariable { name, distribution });
        }
        let parents = reals.iter().map(RealVariable::real_parents);
        let order = parents_first(&parents.collect::<Vec<_>>());
        let order = order.map_err(|cycle| {
            let node = cycle[0];
            LexerError::new(places[node], mistakes::cycle(&reals[node].name))
        })?;
        Ok(MixedNetwork::new(self.network(text)?, reals, &order))
    }

    /// Builds an influence diagram from the draft, the parsed contents of a file. If the draft has no decisions or utilities, the diagram has no
    /// decisions or utilities either.
    pub(super) fn diagram(mut self, text: &str) -> LexerResult<InfluenceDiagram> {
        if self.kind == NetworkKind::Markov {
            let what = "`BAYES`, since influence diagrams have conditional tables";
            return Err(unexpected(0, text, what));
        }
        if let Some((name, real)) = self.reals.first() {
            let problem =
                format!("`{name}` is a continuous node, which an influence diagram cannot have");
            let remedy = "give it discrete states";
            let mistake = Mistake::new(MistakeKind::Unsupported, problem, remedy);
            return Err(LexerError::new(real.declared, mistake));
        }
        let order = self.order()?;
        let mut ranks = vec![0; order.len()];
        for (rank, &variable) in order.iter().enumerate() {
            ranks[variable] = rank;
        }
        self.decisions
            .sort_by_key(|(_, decision)| ranks[decision.variable]);
        Ok(InfluenceDiagram {
            normalised: placed(self.normalised, text),
            name: self.name,
            variables: self.variables,
            tables: self.tables,
            decisions: self.decisions.into_iter().map(|(_, it)| it).collect(),
            utilities: self.utilities.into_iter().map(|(_, it)| it).collect(),
            index: self.index,
            order,
        })
    }

    /// Returns the indices of the variables in an order in which parents come before children, and each decision comes after the variables that are
    /// known when it is made.
    fn order(&self) -> LexerResult<Vec<usize>> {
        let mut parents: Vec<&[usize]> = vec![&[]; self.variables.len()];
        for table in &self.tables {
            if let Some((&child, own)) = table.variables.split_last() {
                parents[child] = own;
            }
        }
        for (_, decision) in &self.decisions {
            parents[decision.variable] = &decision.known;
        }
        parents_first(&parents).map_err(|cycle| {
            // In the list of a cycle, each node is followed by one of its parents.
            let followed = cycle.iter().zip(cycle.iter().cycle().skip(1));
            let mut decided = followed.filter_map(|(node, parent)| {
                let mut all = self.decisions.iter();
                let (at, _) = all.find(|(_, decision)| decision.variable == *node)?;
                Some((*at, *node, *parent))
            });
            let Some((at, decision, observed)) = decided.next() else {
                return self.cycle(cycle[0]);
            };
            let name = |variable: usize| self.variables[variable].name.as_str();
            let (decision, observed) = (name(decision), name(observed));
            let problem =
                format!("the decision `{decision}` influences `{observed}`, which it observes");
            let remedy = format!("remove `{observed}` from the elements that are known then");
            LexerError::new(
                at,
                Mistake::new(MistakeKind::Contradiction, problem, remedy),
            )
        })
    }

    /// Returns the error that the variable `variable` is its own ancestor.
    fn cycle(&self, variable: usize) -> LexerError {
        let tables = self.tables.iter().zip(&self.places);
        let mut own = tables.filter(|(table, _)| table.variables.last() == Some(&variable));
        let place = own.next().map_or(0, |(_, &place)| place);
        LexerError::new(place, mistakes::cycle(&self.variables[variable].name))
    }
}

/// Converts the offsets of the table rows that were divided by their sums to lines and columns of the text.
fn placed(rows: Vec<(usize, NormalisedRow)>, text: &str) -> Vec<NormalisedRow> {
    let mut places = LineIndex::new(text);
    let placed = |(at, row): (usize, NormalisedRow)| {
        let (line, column) = places.at(at);
        NormalisedRow {
            line,
            column,
            ..row
        }
    };
    rows.into_iter().map(placed).collect()
}
