//! The studio over HTTP: its page, its answers, its refusals.

mod attacks;
mod boards;
mod changes;
mod designs;
mod levels;
mod networks;
mod page;
mod placing;
mod refused;
