//! Tests of the studio over HTTP: its page, its answers, and the requests that it refuses.

mod attacks;
mod boards;
mod changes;
mod designs;
mod levels;
mod networks;
mod page;
mod placing;
mod refused;
