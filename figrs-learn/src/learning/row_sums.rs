//! Weighted sums of the parameters' log-likelihoods over the sampled worlds of a row of data.

use figrs_core::Likelihood;

/// The total weight of some sampled worlds of one row of data, and the weighted sum of each parameter's log-likelihoods in these worlds.
///
/// The sums are stored divided by `exp(log_scale)`, to avoid overflow and underflow. If an observed value has a density in some worlds and a
/// probability in other worlds, only the worlds with the fewest density factors are included.
#[derive(Debug)]
pub(super) struct RowSums {
    densities: usize,
    log_scale: f64,
    total: f64,
    likelihoods: Vec<Likelihood>,
}

impl RowSums {
    /// Creates sums over no worlds; `flat` contains a constant log-likelihood for each parameter.
    pub(super) fn new(flat: Vec<Likelihood>) -> Self {
        Self {
            densities: usize::MAX,
            log_scale: f64::NEG_INFINITY,
            total: 0.0,
            likelihoods: flat,
        }
    }

    /// Rescales the weighted sums so that a world with the weight `exp(log_weight)` and `densities` density factors can be added. Returns the scaled
    /// weight of the world, or 0 if the world must not be added.
    fn unit(&mut self, log_weight: f64, densities: usize) -> f64 {
        if log_weight == f64::NEG_INFINITY || densities > self.densities {
            return 0.0;
        }
        if densities < self.densities {
            (self.densities, self.log_scale) = (densities, f64::NEG_INFINITY);
        }
        if log_weight > self.log_scale {
            let factor = (self.log_scale - log_weight).exp();
            self.total *= factor;
            for likelihood in &mut self.likelihoods {
                likelihood.scale(factor);
            }
            self.log_scale = log_weight;
        }
        (log_weight - self.log_scale).exp()
    }

    /// Adds a world to the weighted sums of log-likelihoods. The function `add` receives the sums of all parameters' log-likelihoods and the scaled
    /// weight of the world, and adds the log-likelihoods in this world. The function `add` is not called for a world with the scaled weight zero.
    pub(super) fn add_world<E>(
        &mut self,
        (log_weight, densities): (f64, usize),
        add: impl FnOnce(&mut [Likelihood], f64) -> Result<(), E>,
    ) -> Result<(), E> {
        let weight = self.unit(log_weight, densities);
        if weight == 0.0 {
            return Ok(());
        }
        self.total += weight;
        add(&mut self.likelihoods, weight)
    }

    pub(super) fn add(&mut self, other: &Self) {
        let weight = self.unit(other.log_scale, other.densities);
        if weight > 0.0 {
            self.total += weight * other.total;
            for (sum, likelihood) in self.likelihoods.iter_mut().zip(&other.likelihoods) {
                sum.add_times(likelihood, weight);
            }
        }
    }

    pub(super) fn log_total(&self) -> f64 {
        self.log_scale + self.total.ln()
    }

    /// Returns the weighted sum of each parameter's log-likelihoods, and the total weight of the worlds.
    pub(super) fn likelihoods(&self) -> (&[Likelihood], f64) {
        (&self.likelihoods, self.total)
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::Term;

    use super::*;

    /// Returns the sums over worlds, each of which is given by a log-weight, a number of density factors and a number *n*; the log-likelihood of a
    /// world is *n* ln θ.
    fn sums(worlds: &[(f64, usize, f64)]) -> RowSums {
        let mut sums = RowSums::new(vec![Likelihood::new(&[Term::Log])]);
        for &(log, densities, number) in worlds {
            let added = sums.add_world((log, densities), |likelihoods, weight| {
                likelihoods[0].set_power(weight);
                likelihoods[0].add(Term::Log, number);
                Ok::<(), ()>(())
            });
            added.unwrap();
        }
        sums
    }

    fn mean(sums: &RowSums) -> f64 {
        let (likelihoods, total) = sums.likelihoods();
        likelihoods[0].get(Term::Log) / total
    }

    #[test]
    fn weights_of_any_magnitude_add_up_in_parts() {
        let worlds = [
            (-1000.0, 1, 2.0),
            (f64::NEG_INFINITY, 0, 9.0),
            (-1000.0 + 3f64.ln(), 1, 6.0),
            (900.0, 2, 7.0),
        ];
        let all = sums(&worlds);
        assert!((all.log_total() - (-1000.0 + 4f64.ln())).abs() < 1e-9);
        assert!((mean(&all) - 5.0).abs() < 1e-12);
        for cut in 0..=worlds.len() {
            let (mut first, second) = (sums(&worlds[..cut]), sums(&worlds[cut..]));
            first.add(&second);
            assert!((first.log_total() - all.log_total()).abs() < 1e-9);
            assert!((mean(&first) - 5.0).abs() < 1e-12, "{cut}");
        }
        assert_eq!(sums(&worlds[1..2]).log_total(), f64::NEG_INFINITY);
    }
}
