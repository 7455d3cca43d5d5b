//! Decomposable scores for the structures of Bayesian networks.

use super::super::{Network, NetworkData, NetworkKind};
use super::StructureLearningError;
use super::family_scores::FamilyScores;
use super::fitted::parents_of;
use super::row_counts::RowCounts;

/// A score for the structure of a Bayesian network on complete data. The score of a structure is decomposable: a sum of terms for the variables, in
/// natural logarithms. Larger scores of network structures are better.
///
/// The table gives the term of the score for a variable with `r` states whose parents have `q` configurations (joint states). The number of cases in
/// which the parents have the configuration `j` is `n[j]`; in `n[j][k]` of these cases, the variable has the state `k`; the number of all cases is
/// `N`:
///
/// | score | term of the variable |
/// |---|---|
/// | log-likelihood | `Σ n[j][k] ln(n[j][k] / n[j])` |
/// | AIC | log-likelihood `- (r - 1) q` |
/// | BIC | log-likelihood `- ln(N) / 2 (r - 1) q` |
/// | BDeu, with `a = s / (r q)` and `b = s / q` | `Σ ln(Γ(b) / Γ(b + n[j])) + Σ ln(Γ(a + n[j][k]) / Γ(a))` |
/// | K2 | the same as BDeu with `a = 1` and `b = r` |
///
/// The numbers of states `r` and of parent configurations `q` are those of the network, even if some states or configurations do not occur in the
/// data.
///
/// **References.** Schwarz, *Estimating the dimension of a model*, Annals of Statistics 6(2), 1978 (BIC); Akaike, *A new look at the
/// statistical model identification*, 1974 (AIC); Heckerman, Geiger and Chickering, *Learning Bayesian networks: the combination of
/// knowledge and statistical data*, Machine Learning 20, 1995 (BDeu); Cooper and Herskovits, *A Bayesian method for the induction of
/// probabilistic networks from data*, Machine Learning 9, 1992 (K2).
///
/// ```
/// # use figrs_network::{Network, NetworkScore};
/// let (network, data) = Network::from_data_csv("rain,grass\nyes,wet\nno,dry\nno,wet\nno,dry\n")?;
/// let score = NetworkScore::Bic.of(&network, &data)?;
/// // Without arcs: one rain of four, two wet of four, and half the logarithm of four for each of two parameters.
/// let expected = (0.25_f64.ln() + 3.0 * 0.75_f64.ln()) + 4.0 * 0.5_f64.ln() - 4.0_f64.ln();
/// assert!((score.total - expected).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum NetworkScore {
    /// The Bayesian information criterion (BIC).
    #[default]
    Bic,
    /// Akaike's information criterion (AIC).
    Aic,
    /// The Bayesian Dirichlet score that is likelihood-equivalent and has a uniform prior (BDeu).
    Bdeu {
        /// The equivalent sample size `s`, from 1e-100 to 1e100: the weight of the prior, as a number of cases.
        equivalent_sample_size: f64,
    },
    /// The score of Cooper and Herskovits, whose prior is uniform for each row of each conditional table.
    K2,
    /// The logarithm of the maximum likelihood; an additional arc never lowers this score.
    LogLikelihood,
}

/// The score of a network structure on given data.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredNetwork {
    /// The score: the sum of the score terms of all variables.
    pub total: f64,
    /// The score term of each variable, in the order of the network.
    pub variables: Vec<f64>,
}

impl ScoredNetwork {
    pub(super) fn new(variables: Vec<f64>) -> Self {
        Self {
            total: variables.iter().sum(),
            variables,
        }
    }
}

impl NetworkScore {
    /// Returns the score of the structure of a network. The score of a structure does not depend on the numbers in the network's tables.
    ///
    /// **Errors.** [`Unfit`](StructureLearningError::Unfit) if `network` is a Markov network, a cell or column is missing, or the data is about
    /// another network; [`Setting`](StructureLearningError::Setting) if the equivalent sample size is out of range.
    pub fn of(
        self,
        network: &Network,
        data: &NetworkData,
    ) -> Result<ScoredNetwork, StructureLearningError> {
        self.check()?;
        if network.kind() != NetworkKind::Bayesian {
            return Err(StructureLearningError::not_bayesian());
        }
        let rows = RowCounts::new(network, data)?;
        let mut scores = FamilyScores::new(&rows, self, 1);
        let families = (0..).zip(parents_of(network));
        let terms = families.map(|(child, parents)| scores.family(child, &parents));
        Ok(ScoredNetwork::new(terms.collect()))
    }

    /// **Errors.** An error if the equivalent sample size is out of range.
    pub(super) fn check(self) -> Result<(), StructureLearningError> {
        match self {
            Self::Bdeu {
                equivalent_sample_size: size,
            } if !(1e-100..=1e100).contains(&size) => {
                // With an equivalent sample size below 1e-100, the prior count of a table cell could become zero.
                Err(StructureLearningError::Setting {
                    setting: "equivalent_sample_size",
                    value: size,
                    remedy: "give a positive number from 1e-100 to 1e100",
                })
            }
            _ => Ok(()),
        }
    }
}
