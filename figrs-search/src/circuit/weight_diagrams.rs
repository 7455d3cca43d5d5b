//! Decision diagrams of the weights of factors, which share subdiagrams, so that equal residual tables have the same index.

use figrs_factor::Until;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;

use super::component_cache::ComponentHash;
use super::memory_budget::hash_table_bytes;
use figrs_factor::eliminate::EliminationError;
use figrs_factor::eliminate::error::check_interrupt;

/// Number of bytes of a memory allocation in addition to its contents.
const ALLOCATION_BYTES: usize = 16;
/// Number of new diagram nodes between two checks of the deadline.
const LOOK_INTERVAL: usize = 1 << 16;

/// A residual table (the part of a factor's table that agrees with a partial assignment), as a node of a decision diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ResidualTable(u32);

/// Bit that marks the index of a leaf in a decision diagram.
const LEAF: u32 = 1 << 31;

impl ResidualTable {
    /// A don't-care leaf for a table whose entries are all excluded by clauses; any table may replace it.
    pub(super) const DONT_CARE: Self = Self(u32::MAX);

    /// Returns the constant table in which every weight is the symbol with the index `symbol`.
    pub(super) fn constant(symbol: u32) -> Self {
        Self(symbol | LEAF)
    }

    pub(super) fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }

    /// Returns the symbol of a constant table; `None` for a table that is not constant.
    pub(super) fn symbol(self) -> Option<u32> {
        (self.is_leaf() && self != Self::DONT_CARE).then_some(self.0 & !LEAF)
    }
}

#[derive(Clone, Debug)]
struct DiagramNode {
    variable: u32,
    /// The range of the diagram node's children in the list of children; `support` is the range of its variables in the list of supports.
    children: (u32, u32),
    support: (u32, u32),
    /// A random number that is added to the hash of each component in which this diagram node occurs.
    key: ComponentHash,
}

/// Multi-valued decision diagrams of the weights of all factors, in which equal nodes are stored only once.
///
/// If all children of a diagram node are equal (apart from don't-care leaves), one of the children replaces the node. Restrictions of decision
/// diagrams to values of variables are cached.
#[derive(Clone, Debug)]
pub(super) struct WeightDiagrams {
    nodes: Vec<DiagramNode>,
    children: Vec<ResidualTable>,
    support: Vec<u32>,
    unique: FxHashMap<(u32, Box<[ResidualTable]>), ResidualTable>,
    restricted: FxHashMap<(ResidualTable, u32, u32), ResidualTable>,
    rng: Xoshiro256PlusPlus,
}

impl Default for WeightDiagrams {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            children: Vec::new(),
            support: Vec::new(),
            unique: FxHashMap::default(),
            restricted: FxHashMap::default(),
            rng: Xoshiro256PlusPlus::seed_from_u64(0x7461_626c_6573),
        }
    }
}

impl WeightDiagrams {
    /// Builds the decision diagram of a table from its non-zero entries, given as ascending rows of values of `variables` and a symbol for each row.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] if the deadline passes or an interrupt occurs.
    pub(super) fn table(
        &mut self,
        variables: &[u32],
        cards: &[u32],
        (rows, symbols): (&[u32], &[u32]),
        until: &Until,
    ) -> Result<ResidualTable, EliminationError> {
        let arity = variables.len();
        let mut tables: Vec<ResidualTable> = symbols
            .iter()
            .map(|&s| ResidualTable::constant(s))
            .collect();
        // For each node under construction, the index of its first row.
        let mut firsts: Vec<usize> = (0..symbols.len()).collect();
        for depth in (0..arity).rev() {
            let prefix = |row: usize| &rows[row * arity..][..depth];
            let value = |row: usize| rows[row * arity + depth] as usize;
            let (mut above, mut firsts_above) = (Vec::new(), Vec::new());
            let mut at = 0;
            while at < tables.len() {
                if above.len().is_multiple_of(LOOK_INTERVAL) {
                    check_interrupt(until)?;
                }
                let first = firsts[at];
                let mut children = vec![ResidualTable::DONT_CARE; cards[depth] as usize];
                while at < tables.len() && prefix(firsts[at]) == prefix(first) {
                    children[value(firsts[at])] = tables[at];
                    at += 1;
                }
                above.push(self.node(variables[depth], children));
                firsts_above.push(first);
            }
            (tables, firsts) = (above, firsts_above);
        }
        Ok(tables.first().copied().unwrap_or(ResidualTable::DONT_CARE))
    }

    fn node(&mut self, variable: u32, children: Vec<ResidualTable>) -> ResidualTable {
        let mut different = children
            .iter()
            .filter(|&&child| child != ResidualTable::DONT_CARE);
        let Some(&first) = different.next() else {
            return ResidualTable::DONT_CARE;
        };
        if different.all(|&child| child == first) {
            return first;
        }
        let key = (variable, children.into_boxed_slice());
        if let Some(&table) = self.unique.get(&key) {
            return table;
        }
        let mut support = vec![variable];
        for &child in &key.1 {
            support.extend_from_slice(self.support(child));
        }
        support.sort_unstable();
        support.dedup();
        let table = ResidualTable(self.nodes.len() as u32);
        self.nodes.push(DiagramNode {
            variable,
            children: (self.children.len() as u32, key.1.len() as u32),
            support: (self.support.len() as u32, support.len() as u32),
            key: u128::from(self.rng.next_u64()) << 64 | u128::from(self.rng.next_u64()),
        });
        self.children.extend_from_slice(&key.1);
        self.support.extend(support);
        self.unique.insert(key, table);
        table
    }

    /// Returns the variables on which the residual table `table` depends, in ascending order.
    pub(super) fn support(&self, table: ResidualTable) -> &[u32] {
        if table.is_leaf() {
            return &[];
        }
        let (start, len) = self.nodes[table.0 as usize].support;
        &self.support[start as usize..][..len as usize]
    }

    /// Returns the number that the residual table `table` adds to the hash of a component; the table must not be constant.
    pub(super) fn key(&self, table: ResidualTable) -> ComponentHash {
        self.nodes[table.0 as usize].key
    }

    fn child(&self, table: ResidualTable, i: u32) -> ResidualTable {
        self.children[(self.nodes[table.0 as usize].children.0 + i) as usize]
    }

    /// Returns the part of the residual table `table` in which `variable` has the value `value`.
    pub(super) fn restrict(
        &mut self,
        table: ResidualTable,
        variable: u32,
        value: u32,
    ) -> ResidualTable {
        if let Some(known) = self.known_restriction(table, variable, value) {
            return known;
        }
        let mut stack = vec![table];
        while let Some(&top) = stack.last() {
            let count = self.nodes[top.0 as usize].children.1;
            let pending = stack.len();
            for i in 0..count {
                let child = self.child(top, i);
                if self.known_restriction(child, variable, value).is_none() {
                    stack.push(child);
                }
            }
            if stack.len() > pending {
                continue;
            }
            stack.pop();
            let known = |i| {
                let child = self.child(top, i);
                self.known_restriction(child, variable, value)
                    .unwrap_or(child)
            };
            let children = (0..count).map(known).collect();
            let restricted = self.node(self.nodes[top.0 as usize].variable, children);
            self.restricted.insert((top, variable, value), restricted);
        }
        self.known_restriction(table, variable, value)
            .unwrap_or(table)
    }

    fn known_restriction(
        &self,
        table: ResidualTable,
        variable: u32,
        value: u32,
    ) -> Option<ResidualTable> {
        if self.support(table).binary_search(&variable).is_err() {
            return Some(table);
        }
        if self.nodes[table.0 as usize].variable == variable {
            return Some(self.child(table, value));
        }
        self.restricted.get(&(table, variable, value)).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        // The children of a node are stored twice: in the list of nodes, and in the node's key in the table of unique nodes. Each key is one
        // allocation.
        self.nodes.len() * (size_of::<DiagramNode>() + ALLOCATION_BYTES)
            + self.children.len() * 2 * size_of::<ResidualTable>()
            + self.support.len() * size_of::<u32>()
            + hash_table_bytes::<((u32, Box<[ResidualTable]>), ResidualTable)>(
                self.unique.capacity(),
            )
            + hash_table_bytes::<((ResidualTable, u32, u32), ResidualTable)>(
                self.restricted.capacity(),
            )
    }

    /// Returns the length of the longest list with 32-bit indices in the diagrams. The length of the list of diagram nodes is doubled for this
    /// comparison, because half of the indices are for leaves.
    pub(super) fn positions(&self) -> usize {
        let nodes = 2 * self.nodes.len();
        nodes.max(self.children.len()).max(self.support.len())
    }
}
