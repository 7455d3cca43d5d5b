//! Mini-bucket elimination: bounds of a maximum or a sum by an elimination that splits its buckets to limit the size of its tables.
//!
//! | file | content |
//! |---|---|
//! | `bucket_order` | the elimination order |
//! | `partition` | the division of buckets into mini-buckets |
//! | `messages` | messages of mini-buckets, with cost shifting |
//! | `evidence_bounds` | bounds of the sum over all assignments |

mod bucket_order;
mod evidence_bounds;
mod messages;
mod partition;

pub use bucket_order::BucketOrder;
pub use evidence_bounds::{
    ALL_SIZES, BoundingEffort, QUICK_SIZES, UNBOUNDED, crude_bounds, narrow, product_of_maxima,
    sum_bounds,
};
pub use messages::{BoundKind, MiniBuckets};
pub use partition::divide;
