//! Guides for users of other systems, which list the names and programs of these systems with their equivalents in figrs.

#[doc = "[tutorial]: crate::tutorial\n[chapter 3]: crate::tutorial::chains_and_laziness\n"]
#[doc = include_str!("../docs/coming-from-figaro.md")]
pub mod figaro {}

#[doc = "[tutorial]: crate::tutorial\n[chapter 3]: crate::tutorial::chains_and_laziness\n"]
#[doc = include_str!("../docs/coming-from-problog.md")]
pub mod problog {}

#[doc = "[tutorial]: crate::tutorial\n[chapter 5]: crate::tutorial::generating_content\n"]
#[doc = include_str!("../docs/coming-from-clingo.md")]
pub mod clingo {}

#[doc = include_str!("../docs/coming-from-pgmpy.md")]
pub mod pgmpy {}

#[doc = include_str!("../docs/coming-from-bnlearn.md")]
pub mod bnlearn {}

#[doc = include_str!("../docs/coming-from-pymc.md")]
pub mod pymc {}

#[doc = include_str!("../docs/coming-from-rxinfer.md")]
pub mod rxinfer {}
