//! Weights of factors as decision diagrams that share equal parts: residual tables are known by their content.

use rustc_hash::FxHashMap;

/// A residual table: a leaf or an inner node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ResidualTable(u32);

/// A leaf.
const LEAF: u32 = 1 << 31;

impl ResidualTable {
    /// No entry is left that is not zero, so that any weight will do.
    pub(super) const ANY: Self = Self(u32::MAX);

    /// A constant: a symbol, by its number.
    pub(super) fn constant(symbol: u32) -> Self {
        Self(symbol | LEAF)
    }

    pub(super) fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }

    /// The symbol of a constant.
    pub(super) fn symbol(self) -> Option<u32> {
        (self.is_leaf() && self != Self::ANY).then_some(self.0 & !LEAF)
    }

    /// A number for hashing.
    pub(super) fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Debug)]
struct DiagramNode {
    variable: u32,
    /// Where its children and its support begin, and their numbers.
    children: (u32, u32),
    support: (u32, u32),
}

/// Diagrams of the weights of all factors, with equal nodes stored once.
///
/// A node whose children are equal is replaced by its child; a child without entries equals any other. Restrictions are
/// remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct WeightDiagrams {
    nodes: Vec<DiagramNode>,
    children: Vec<ResidualTable>,
    support: Vec<u32>,
    unique: FxHashMap<(u32, Box<[ResidualTable]>), ResidualTable>,
    restricted: FxHashMap<(ResidualTable, u32, u32), ResidualTable>,
}

impl WeightDiagrams {
    /// The diagram of a table given by its entries that are not zero: rows of `arity` values in ascending order, with a symbol each.
    pub(super) fn table(
        &mut self,
        variables: &[u32],
        cards: &[u32],
        rows: &[u32],
        symbols: &[u32],
    ) -> ResidualTable {
        let arity = variables.len();
        let mut tables: Vec<ResidualTable> = symbols
            .iter()
            .map(|&s| ResidualTable::constant(s))
            .collect();
        // The first row of each table.
        let mut firsts: Vec<usize> = (0..symbols.len()).collect();
        for depth in (0..arity).rev() {
            let prefix = |row: usize| &rows[row * arity..][..depth];
            let value = |row: usize| rows[row * arity + depth] as usize;
            let (mut above, mut firsts_above) = (Vec::new(), Vec::new());
            let mut at = 0;
            while at < tables.len() {
                let first = firsts[at];
                let mut children = vec![ResidualTable::ANY; cards[depth] as usize];
                while at < tables.len() && prefix(firsts[at]) == prefix(first) {
                    children[value(firsts[at])] = tables[at];
                    at += 1;
                }
                above.push(self.node(variables[depth], children));
                firsts_above.push(first);
            }
            (tables, firsts) = (above, firsts_above);
        }
        tables.first().copied().unwrap_or(ResidualTable::ANY)
    }

    fn node(&mut self, variable: u32, children: Vec<ResidualTable>) -> ResidualTable {
        let mut different = children
            .iter()
            .filter(|&&child| child != ResidualTable::ANY);
        let Some(&first) = different.next() else {
            return ResidualTable::ANY;
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
        });
        self.children.extend_from_slice(&key.1);
        self.support.extend(support);
        self.unique.insert(key, table);
        table
    }

    /// The variables that a residual table depends on, ascending.
    pub(super) fn support(&self, table: ResidualTable) -> &[u32] {
        if table.is_leaf() {
            return &[];
        }
        let (start, len) = self.nodes[table.0 as usize].support;
        &self.support[start as usize..][..len as usize]
    }

    fn child(&self, table: ResidualTable, i: u32) -> ResidualTable {
        self.children[(self.nodes[table.0 as usize].children.0 + i) as usize]
    }

    /// The residual table of a value of a variable.
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

    /// Approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() * 64
            + self.children.len() * 8
            + self.support.len() * 4
            + self.restricted.len() * 24
    }
}
