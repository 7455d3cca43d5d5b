//! Fast path of proposals: weighed before anything is changed.
//!
//! Most proposals change the values of a few nodes and leave the structure as it is. The new values are put on a list, in
//! the order of their heights, which is applied if the proposal is accepted and dropped if not. Where the structure changes
//! or may change, because an element enters the world or leaves it, nothing has been done, and the proposal takes the
//! general path.

use super::change::Change;
use super::look_ahead_list::LookAheadEnd;
use super::node::NodeRole;
use super::register::ValueRegister;
use super::state::Trace;
use crate::element::node::Kind;
use crate::value::datum::Datum;

/// Maximum number of proposals of a site on the general path, after one that had to take it.
const MAX_GENERAL_PATH_STEPS: u8 = 63;

impl Trace {
    /// Puts a proposal on the list, if only values change; returns whether it is possible.
    pub(super) fn foresee(&mut self, site: u32, value: &Datum) -> Option<bool> {
        self.foresight.clear();
        let node = &mut self.nodes[site as usize];
        if node.detours > 0 {
            node.detours -= 1;
            return None;
        }
        let spread = match self.spread_fork(site, value) {
            Some(spread) => spread,
            None => self.spread(site, value),
        };
        let possible = match spread {
            Ok(()) => !self.foresight.is_impossible,
            Err(LookAheadEnd::Impossible) => false,
            Err(LookAheadEnd::Otherwise) => {
                self.foresight.clear();
                let node = &mut self.nodes[site as usize];
                node.detour = (2 * node.detour + 1).min(MAX_GENERAL_PATH_STEPS);
                node.detours = node.detour;
                return None;
            }
        };
        self.nodes[site as usize].detour = 0;
        self.foresight.holds = true;
        let choices = self.choices.len();
        self.change = Change {
            prior: self.foresight.prior,
            likelihood: self.foresight.likelihood,
            fresh: 0.0,
            stale: 0.0,
            choices: (choices, choices),
            densities: (self.densities, self.densities),
            possible,
        };
        Some(possible)
    }

    /// Lists all changes that follow from another value of a site.
    fn spread(&mut self, site: u32, value: &Datum) -> Result<(), LookAheadEnd> {
        self.next_epoch();
        // Not moved once it is written: see the nodes of `ProposalLookAhead`.
        let mut own = ValueRegister::default();
        own.set(value);
        let log = self.weigh_own(site, &own).ok_or(LookAheadEnd::Otherwise)?;
        if log == f64::NEG_INFINITY {
            return Err(LookAheadEnd::Impossible);
        }
        let node = &mut self.nodes[site as usize];
        node.remember(log, &own);
        node.touched = self.epoch;
        self.foresight.prior = log - node.log;
        self.list(site, &own, log)?;
        while let Some(number) = self.foresight.next() {
            self.foresee_node(number)?;
        }
        Ok(())
    }

    /// Puts a node on the list, and its readers in the queue if its value changes.
    #[inline]
    fn list(&mut self, number: u32, value: &ValueRegister, log: f64) -> Result<(), LookAheadEnd> {
        let is_lasting = (number as usize) < self.lasting();
        let node = &self.nodes[number as usize];
        let mut weight = node.weight;
        if !value.is_empty() && node.weighs {
            let mut fault = None;
            // A branch may turn out not to be taken: its functions must not be run then.
            if is_lasting {
                weight = self.weight(number, value, &mut fault);
            }
            if !is_lasting || fault.is_some() {
                return Err(LookAheadEnd::Otherwise);
            }
            self.foresight.likelihood += weight - node.weight;
        }
        self.foresight.is_impossible |= log + weight == f64::NEG_INFINITY;
        let mut spreads = !value.is_empty();
        // Nothing else is under way that could change what it reaches.
        if spreads
            && self.foresight.is_settled()
            && let Some(parameter) = value.number()
            && let Some(weighed) = self.weigh_reach(number, parameter)
        {
            weighed?;
            spreads = false;
        }
        self.nodes[number as usize].listed = self.foresight.states().len() as u32;
        self.foresight.put(number, value, log, weight);
        if !spreads {
            return Ok(());
        }
        for i in 0..self.nodes[number as usize].uses.len() {
            let by = self.nodes[number as usize].uses[i].by;
            let reader = &mut self.nodes[by as usize];
            if reader.touched == self.epoch {
                continue;
            }
            reader.touched = self.epoch;
            reader.listed = u32::MAX;
            // A choice that reads nothing else need not wait.
            if reader.role.is_choice() && reader.parents.len() == 1 {
                self.foresee_choice(by)?;
            } else {
                self.foresight.put_off(reader.height, by);
            }
        }
        Ok(())
    }

    /// The value that a node has in the new world, as far as it is known.
    #[inline]
    pub(super) fn foreseen(&self, number: u32) -> &ValueRegister {
        let node = &self.nodes[number as usize];
        if node.touched == self.epoch
            && let Some(foreseen) = self.foresight.states().get(node.listed as usize)
            && !foreseen.value.is_empty()
        {
            return &foreseen.value;
        }
        &node.value
    }

    /// New state of a choice that keeps its value.
    #[inline]
    fn foresee_choice(&mut self, number: u32) -> Result<(), LookAheadEnd> {
        let node = &self.nodes[number as usize];
        if node.stale || !node.in_world {
            return Err(LookAheadEnd::Otherwise);
        }
        let log = self.weigh(number, &node.value, Self::foreseen);
        let log = log.ok_or(LookAheadEnd::Otherwise)?;
        let gain = log - node.log;
        if node.demand.is_none() {
            self.foresight.prior += gain;
        } else {
            self.foresight.likelihood += gain;
        }
        self.foresight.weighed.push((number, log));
        self.foresight.is_impossible |= log == f64::NEG_INFINITY;
        Ok(())
    }

    /// New state of a node, once all lower ones are known.
    fn foresee_node(&mut self, number: u32) -> Result<(), LookAheadEnd> {
        let node = &self.nodes[number as usize];
        let height = |to: u32| self.nodes[to as usize].height;
        let mut inputs = node.inputs.iter();
        if node.stale || !node.in_world || inputs.any(|input| height(input.to) >= node.height) {
            return Err(LookAheadEnd::Otherwise);
        }
        let mut value = ValueRegister::default();
        match node.role {
            NodeRole::Family | NodeRole::Table => return self.foresee_choice(number),
            // As for evidence.
            NodeRole::Apply if (number as usize) < self.lasting() => {
                let Kind::Apply(_, op) = node.element.kind() else {
                    return Err(LookAheadEnd::Otherwise);
                };
                let computed =
                    self.arguments(number, Self::foreseen, |arguments| op.call(arguments));
                let Some(Ok(computed)) = computed else {
                    return Err(LookAheadEnd::Otherwise);
                };
                value.set(&computed);
            }
            NodeRole::Score => {
                let parent = *node.parents.first().ok_or(LookAheadEnd::Otherwise)?;
                value.copy(self.foreseen(parent));
            }
            NodeRole::Chain if node.demand.is_none() => {
                let result = self.branch(number, Self::foreseen);
                let result = result.ok_or(LookAheadEnd::Otherwise)?;
                let present = node.inputs.get(node.parents.len()).map(|edge| edge.to);
                if present != Some(result) {
                    let waits = self.nodes[result as usize].stale || height(result) >= node.height;
                    let another = self.foresight.switch.is_some();
                    if waits || another || self.may_switch(number, result).is_none() {
                        return Err(LookAheadEnd::Otherwise);
                    }
                    self.foresight.switch = Some((number, result));
                }
                value.copy(self.foreseen(result));
            }
            NodeRole::Apply | NodeRole::Chain | NodeRole::Atomic | NodeRole::Fixed => {
                return Err(LookAheadEnd::Otherwise);
            }
        }
        if value.is_empty() {
            return Err(LookAheadEnd::Otherwise);
        }
        let node = &self.nodes[number as usize];
        let mut log = node.log;
        if let Some(demand) = &node.demand {
            log = if value.holds(demand) {
                0.0
            } else {
                f64::NEG_INFINITY
            };
            self.foresight.likelihood += log - node.log;
            value.clear();
        } else if node.value == value {
            value.clear();
        }
        self.list(number, &value, log)
    }

    /// Applies the list, if there is one.
    #[inline]
    pub(super) fn keep_foreseen(&mut self) -> bool {
        if !std::mem::replace(&mut self.foresight.holds, false) {
            return false;
        }
        if let Some((last, parameter)) = self.foresight.reaching {
            self.keep_reach(last, parameter);
        }
        if let Some(forked) = self.foresight.forked {
            self.keep_forked(forked);
            return true;
        }
        if let Some((by, result)) = self.foresight.switch {
            self.switch(by, result);
            self.undo.operations.clear();
        }
        for foreseen in self.foresight.states() {
            let node = &mut self.nodes[foreseen.number as usize];
            if !foreseen.value.is_empty() {
                node.value.copy(&foreseen.value);
            }
            (node.log, node.weight) = (foreseen.log, foreseen.weight);
        }
        for &(choice, log) in &self.foresight.weighed {
            self.nodes[choice as usize].log = log;
        }
        true
    }

    /// Drops the list, if there is one.
    #[inline]
    pub(super) fn forget_foreseen(&mut self) -> bool {
        std::mem::replace(&mut self.foresight.holds, false)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::element::parents::Parents;
    use crate::element::{
        Binomial, Exponential, Flip, Gamma, If, Laplace, Normal, Rate, Scale, Score, Variance,
    };
    use crate::random::{Stream, stream};
    use crate::{AnyElement, Element, Model};

    /// A model of what a list can hold and what it cannot: results of Chains that change and that leave the world, functions of one
    /// changed value and of two, tables, families, evidence of all kinds.
    fn model() -> (Model, Vec<AnyElement>) {
        let means = [0.0, 3.0, -3.0].map(|mean| Normal::new(mean, Variance(4.0)));
        let [first, second, third] = &means;
        let coins = [0.3, 0.6, 0.5].map(Flip::new);
        let mut model = Model::new();
        for (coin, x) in coins.iter().zip([0.5, 2.0, -1.0]) {
            let mean = If::new(coin, first, second);
            model = model.observe(&Normal::new(&mean, Variance(1.0)), x);
            let apart = (&mean, first).map(|(a, b)| a - b);
            model = model.log_weigh(&apart, |x| -0.1 * x * x);
        }
        let [a, b, c] = &coins;
        let both = a.and(b);
        let either = If::new(&both, third, second);
        let scored = Score::log_weigh(&either, |x| -x.abs());
        let count = Binomial::new(3, 0.4);
        let odd = count
            .map(|n| n % 2 == 1)
            .flat_map(|&odd| Flip::new(if odd { 0.9 } else { 0.2 }));
        model = model
            .observe(&odd, true)
            .condition(&first.map(|x| x.round()), |&x| x < 4.0)
            .observe(&c.equals(&a.map(|a| !a)).or(b), true);
        let (mixture, of_part) = mixture(model);
        let targets = [first.erased(), scored.erased(), count.erased(), c.erased()];
        let targets = targets.into_iter().chain([of_part.erased()]);
        (mixture, targets.cloned().collect())
    }

    /// Parameters that are only parameters, of several families, passed on by Chains, one of which may leave the world; and
    /// a free choice that reads one.
    fn mixture(mut model: Model) -> (Model, Element<f64>) {
        let parts = [1.0, -2.0].map(|mean| Normal::new(mean, Variance(2.0)));
        for x in [0.3, -1.0, 2.0, -3.0] {
            let inner = If::new(&Flip::new(0.4), &parts[0], &parts[1]);
            let outer = If::new(&Flip::new(0.7), &inner, &parts[1]);
            model = model.observe(&Normal::new(&outer, Variance(1.0)), x);
        }
        let rate = Gamma::new(2.0, Rate(1.0));
        let part = &parts[1];
        model = model
            .observe(&Normal::new(part, Variance(3.0)), -1.5)
            .observe(&Exponential::new(Rate(&rate)), 0.8);
        for x in [0.5, -2.5] {
            let location = If::new(&Flip::new(0.5), &parts[0], part);
            model = model.observe(&Laplace::new(&location, Scale(2.0)), x);
        }
        (model, Normal::new(&parts[0], Variance(1.0)))
    }

    /// The elements of the world and their values; those in branches are others in each trace.
    fn values(trace: &Trace) -> Vec<String> {
        let world = trace.world().map(|(e, v)| format!("{e:?} = {v:?}"));
        let mut world: Vec<String> = world.collect();
        world.sort();
        world
    }

    /// Two traces take the same steps, one of them never by a list.
    #[test]
    fn lists_say_what_a_full_evaluation_says() {
        let (model, targets) = model();
        let begin = |seed| -> (Trace, Stream) {
            let mut trace = Trace::new(&model, &targets, 1000).unwrap();
            let mut random = stream(seed, 0);
            while !trace.restart(&mut random).unwrap() {}
            (trace, random)
        };
        let (mut foreseen, mut kept, mut impossible) = (0, 0, 0);
        let (mut forked, mut reaching, mut rates) = (0, 0, 0);
        for seed in 0..20 {
            let (mut one, mut random) = begin(seed);
            let (mut other, mut again) = begin(seed);
            for _ in 0..500 {
                let pick = random.random_range(0..one.choices());
                assert_eq!(pick, again.random_range(0..other.choices()));
                let (site, same) = (one.choice(pick), other.choice(pick));
                assert_eq!(one.element(site).label(), other.element(same).label());
                let value = one.draw(site, &mut random).unwrap().unwrap();
                assert_eq!(other.draw(same, &mut again).unwrap(), Some(value.clone()));
                other.nodes[same.number()].detours = 1;
                let possible = one.propose(site, &value, &mut random).unwrap();
                assert_eq!(other.propose(same, &value, &mut again).unwrap(), possible);
                foreseen += u32::from(one.foresight.holds);
                assert!(!other.foresight.holds);
                let keep: bool = random.random();
                assert_eq!(keep, again.random());
                if possible {
                    let (a, b) = (one.change(), other.change());
                    let terms = |c: &Change| [c.prior, c.likelihood, c.fresh, c.stale];
                    for (a, b) in terms(a).into_iter().zip(terms(b)) {
                        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
                    }
                    assert_eq!((a.choices, a.densities), (b.choices, b.densities));
                    assert_eq!(one.log_prob(site), other.log_prob(same));
                }
                if possible && keep {
                    kept += u32::from(one.foresight.holds);
                    forked += u32::from(one.foresight.forked.is_some());
                    reaching += u32::from(one.foresight.reaching.is_some());
                    let is_rate = one.element(site).label().constructor == "Gamma";
                    rates += u32::from(one.foresight.reaching.is_some() && is_rate);
                    one.keep();
                    other.keep();
                } else {
                    impossible += u32::from(one.foresight.holds && !possible);
                    one.undo();
                    other.undo();
                }
                assert_eq!(values(&one), values(&other));
                let (a, b) = (one.log_weight(), other.log_weight());
                assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
            }
        }
        assert!(foreseen > 3000, "{foreseen}");
        assert!(kept > 500 && impossible > 50, "{kept}, {impossible}");
        // Parameters passed on at once are most often means, sometimes selected by a truth value.
        assert!(rates > 50, "{rates}");
        assert!(
            forked > 300 && reaching > forked + 300,
            "{forked}, {reaching}"
        );
    }
}
