//! The form in which the state of a particle filter is saved and loaded.

use figrs_answer::Error;
use figrs_core::internals::EarlierElements;
use figrs_core::{AnyElement, PortableState, SupportBuilder};
use serde::{Deserialize, Serialize};

use super::ParticleFilter;
use super::{MOST_PARTICLES, Particles, States};

/// A [`ParticleFilter`] in a form that serde can serialise: the values and the weights of its particles, its seed, and the log-evidence.
/// [`ParticleFilter::load`] restores the filter.
///
/// A text format for the saved filter must keep all digits of numbers: `serde_json` needs the feature `float_roundtrip`.
///
/// ```
/// use figrs_core::{Normal, Variance};
/// use figrs_infer::ParticleFilter;
///
/// let first = || Normal::new(1.0, Variance(0.1));
/// let filter = ParticleFilter::new(&first(), 1000)?;
/// let text = serde_json::to_string(&filter.save())?;
/// // Later, in another process:
/// let again = ParticleFilter::load(&first(), serde_json::from_str(&text)?)?;
/// assert!((again.mean(|size| size)? - filter.mean(|size| size)?).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedParticles<V> {
    version: u32,
    particles: u64,
    seed: u64,
    draws: u64,
    steps: u64,
    window: usize,
    log_evidence: f64,
    /// The logarithm of the estimated probability of the evidence in the latest time step.
    last_log_evidence: f64,
    weights: Vec<f64>,
    /// For each particle, the values of the present state and of the past states, the latest first.
    states: Vec<Vec<V>>,
}

impl<V> SavedParticles<V> {
    const VERSION: u32 = 2;
}

impl<S: PortableState> ParticleFilter<S> {
    /// Returns the particle filter in a form that serde can serialise.
    pub fn save(&self) -> SavedParticles<S::Values> {
        let states = (0..self.drawn.weights.len()).map(|particle| {
            let mut columns = self.drawn.columns.iter();
            let mut next = || {
                let (support, values) = columns.next()?;
                Some(support.datum(values[particle] as usize))
            };
            let states = std::iter::once(&self.state).chain(&self.past);
            states.map(|state| state.values(&mut next)).collect()
        });
        SavedParticles {
            version: SavedParticles::<S::Values>::VERSION,
            particles: self.particles,
            seed: self.seed,
            draws: self.draws,
            steps: self.steps,
            window: self.window,
            log_evidence: self.log_evidence,
            last_log_evidence: self.answer.log_evidence().map_or(0.0, |e| e.value),
            weights: self.drawn.weights.clone(),
            states: states.collect(),
        }
    }

    /// Restores a saved filter. The later time steps of a loaded filter draw the same particles as without saving and loading. The argument `first`
    /// is a state whose elements have the same types as in the saved filter, such as the first state; the distribution of `first` is not used. Until
    /// the next time step, the [`answer`](Self::answer) of a loaded filter states no bound for the probability of values that no particle has.
    ///
    /// **Errors.** [`Error::Saved`] if the filter was saved by another version of figrs, if its state has elements of other types, or if the saved
    /// data are damaged.
    pub fn load(first: &S, saved: SavedParticles<S::Values>) -> Result<Self, Error> {
        if saved.version != SavedParticles::<S::Values>::VERSION {
            return Err(Error::unfit_filter(
                "it was saved by another version of this library",
            ));
        }
        let weights = saved.weights;
        let are_weights = weights.iter().all(|w| (0.0..=1.0).contains(w)) && weights.contains(&1.0);
        let is_counted = (1..=MOST_PARTICLES).contains(&saved.particles);
        if weights.is_empty() || weights.len() != saved.states.len() || !are_weights || !is_counted
        {
            return Err(Error::unfit_filter("it is damaged"));
        }
        let states = saved.states[0].len();
        if states == 0 || states - 1 > saved.window {
            return Err(Error::unfit_filter("it is damaged"));
        }
        let own = first.elements();
        let elements = vec![own; states].concat();
        let builders = elements.iter().map(AnyElement::no_values);
        let mut builders: Vec<SupportBuilder> = builders.collect();
        let mut values = vec![Vec::with_capacity(weights.len()); elements.len()];
        for particle in saved.states {
            let mut all = Vec::with_capacity(elements.len());
            for state in particle {
                S::append(state, &mut all);
            }
            if all.len() != elements.len() {
                return Err(Error::unfit_filter(
                    "the number of elements of its state differs from that of the first state",
                ));
            }
            for ((value, builder), values) in all.into_iter().zip(&mut builders).zip(&mut values) {
                let index = value.and_then(|value| builder.insert(value.as_any()));
                values.push(index.ok_or_else(|| Error::unfit_filter("a value is missing"))? as u32);
            }
        }
        let supports = builders.into_iter().map(SupportBuilder::build);
        let drawn = Particles::new(weights, supports.zip(values).collect());
        let made = drawn.elements(&elements);
        let evidence = figrs_answer::LogEvidence {
            value: saved.last_log_evidence,
            standard_error: f64::NAN,
        };
        let loaded = States::of_elements(&vec![first; states], &made);
        Ok(Self {
            state: loaded.present,
            past: loaded.past,
            window: saved.window,
            answer: drawn.marginals(&made, evidence),
            drawn,
            particles: saved.particles,
            seed: saved.seed,
            draws: saved.draws,
            steps: saved.steps,
            log_evidence: saved.log_evidence,
            earlier: EarlierElements::default(),
        })
    }
}
