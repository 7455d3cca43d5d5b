//! The value of knowing a random variable (value of information), and the value of setting the variable (value of control).

use figrs_core::{Element, Value};

use super::plan::{DecisionPlan, best_utility};
use super::problem::{AskedDecision, DecisionQuestion};
use figrs_answer::{Error, guarded};

impl DecisionPlan {
    /// Returns the value of information: the increase of the expected utility if the value of `element` were known to all decisions.
    ///
    /// The value of information is not negative (up to rounding) if the plan with and the plan without the information are both
    /// [optimal](Self::is_optimal). With limited memory, each of the two plans is the best plan that was found. With limited memory, the value of
    /// information is negative if the plan with the information is a worse local optimum than the plan without it.
    ///
    /// **Errors.** [`Error::DecisionInfluencesKnown`] if one of the decisions influences `element`; otherwise the errors of
    /// [`MaximiseUtility`](crate::MaximiseUtility).
    ///
    /// ```
    /// # use figrs_core::{Decision, Flip, Model, Parents};
    /// # use figrs_learn::MaximiseUtility;
    /// let rain = Flip::new(0.3);
    /// let umbrella = Decision::new((), [true, false]);
    /// let comfort = (&rain, &umbrella).map(|(rain, umbrella)| if *umbrella { -1.0 } else if *rain { -10.0 } else { 0.0 });
    /// let plan = MaximiseUtility::new().run(&Model::new(), [&comfort], &umbrella)?;
    /// assert!((plan.value_of_information(&rain)? - 0.7).abs() < 1e-12);
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn value_of_information<T: Value>(&self, element: &Element<T>) -> Result<f64, Error> {
        let all = 0..self.question.decisions.len();
        self.informed(element, all)
    }

    /// Returns the value of information for `decision`: the increase of the expected utility if the value of `element` were known when this decision
    /// is made. Without limited memory, later decisions also know the value of `element`.
    ///
    /// **Errors.** The errors of [`value_of_information`](Self::value_of_information); [`Error::UnknownElement`] if the plan has no policy for
    /// `decision`.
    pub fn value_of_information_for<T: Value, D: Value>(
        &self,
        element: &Element<T>,
        decision: &Element<D>,
    ) -> Result<f64, Error> {
        let mut decisions = self.question.decisions.iter();
        let number = decisions.position(|asked| asked.element.id() == decision.erased().id());
        let number = number.ok_or_else(|| Error::not_a_decision(decision.label()))?;
        self.informed(element, number..number + 1)
    }

    /// Returns the increase of the expected utility if the decisions with the indices `decisions` know the value of `element`.
    fn informed<T: Value>(
        &self,
        element: &Element<T>,
        decisions: std::ops::Range<usize>,
    ) -> Result<f64, Error> {
        let mut question = self.question.clone();
        for asked in &mut question.decisions[decisions] {
            asked.known.push(element.erased().clone());
        }
        self.difference(&question)
    }

    /// Returns the value of control: the increase of the expected utility if `element` could be set to any of its possible values before anything is
    /// known or decided. The value of control of a decision is 0.
    ///
    /// **Errors.** [`Error::DecisionInfluencesKnown`] if `element` influences the evidence; otherwise the errors of
    /// [`MaximiseUtility`](crate::MaximiseUtility).
    pub fn value_of_control<T: Value>(&self, element: &Element<T>) -> Result<f64, Error> {
        let mut question = self.question.clone();
        let id = element.erased().id();
        if question
            .decisions
            .iter()
            .any(|asked| asked.element.id() == id)
        {
            return Ok(0.0);
        }
        let limits = &self.algorithm.limits;
        let options = guarded(|| {
            let problem = question.problem(limits)?;
            let position = problem.expansion.position(element.erased());
            Ok(position.map(|at| problem.expansion.elements()[at].support.clone()))
        })?;
        // If no utility depends on the element, the value of control is 0.
        let Some(options) = options else {
            return Ok(0.0);
        };
        question.decisions.insert(
            0,
            AskedDecision {
                element: element.erased().clone(),
                known: Vec::new(),
                options,
            },
        );
        self.difference(&question)
    }

    fn difference(&self, question: &DecisionQuestion) -> Result<f64, Error> {
        let utility = guarded(|| best_utility(question, &self.algorithm))?;
        Ok(utility - self.expected_utility())
    }
}
