//! The example that asks networks, as a user runs it.

#[path = "network_cli/answers.rs"]
mod answers;
#[path = "network_cli/estimates.rs"]
mod estimates;
#[path = "network_cli/failures.rs"]
mod failures;
#[path = "network_cli/files.rs"]
mod files;
#[path = "network_cli/worlds.rs"]
mod worlds;
