//! The graph of a decision problem with its lines of information, and conditional independence in it.

use figrs_core::expand::Content;

use super::problem::DecisionProblem;

/// The elements of a problem, each with those that it reads; a decision reads what is known when it is made.
pub(super) struct InformationGraph {
    reads: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
    decisions: Vec<usize>,
    utilities: Vec<usize>,
    /// `true` for elements whose value is observed.
    is_observed: Vec<bool>,
    /// `true` for elements about whose value evidence says something.
    has_evidence: Vec<bool>,
    has_scores: bool,
}

impl InformationGraph {
    pub(super) fn new(problem: &DecisionProblem) -> Self {
        let expansion = &problem.expansion;
        let elements = expansion.elements();
        let count = elements.len();
        let mut reads: Vec<Vec<usize>> = Vec::with_capacity(count);
        let mut has_evidence = vec![false; count];
        let mut has_scores = false;
        for (position, expanded) in elements.iter().enumerate() {
            let mut read = expanded.parents.clone();
            if let Content::Chain { results, .. } = &expanded.content {
                read.extend_from_slice(results);
            }
            if matches!(expanded.content, Content::Score(_)) {
                has_evidence[position] = true;
                has_scores = true;
            }
            reads.push(read);
        }
        let mut is_observed = vec![false; count];
        for &position in expansion.evidence() {
            has_evidence[position] = true;
            is_observed[position] = elements[position].support.len() == 1;
        }
        let place = |element| expansion.position(element);
        let mut decisions = Vec::with_capacity(problem.decisions.len());
        for decided in &problem.decisions {
            if let Some(position) = place(&decided.decision.element) {
                let known = decided.known.iter();
                reads[position] = known.filter_map(|known| place(&known.element)).collect();
                decisions.push(position);
            }
        }
        let mut readers = vec![Vec::new(); count];
        for (position, read) in reads.iter().enumerate() {
            for &other in read {
                readers[other].push(position);
            }
        }
        let utilities = expansion.targets()[..problem.utilities.len()].to_vec();
        Self {
            reads,
            readers,
            decisions,
            utilities,
            is_observed,
            has_evidence,
            has_scores,
        }
    }

    /// An order of the decisions in which one update of each finds the best rules, if the graph has one: each is extremal among those that come
    /// after it. None where there are Scores: those in branches would connect more than this graph shows.
    ///
    /// **References.** Lauritzen and Nilsson (2001), "Representing and solving decision problems with limited information".
    pub(super) fn solution_order(&self) -> Option<Vec<usize>> {
        if self.has_scores {
            return None;
        }
        let mut left: Vec<usize> = (0..self.decisions.len()).rev().collect();
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let place = left.iter().position(|&d| self.is_extremal(d, &left))?;
            order.push(left.remove(place));
        }
        Some(order)
    }

    /// True if the utilities that a decision influences are independent of the other decisions and of what is known for them,
    /// given the decision and what is known for it.
    fn is_extremal(&self, decision: usize, left: &[usize]) -> bool {
        let own = self.family(decision);
        let influenced = self.descendants(self.decisions[decision]);
        let others = left.iter().filter(|&&other| other != decision);
        let others: Vec<usize> = others
            .flat_map(|&other| self.family(other))
            .filter(|position| !own.contains(position))
            .collect();
        let mut utilities = self.utilities.iter().filter(|&&u| influenced[u]);
        let reached = self.connected(&others, &own);
        utilities.all(|&utility| !reached[utility])
    }

    /// A decision and what is known for it.
    fn family(&self, decision: usize) -> Vec<usize> {
        let position = self.decisions[decision];
        let known = self.reads[position].iter().copied();
        known.chain([position]).collect()
    }

    fn descendants(&self, from: usize) -> Vec<bool> {
        let mut found = vec![false; self.reads.len()];
        let mut open = vec![from];
        while let Some(position) = open.pop() {
            if !std::mem::replace(&mut found[position], true) {
                open.extend_from_slice(&self.readers[position]);
            }
        }
        found
    }

    /// The elements that are not separated from some others by those given and the evidence.
    ///
    /// **References.** Shachter (1998), "Bayes-ball"; Koller and Friedman (2009), *Probabilistic Graphical Models*, algorithm 3.1.
    fn connected(&self, from: &[usize], given: &[usize]) -> Vec<bool> {
        let count = self.reads.len();
        let mut blocks = self.is_observed.clone();
        // Common effects connect their causes if something is known of them or of what they influence.
        let mut opens = vec![false; count];
        let mut open: Vec<usize> = (0..count).filter(|&p| self.has_evidence[p]).collect();
        for &position in given {
            blocks[position] = true;
            open.push(position);
        }
        while let Some(position) = open.pop() {
            if !std::mem::replace(&mut opens[position], true) {
                open.extend_from_slice(&self.reads[position]);
            }
        }
        // Each is visited from an effect, and from a cause.
        let mut visited = vec![[false; 2]; count];
        let mut reached = vec![false; count];
        let mut open: Vec<(usize, bool)> = from.iter().map(|&p| (p, false)).collect();
        while let Some((position, from_cause)) = open.pop() {
            let seen = &mut visited[position][usize::from(from_cause)];
            if std::mem::replace(seen, true) {
                continue;
            }
            reached[position] |= !blocks[position];
            let up = if from_cause {
                opens[position]
            } else {
                !blocks[position]
            };
            if up {
                open.extend(self.reads[position].iter().map(|&p| (p, false)));
            }
            if !blocks[position] {
                open.extend(self.readers[position].iter().map(|&p| (p, true)));
            }
        }
        reached
    }
}
