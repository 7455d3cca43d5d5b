//! Fast path for Metropolis-Hastings proposals: the new state is computed and weighed before the present world is changed.
//!
//! Most proposals change the values of a few elements, and leave the dependency graph of the world unchanged. On the fast path, the new values are
//! collected in a list, in the order of the nodes' topological heights. The list of new values is applied to the world if the proposal is accepted,
//! and dropped otherwise. If an element may enter or leave the world, the proposal is evaluated by the general path (change propagation, in
//! `propagation.rs`) instead.

use super::change::Change;
use super::look_ahead_list::LookAheadEnd;
use super::node::NodeRole;
use super::register::ValueRegister;
use super::state::Trace;
use figrs_core::element::node::Kind;
use figrs_core::value::datum::Datum;

/// Maximum number of successive proposals for a choice that are not tried on the fast path, after the fast path has failed for this choice.
const MAX_GENERAL_PATH_STEPS: u8 = 63;

impl Trace {
    /// Computes the list of new values and log-probabilities of nodes for a proposal. Returns `true` if the new world is possible, and `None` if the
    /// proposal must be evaluated by the general path (change propagation).
    pub(super) fn look_ahead(&mut self, site: u32, value: &Datum) -> Option<bool> {
        self.look_ahead.clear();
        let node = &mut self.nodes[site as usize];
        if node.general_path_left > 0 {
            node.general_path_left -= 1;
            return None;
        }
        let spread = match self.look_ahead_boolean(site, value) {
            Some(spread) => spread,
            None => self.look_ahead_changes(site, value),
        };
        let possible = match spread {
            Ok(()) => !self.look_ahead.is_impossible,
            Err(LookAheadEnd::Impossible) => false,
            Err(LookAheadEnd::GeneralPath) => {
                self.look_ahead.clear();
                let node = &mut self.nodes[site as usize];
                node.backoff = (2 * node.backoff + 1).min(MAX_GENERAL_PATH_STEPS);
                node.general_path_left = node.backoff;
                return None;
            }
        };
        self.nodes[site as usize].backoff = 0;
        self.look_ahead.is_current = true;
        let choices = self.choices.len();
        self.change = Change {
            prior: self.look_ahead.prior,
            likelihood: self.look_ahead.likelihood,
            added: 0.0,
            removed: 0.0,
            choices: (choices, choices),
            densities: (self.densities, self.densities),
            possible,
        };
        Some(possible)
    }

    /// Computes all changes of nodes that follow from the value `value` of the random choice `site`.
    fn look_ahead_changes(&mut self, site: u32, value: &Datum) -> Result<(), LookAheadEnd> {
        self.begin_epoch();
        // The register is filled in place, because moving a number that was just written is slow.
        let mut own = ValueRegister::default();
        own.set(value);
        let log = self
            .weigh_value(site, &own)
            .ok_or(LookAheadEnd::GeneralPath)?;
        if log == f64::NEG_INFINITY {
            return Err(LookAheadEnd::Impossible);
        }
        let node = &mut self.nodes[site as usize];
        node.cache_log_prob(log, &own);
        node.touched = self.epoch;
        self.look_ahead.prior = log - node.log;
        self.list(site, &own, log)?;
        while let Some(number) = self.look_ahead.next() {
            self.look_ahead_node(number)?;
        }
        Ok(())
    }

    /// Adds the new value of a node to the list of new values. If the value of the node has changed, queues the node's children.
    #[inline]
    fn list(&mut self, number: u32, value: &ValueRegister, log: f64) -> Result<(), LookAheadEnd> {
        let is_in_every_world = (number as usize) < self.permanent();
        let node = &self.nodes[number as usize];
        let mut weight = node.weight;
        if !value.is_empty() && node.weighs {
            let mut fault = None;
            // Functions in a branch must not be called before it is certain that the branch is taken.
            if is_in_every_world {
                weight = self.weight(number, value, &mut fault);
            }
            if !is_in_every_world || fault.is_some() {
                return Err(LookAheadEnd::GeneralPath);
            }
            self.look_ahead.likelihood += weight - node.weight;
        }
        self.look_ahead.is_impossible |= log + weight == f64::NEG_INFINITY;
        let mut spreads = !value.is_empty();
        // No other node is queued; therefore no other node changes the children of this node.
        if spreads
            && self.look_ahead.is_queue_empty()
            && let Some(parameter) = value.number()
            && let Some(weighed) = self.weigh_parameter_readers(number, parameter)
        {
            weighed?;
            spreads = false;
        }
        self.nodes[number as usize].listed = self.look_ahead.states().len() as u32;
        self.look_ahead.push_state(number, value, log, weight);
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
            // A child that is a random choice with a single parent need not wait for other nodes.
            if reader.role.is_choice() && reader.parents.len() == 1 {
                self.look_ahead_choice(by)?;
            } else {
                self.look_ahead.enqueue(reader.height, by);
            }
        }
        Ok(())
    }

    /// Returns the value of a node in the new world: the value in the list of new values, or otherwise the present value.
    #[inline]
    pub(super) fn tentative_value(&self, number: u32) -> &ValueRegister {
        let node = &self.nodes[number as usize];
        if node.touched == self.epoch
            && let Some(tentative_value) = self.look_ahead.states().get(node.listed as usize)
            && !tentative_value.value.is_empty()
        {
            return &tentative_value.value;
        }
        &node.value
    }

    /// Computes the new log-probability of a random choice that keeps its value.
    #[inline]
    fn look_ahead_choice(&mut self, number: u32) -> Result<(), LookAheadEnd> {
        let node = &self.nodes[number as usize];
        if node.stale || !node.in_world {
            return Err(LookAheadEnd::GeneralPath);
        }
        let log = self.weigh(number, &node.value, Self::tentative_value);
        let log = log.ok_or(LookAheadEnd::GeneralPath)?;
        let gain = log - node.log;
        if node.demand.is_none() {
            self.look_ahead.prior += gain;
        } else {
            self.look_ahead.likelihood += gain;
        }
        self.look_ahead.weighed.push((number, log));
        self.look_ahead.is_impossible |= log == f64::NEG_INFINITY;
        Ok(())
    }

    /// Computes the new value and log-probability of a node; all nodes of lower topological height must have been computed.
    fn look_ahead_node(&mut self, number: u32) -> Result<(), LookAheadEnd> {
        let node = &self.nodes[number as usize];
        let height = |to: u32| self.nodes[to as usize].height;
        let mut inputs = node.inputs.iter();
        if node.stale || !node.in_world || inputs.any(|input| height(input.to) >= node.height) {
            return Err(LookAheadEnd::GeneralPath);
        }
        let mut value = ValueRegister::default();
        match node.role {
            NodeRole::Family | NodeRole::Table => return self.look_ahead_choice(number),
            // Functions in a branch must not be called before it is certain that the branch is taken.
            NodeRole::Apply if (number as usize) < self.permanent() => {
                let Kind::Apply(_, op) = node.element.kind() else {
                    return Err(LookAheadEnd::GeneralPath);
                };
                let computed = self.arguments(number, Self::tentative_value, |arguments| {
                    op.call(arguments)
                });
                let Some(Ok(computed)) = computed else {
                    return Err(LookAheadEnd::GeneralPath);
                };
                value.set(&computed);
            }
            NodeRole::Score => {
                let parent = *node.parents.first().ok_or(LookAheadEnd::GeneralPath)?;
                value.copy(self.tentative_value(parent));
            }
            NodeRole::Chain if node.demand.is_none() => {
                let result = self.branch(number, Self::tentative_value);
                let result = result.ok_or(LookAheadEnd::GeneralPath)?;
                let present = node.inputs.get(node.parents.len()).map(|edge| edge.to);
                if present != Some(result) {
                    let waits = self.nodes[result as usize].stale || height(result) >= node.height;
                    let another = self.look_ahead.switch.is_some();
                    if waits || another || self.may_switch(number, result).is_none() {
                        return Err(LookAheadEnd::GeneralPath);
                    }
                    self.look_ahead.switch = Some((number, result));
                }
                value.copy(self.tentative_value(result));
            }
            NodeRole::Apply | NodeRole::Chain | NodeRole::Atomic | NodeRole::Fixed => {
                return Err(LookAheadEnd::GeneralPath);
            }
        }
        if value.is_empty() {
            return Err(LookAheadEnd::GeneralPath);
        }
        let node = &self.nodes[number as usize];
        let mut log = node.log;
        if let Some(demand) = &node.demand {
            log = if value.holds(demand) {
                0.0
            } else {
                f64::NEG_INFINITY
            };
            self.look_ahead.likelihood += log - node.log;
            value.clear();
        } else if node.value == value {
            value.clear();
        }
        self.list(number, &value, log)
    }

    /// Applies the list of new values to the nodes. Returns `false` if there is no list of new values.
    #[inline]
    pub(super) fn apply_look_ahead(&mut self) -> bool {
        if !std::mem::replace(&mut self.look_ahead.is_current, false) {
            return false;
        }
        if let Some((last, parameter)) = self.look_ahead.parameter {
            self.apply_parameter(last, parameter);
        }
        if let Some(flip) = self.look_ahead.flip {
            self.apply_flip(flip);
            return true;
        }
        if let Some((by, result)) = self.look_ahead.switch {
            self.switch_result(by, result);
            self.undo.operations.clear();
        }
        for tentative_value in self.look_ahead.states() {
            let node = &mut self.nodes[tentative_value.number as usize];
            if !tentative_value.value.is_empty() {
                node.value.copy(&tentative_value.value);
            }
            (node.log, node.weight) = (tentative_value.log, tentative_value.weight);
        }
        for &(choice, log) in &self.look_ahead.weighed {
            self.nodes[choice as usize].log = log;
        }
        true
    }

    /// Drops the list of new values without a change of the nodes. Returns `false` if there is no list of new values.
    #[inline]
    pub(super) fn discard_look_ahead(&mut self) -> bool {
        std::mem::replace(&mut self.look_ahead.is_current, false)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use figrs_core::Parents;
    use figrs_core::element::{
        Binomial, Exponential, Flip, Gamma, If, Laplace, Normal, Rate, Scale, Score, Variance,
    };
    use figrs_core::random::{Stream, stream};
    use figrs_core::{AnyElement, Element, Model};

    /// Returns a test model that has changes for the fast path and for the general path: results of `Chain` elements, functions of one or two changed
    /// values, tables, distribution families, and evidence of all kinds.
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

    /// Adds elements whose values are only used as parameters of several distribution families. Some of the parameters are results of `Chain`
    /// elements, one of the `Chain` elements may be removed from the world, and a choice without observation depends on one parameter.
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

    /// Returns the elements of the world and their values as text. The texts of two traces can be compared, although the functions of `Chain`
    /// elements create new elements for each trace.
    fn values(trace: &Trace) -> Vec<String> {
        let world = trace.world().map(|(e, v)| format!("{e:?} = {v:?}"));
        let mut world: Vec<String> = world.collect();
        world.sort();
        world
    }

    /// Two traces of the same model get the same proposals, but only one of the traces may use the fast path.
    #[test]
    fn lists_say_what_a_full_evaluation_says() {
        let (model, targets) = model();
        let begin = |seed| -> (Trace, Stream) {
            let mut trace = Trace::new(&model, &targets, 1000).unwrap();
            let mut random = stream(seed, 0);
            while !trace.restart(&mut random).unwrap() {}
            (trace, random)
        };
        let (mut tentative_value, mut kept, mut impossible) = (0, 0, 0);
        let (mut flip, mut reaching, mut rates) = (0, 0, 0);
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
                other.nodes[same.number()].general_path_left = 1;
                let possible = one.propose(site, &value, &mut random).unwrap();
                assert_eq!(other.propose(same, &value, &mut again).unwrap(), possible);
                tentative_value += u32::from(one.look_ahead.is_current);
                assert!(!other.look_ahead.is_current);
                let keep: bool = random.random();
                assert_eq!(keep, again.random());
                if possible {
                    let (a, b) = (one.change(), other.change());
                    let terms = |c: &Change| [c.prior, c.likelihood, c.added, c.removed];
                    for (a, b) in terms(a).into_iter().zip(terms(b)) {
                        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
                    }
                    assert_eq!((a.choices, a.densities), (b.choices, b.densities));
                    assert_eq!(one.log_prob(site), other.log_prob(same));
                }
                if possible && keep {
                    kept += u32::from(one.look_ahead.is_current);
                    flip += u32::from(one.look_ahead.flip.is_some());
                    reaching += u32::from(one.look_ahead.parameter.is_some());
                    let is_rate = one.element(site).label().constructor() == "Gamma";
                    rates += u32::from(one.look_ahead.parameter.is_some() && is_rate);
                    one.keep();
                    other.keep();
                } else {
                    impossible += u32::from(one.look_ahead.is_current && !possible);
                    one.undo();
                    other.undo();
                }
                assert_eq!(values(&one), values(&other));
                let (a, b) = (one.log_weight(), other.log_weight());
                assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
            }
        }
        assert!(tentative_value > 3000, "{tentative_value}");
        assert!(kept > 500 && impossible > 50, "{kept}, {impossible}");
        // Most proposals for parameters whose children are weighed together are for means; some are for truth values that select a mean.
        assert!(rates > 50, "{rates}");
        assert!(flip > 300 && reaching > flip + 300, "{flip}, {reaching}");
    }
}
