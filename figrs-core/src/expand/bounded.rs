//! Check that the weights of worlds are bounded in the parts of the model that were not expanded (whose values are not listed).

use super::expansion::{Content, ExpandedElement, Expansion};
use crate::error::ModelError;

impl Expansion {
    /// Returns an error if the expanded part of the model shows that worlds in the parts not expanded may have unbounded weights.
    ///
    /// **Guarantee.** If there is no error, [`for_upper_sums`](super::Encoding::for_upper_sums) gives upper bounds, provided that the parts of the
    /// model that were not expanded contain no `Score` with a weight above one and no observed value with a density.
    pub fn check_bounded(&self) -> Result<(), ModelError> {
        if self.is_complete() {
            return Ok(());
        }
        let depth = self.cut.map_or(0, |(depth, _)| depth);
        for (position, expanded) in self.elements.iter().enumerate() {
            if let Some((problem, remedy)) = self.unbounded(position, expanded) {
                return Err(ModelError::Unbounded {
                    element: expanded.element.label(),
                    depth,
                    problem,
                    remedy,
                });
            }
        }
        Ok(())
    }

    /// Returns the reason why the weights of worlds may be unbounded because of the element `expanded`, and a remedy.
    fn unbounded(
        &self,
        position: usize,
        expanded: &ExpandedElement,
    ) -> Option<(String, &'static str)> {
        let endless = |&r: &usize| matches!(self.elements[r].content, Content::NotEnumerable(_));
        let density = match &expanded.content {
            Content::Chain { results, .. } => results.iter().any(endless),
            _ => false,
        };
        let is_undecided = expanded.unknown || self.upper_weights.contains_key(&position);
        let unlimited = is_undecided && expanded.max_log_weight == f64::INFINITY;
        if unlimited && density {
            let problem = "the density of the observed value has no maximum".into();
            return Some((problem, "use ImportanceSampling, or a larger depth"));
        }
        if unlimited {
            let problem = "the weight of its value has no maximum".into();
            return Some((
                problem,
                "state a maximum with `weigh_at_most`, or use a larger depth",
            ));
        }
        let Content::Score(weights) = &expanded.content else {
            return None;
        };
        let known = (0..weights.len()).map(|i| weights.log(i));
        let unknown = expanded.unknown.then_some(expanded.max_log_weight);
        let most = known.chain(unknown).fold(f64::NEG_INFINITY, f64::max);
        (expanded.depth > 0 && most > 0.0).then(|| {
            let most = most.exp();
            let problem =
                format!("its Score of {most} is above one and may occur again in deeper branches");
            (
                problem,
                "scale the Score to at most one, or use a larger depth",
            )
        })
    }
}
