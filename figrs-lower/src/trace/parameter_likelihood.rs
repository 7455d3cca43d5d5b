//! Likelihoods of parameters that are set by interventions, and are therefore not random choices.

use super::readers::Readers;
use super::state::Trace;
use figrs_core::{AnyElement, Likelihood, Term};

impl Trace {
    /// Returns the log-likelihood of a value of `element`, which an intervention sets, given the values of the choices that depend on it in this
    /// world. The log-likelihood is a linear combination of `terms`, which are functions of the element's value. Returns `None` if the element does
    /// not belong to the present world.
    ///
    /// **Errors.** The error is an element that depends on `element` other than by a parameter of its distribution, or whose log-likelihood is not a
    /// linear combination of `terms`.
    pub fn likelihood_of_set(
        &mut self,
        element: &AnyElement,
        terms: &'static [Term],
    ) -> Result<Option<Likelihood>, AnyElement> {
        let number = self.numbering.number(element);
        let Some(number) = number.filter(|&number| self.nodes[number as usize].in_world) else {
            return Ok(None);
        };
        let mut readers = std::mem::take(&mut self.readers);
        let gathered = self.gather_all(number, &mut readers, terms);
        self.readers = readers;
        let reader = |number: u32| self.nodes[number as usize].element.clone();
        gathered.map(Some).map_err(reader)
    }

    fn gather_all(
        &mut self,
        number: u32,
        readers: &mut Readers,
        terms: &'static [Term],
    ) -> Result<Likelihood, u32> {
        self.find_readers(number, readers)?;
        self.gather(readers, terms, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figrs_core::element::{Flip, If, Learned, Normal, Precision, StandardDeviation};
    use figrs_core::random::stream;
    use figrs_core::{Element, Model};

    fn trace(model: &Model, targets: &[&Element<f64>]) -> Trace {
        let targets: Vec<AnyElement> = targets.iter().map(|t| t.erased().clone()).collect();
        let mut trace = Trace::new(model, &targets, 1000).unwrap();
        let mut random = stream(1, 0);
        while !trace.restart(&mut random).unwrap() {}
        trace
    }

    #[test]
    fn readers_of_the_branch_that_is_taken_count() {
        let mean = Learned::normal("mean", 0.0, StandardDeviation(1.0));
        let precision = Learned::gamma("precision", 1.0, figrs_core::Rate(1.0));
        let other = Learned::normal("other", 0.0, StandardDeviation(1.0));
        let choose = Flip::new(0.5);
        let chosen = If::new(&choose, mean.clone(), other.clone());
        let values = [
            Normal::new(&mean, Precision(&precision)),
            Normal::new(&chosen, StandardDeviation(2.0)),
        ];
        let model = Model::new()
            .intervene(&mean, 0.5)
            .intervene(&precision, 4.0)
            .intervene(&other, 0.0)
            .observe(&choose, true)
            .observe(&values[0], 1.5)
            .observe(&values[1], -2.0);
        let mut trace = trace(&model, &[&values[0], &values[1]]);
        let of_mean = trace.likelihood_of_set(mean.erased(), &[Term::Linear, Term::Square]);
        let of_mean = of_mean.unwrap().unwrap();
        assert_eq!(of_mean.get(Term::Linear), 4.0 * 1.5 - 2.0 / 4.0);
        assert_eq!(of_mean.get(Term::Square), -0.5 * (4.0 + 0.25));
        let of_precision = trace.likelihood_of_set(precision.erased(), &[Term::Log, Term::Linear]);
        let of_precision = of_precision.unwrap().unwrap();
        assert_eq!(of_precision.get(Term::Log), 0.5);
        assert_eq!(of_precision.get(Term::Linear), -0.5);
        let none = trace.likelihood_of_set(other.erased(), &[Term::Linear, Term::Square]);
        assert!(none.unwrap().is_none());
    }

    #[test]
    fn readers_that_are_no_members_are_named() {
        let rate = Learned::beta("rate", 1.0, 1.0);
        let half = rate.map(|rate| rate / 2.0).named("half");
        let model = Model::new().intervene(&rate, 0.5);
        let mut trace = trace(&model, &[&half]);
        let refused = trace.likelihood_of_set(rate.erased(), &[Term::Log]);
        assert_eq!(refused.unwrap_err().id(), half.erased().id());
    }
}
