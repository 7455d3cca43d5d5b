//! Demands (requirements) on levels, stated as evidence, and samplers of the levels that meet all demands.

mod area;
mod automata;
mod boards;
mod cells_of_demand;
mod compile;
mod conflict;
mod demand;
pub(crate) mod demand_error;
pub(crate) mod demand_file;
mod demanded_level;
mod error;
mod level_board;
mod mask;
mod model_coordinates;
mod pattern;
mod played_proof;
mod proof;
mod proposed;
mod room;
mod state_values;
mod statements;
mod trial;
mod twisted_demands;
mod words;

pub use area::Area;
pub use boards::{BoardDemands, DemandedBoards};
pub use demand::{Demand, Mirror};
pub use demanded_level::DemandedLevel;
pub use error::DemandedLevelError;
pub use mask::Mask;
pub use pattern::Pattern;
pub use proposed::ProposedLevels;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod twist_tests;
