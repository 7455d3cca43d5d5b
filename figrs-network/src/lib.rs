//! Networks from files: Bayesian networks in BIF, BIFXML, NET and XDSL, Bayesian and Markov networks in the UAI format, and formulas in
//! DIMACS CNF; also influence diagrams in BIFXML, NET and XDSL.
//!
//! A [`Network`] has an element for each variable. The elements of a network can be queried like any other elements, in the [`model`](Network::model)
//! of the network; the model of a Markov network contains the factors.
//!
//! ```
//! use figrs_infer::{Run, VariableElimination};
//! use figrs_network::Network;
//!
//! let network = Network::from_bif("
//!     network garden { }
//!     variable rain { type discrete [ 2 ] { yes, no }; }
//!     variable grass { type discrete [ 2 ] { wet, dry }; }
//!     probability ( rain ) { table 0.2, 0.8; }
//!     probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
//! ")?;
//! let wet = network.observation("grass", "wet")?;
//! let model = network.observing(&[wet]);
//! let rain = network.element("rain")?;
//! let answer = VariableElimination::new().run(&model, rain)?;
//! let rained = answer.probability_that(rain, |state| state.name() == "yes")?;
//! assert!((rained - 0.18 / 0.34).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module idea | types |
//! |---|---|
//! | networks, and options of reading them | [`NetworkReader`], [`Network`], [`NetworkKind`], [`Variable`], [`NetworkTable`], [`NetworkClause`] |
//! | networks of finite and real variables | [`MixedNetwork`], [`RealVariable`], [`LinearNormal`] |
//! | influence diagrams | [`InfluenceDiagram`], [`DecisionNode`], [`UtilityNode`] |
//! | formats of files | [`NetworkFormat`] |
//! | the factor graph of any model as UAI text | [`ModelFactors`], [`FactorVariable`] |
//! | values of their elements | [`State`] |
//! | evidence, and files of it | [`NetworkEvidence`], [`Observation`], [`RealObservation`], [`StateLikelihoods`] |
//! | data, at once or block by block | [`NetworkData`], [`NetworkDataBlocks`] |
//! | predictions of a variable, case by case | [`CasePredictor`], [`CasePrediction`] |
//! | tables learned from data | [`NetworkLearner`], [`LearningStart`], [`LearnedNetwork`] |
//! | structures learned from data, and their scores | [`StructureLearner`], [`StructureSearch`], [`LearnedStructure`], [`MissingCellRounds`], [`NetworkScore`], [`ScoredNetwork`] |
//! | rounded rows | [`NormalisedRow`], [`ROUNDING`] |
//! | errors | [`NetworkError`], [`NetworkLearningError`], [`StructureLearningError`], [`FileError`], [`Unknown`] |
//!
//! # File formats
//!
//! A file is read in the format of its extension; an XML document is read in the format that its first element
//! determines.
//!
//! - BIF: the blocks of a file (network, variables, probabilities) may come in any order. Names in BIF contain any characters except white space,
//!   brackets, `,`, `;`, `|` and `"`, or any characters in quotes. A table in BIF consists of rows for the states of the parents, of `default` rows,
//!   or of all numbers in a list in which the child varies slowest. The reader of BIF skips comments, properties and text between blocks, and the
//!   writer of BIF writes none of them.
//! - BIFXML, version 0.3: variables and definitions may come in any order; in tables the child varies fastest, and the last parent second fastest.
//!   The reader of BIFXML skips properties.
//! - XDSL: nodes (`cpt`, `deterministic`, `noisymax`, `decision`, `utility`, `mau`) may come in any order, and the entries of tables have the same
//!   order as in BIFXML. A noisy-MAX node is converted to its table, and a dynamic network is unrolled if the reader is given a number of
//!   [`slices`](NetworkReader::slices). An XDSL node of an unsupported kind is an error. Names in XDSL are identifiers; for a name that is not an
//!   identifier, the writer generates an identifier and stores the name as a property.
//! - NET: nodes and potentials may come in any order; tables list their entries in the same order as in BIFXML, flat or in nested parentheses.
//!   Formulas over finite states in NET (`model_data`: logic, comparisons, `if`, arithmetic, `Distribution`) are converted to tables; formulas with
//!   other distributions are an error. A NET file with continuous nodes (`normal`) is read as a [`MixedNetwork`]. As in XDSL, a name that is not an
//!   identifier is written in NET as a generated identifier, with the name in an attribute.
//! - CNF: formulas for model counters can be read but not written. In CNF, the name of a variable is its number, counted from 1, and its states are
//!   `false` and `true`. In CNF, a line `c p weight LITERAL WEIGHT 0` sets the weight of a literal. Literals of a CNF file without a weight line have
//!   weight one, and a line `c t mc` sets all weights to one. A CNF file that asks for projected model counting (`c p show`, `c ind`, `c t pmc`) is
//!   an error.
//! - UAI: in a Bayesian network, the last variable of a table is the child; the names of variables and states are their indices.
//!
//! If the sum of a row in a conditional table deviates from one by at most [`ROUNDING`], the row is divided by its sum. A row that the reader divided
//! by its sum is listed in [`Network::normalised`], unless its sum deviated from one only in the last bits. If the sum of a row deviates from one by
//! more than `ROUNDING`, the reader returns an error.
//!
//! # Limits
//!
//! The variables of a network file must be discrete, except for the real variables of a [`MixedNetwork`]. A conditional table of a network is dense:
//! the table stores all its entries.
//!
//! # References
//!
//! F. G. Cozman, "The Interchange Format for Bayesian Networks", version 0.15, 1998, and version 0.3 in XML. `BayesFusion`, "SMILE Programmer's
//! Manual" (XDSL). HUGIN Expert, "HUGIN API Reference Manual" (NET). The networks of the bnlearn
//! repository: M. Scutari, "Learning Bayesian Networks with the bnlearn R Package", Journal of Statistical
//! Software 35(3), 2010. J. K. Fichte, M. Hecher and F. Hamiti, "The Model Counting Competition 2020", ACM
//! Journal of Experimental Algorithmics 26, 2021 (CNF with weights).

#![warn(clippy::unwrap_used)]

mod bif;
mod bifxml;
mod clause;
mod cnf;
mod contents;
mod csv_records;
mod data;
mod data_blocks;
mod data_columns;
mod data_variables;
mod diagram;
mod draft;
mod elements;
mod encoding;
mod error;
mod evidence;
mod finish;
mod format;
mod hidden;
mod input;
mod kind;
mod learning;
mod lexer;
mod markup;
mod mistakes;
mod mixed;
mod names;
mod net;
mod observation;
mod order;
mod output;
mod prediction;
#[cfg(test)]
mod problem_of;
mod read_format;
mod reader;
mod row;
mod soft_evidence;
mod state;
mod structure;
mod token;
mod uai;
mod variable;
mod xdsl;
mod xml;

pub use clause::NetworkClause;
pub use contents::Network;
pub use data::NetworkData;
pub use data_blocks::NetworkDataBlocks;
pub use diagram::{DecisionNode, DiagramElements, InfluenceDiagram, UtilityNode};
pub use error::{NetworkError, NetworkLearningError};
pub use evidence::ObservedVariables;
pub use figrs_reading::{FileError, Mistake, MistakeKind};
pub use format::NetworkFormat;
pub use kind::NetworkKind;
pub use learning::{LearnedNetwork, LearningStart, NetworkLearner};
use mixed::RealDistribution;
pub use mixed::{LinearNormal, MixedNetwork, RealVariable};
pub use observation::{Observation, RealObservation};
pub use prediction::{CasePrediction, CasePredictor};
pub use reader::NetworkReader;
pub use row::{NormalisedRow, ROUNDING};
pub use soft_evidence::{NetworkEvidence, StateLikelihoods};
pub use state::State;
pub use structure::{
    LearnedStructure, MissingCellRounds, NetworkScore, ScoredNetwork, StructureLearner,
    StructureLearningError, StructureSearch,
};
pub use uai::{FactorVariable, ModelFactors};
pub use variable::{NetworkTable, Unknown, Variable};
