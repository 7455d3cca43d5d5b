//! Independent components of the atoms that are undecided after a partial assignment.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::clause_database::{ClauseDatabase, ClauseId};
use super::component_cache::ComponentHash;
use super::literal::AtomLiteral;
use super::logical_form::LogicalForm;
use super::propagator::{ClausePropagator, Truth};
use super::weight_diagrams::ResidualTable;

/// Maximum stamp (visit number) with which a traversal of the incidence graph marks nodes; after this number, the stamps start again.
const MAX_STAMP: u32 = 1 << 30;

/// A connected component of undecided atoms, given by its hash and by the range of its atoms in the list `members`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenComponent {
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) hash: ComponentHash,
}

/// Incidence graph of atoms, given clauses and residual tables (tables restricted to the remaining values), with working memory for its traversal.
///
/// Learned clauses are not in the incidence graph, because they would connect independent components.
#[derive(Clone, Debug)]
pub(super) struct ComponentFinder {
    /// For each atom, the other atoms in its clauses of two literals, without repetition.
    neighbours: Vec<Vec<u32>>,
    /// For each atom, the clauses of at least three literals that contain it.
    clauses: Vec<Vec<ClauseId>>,
    /// For each variable, the factors that have weights and contain the variable.
    pub(super) factors: Vec<Vec<u32>>,
    /// The current residual table of each factor, that is, its table for the remaining values.
    pub(super) residuals: Vec<ResidualTable>,
    atom_keys: Vec<u128>,
    clause_keys: Vec<u128>,
    atom_stamps: Vec<u32>,
    clause_stamps: Vec<u32>,
    factor_stamps: Vec<u32>,
    variable_stamps: Vec<u32>,
    /// For each variable, the number of its open (undecided) atoms when its component was found.
    open_values: Vec<u32>,
    stamp: u32,
    /// For each atom, the number of its open clauses and tables at the time when its component was found.
    pub(super) frequency: Vec<u32>,
    /// The atoms of the components that are still to be searched, one component after another.
    pub(super) members: Vec<u32>,
}

impl ComponentFinder {
    /// Creates the incidence graph of the clauses of `form`; `long` contains the clauses of at least three literals.
    pub(super) fn new(form: &LogicalForm, long: &ClauseDatabase) -> Self {
        let atoms = form.atoms.len();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x66_6967_7273);
        let mut key = || u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let mut neighbours = vec![Vec::new(); atoms];
        for clause in form.clauses.iter().filter(|clause| clause.len() == 2) {
            let [a, b] = [clause[0].atom(), clause[1].atom()];
            neighbours[a].push(b as u32);
            neighbours[b].push(a as u32);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let mut clauses = vec![Vec::new(); atoms];
        let places = long.len();
        for id in 0..places as ClauseId {
            for literal in long.literals(id) {
                clauses[literal.atom()].push(id);
            }
        }
        let mut factors = vec![Vec::new(); form.atoms.cardinalities.len()];
        for (factor, &root) in (0..).zip(&form.roots) {
            for &v in form.diagrams.support(root) {
                factors[v as usize].push(factor);
            }
        }
        Self {
            neighbours,
            clauses,
            factors,
            residuals: form.roots.clone(),
            atom_keys: (0..atoms).map(|_| key()).collect(),
            clause_keys: (0..places).map(|_| key()).collect(),
            atom_stamps: vec![0; atoms],
            clause_stamps: vec![0; places],
            factor_stamps: vec![0; form.roots.len()],
            variable_stamps: vec![0; form.atoms.cardinalities.len()],
            open_values: vec![0; form.atoms.cardinalities.len()],
            stamp: 0,
            frequency: vec![0; atoms],
            members: Vec::new(),
        }
    }

    /// Returns the approximate memory of the incidence graph in bytes, without the list of members.
    pub(super) fn bytes(&self) -> usize {
        let lists = |lists: &[Vec<u32>]| -> usize {
            lists
                .iter()
                .map(|list| size_of_val(list) + 4 * list.capacity())
                .sum()
        };
        lists(&self.neighbours)
            + lists(&self.clauses)
            + lists(&self.factors)
            + self.atom_keys.len() * (size_of::<ComponentHash>() + 8)
            + self.clause_keys.len() * (size_of::<ComponentHash>() + 4)
            + self.residuals.len() * (size_of::<ResidualTable>() + 4)
            + self.variable_stamps.len() * 8
    }

    pub(super) fn begin(&mut self) {
        if self.stamp == MAX_STAMP {
            self.stamp = 0;
            self.atom_stamps.fill(0);
            self.clause_stamps.fill(0);
            self.factor_stamps.fill(0);
            self.variable_stamps.fill(0);
        }
        self.stamp += 1;
    }

    /// Returns the component of the open (undecided) atom `atom`, and appends its atoms to `members`; `None` if this traversal has already visited
    /// the atom.
    pub(super) fn component_of(
        &mut self,
        atom: u32,
        form: &LogicalForm,
        propagator: &ClausePropagator,
    ) -> Option<OpenComponent> {
        if !propagator.is_open(atom as usize) || self.atom_stamps[atom as usize] == self.stamp {
            return None;
        }
        let start = self.members.len();
        let mut hash = 0u128;
        self.atom_stamps[atom as usize] = self.stamp;
        self.members.push(atom);
        let mut next = start;
        while let Some(&atom) = self.members.get(next) {
            next += 1;
            hash = hash.wrapping_add(self.atom_keys[atom as usize]);
            let mut frequency = 0;
            for i in 0..self.neighbours[atom as usize].len() {
                let other = self.neighbours[atom as usize][i];
                if propagator.is_open(other as usize) {
                    frequency += 1;
                    self.visit(other);
                }
            }
            for i in 0..self.clauses[atom as usize].len() {
                let clause = self.clauses[atom as usize][i];
                frequency += self.visit_clause(clause, propagator, &mut hash);
            }
            let variable = form.atoms.variables[atom as usize];
            frequency += self.visit_values(variable, form, propagator) - 1;
            frequency += self.visit_tables(variable, form, propagator, &mut hash);
            self.frequency[atom as usize] = frequency;
        }
        Some(OpenComponent {
            start: start as u32,
            len: (self.members.len() - start) as u32,
            hash,
        })
    }

    #[inline]
    fn visit(&mut self, atom: u32) {
        if std::mem::replace(&mut self.atom_stamps[atom as usize], self.stamp) != self.stamp {
            self.members.push(atom);
        }
    }

    /// Visits the undecided atoms of the variable `variable`, unless this traversal has already visited the variable; returns their number.
    fn visit_values(
        &mut self,
        variable: u32,
        form: &LogicalForm,
        propagator: &ClausePropagator,
    ) -> u32 {
        let v = variable as usize;
        if std::mem::replace(&mut self.variable_stamps[v], self.stamp) != self.stamp {
            let mut open = 0;
            for atom in form.atoms.of(variable) {
                if propagator.is_open(atom as usize) {
                    open += 1;
                    self.visit(atom);
                }
            }
            self.open_values[v] = open;
        }
        self.open_values[v]
    }

    /// Returns the variable of a component if the component consists only of undecided atoms of this variable; otherwise `None`. The only open clause
    /// of a component of one variable states that the variable has one of its open values, and only tables of this variable distinguish these values.
    pub(super) fn lone_variable(
        &self,
        component: OpenComponent,
        form: &LogicalForm,
        propagator: &ClausePropagator,
    ) -> Option<u32> {
        let members = &self.members[component.start as usize..][..component.len as usize];
        let &first = members.first()?;
        let variable = form.atoms.variables[first as usize];
        let open = self.open_values[variable as usize];
        if open != component.len || open < 2 {
            return None;
        }
        let is_read = |&&factor: &&u32| {
            let support = form.diagrams.support(self.residuals[factor as usize]);
            support.binary_search(&variable).is_ok()
        };
        let tables = self.factors[variable as usize].iter().filter(is_read);
        // The frequency of each atom of this variable counts the other open values, the tables, and one clause.
        let alone = open + tables.count() as u32;
        let mut atoms = members.iter();
        if !atoms.all(|&atom| self.frequency[atom as usize] == alone) {
            return None;
        }
        let is_open = |literal: &AtomLiteral| propagator.truth(*literal) == Truth::Open;
        let says_some = |&clause: &ClauseId| {
            let literals = propagator.clauses.literals(clause).iter();
            let mut open_literals = 0;
            for literal in literals {
                if propagator.truth(*literal) == Truth::True
                    || (is_open(literal) && !literal.is_positive())
                {
                    return false;
                }
                open_literals += u32::from(is_open(literal));
            }
            open_literals == open
        };
        (self.clauses[first as usize].iter().any(says_some)).then_some(variable)
    }

    fn visit_clause(
        &mut self,
        clause: ClauseId,
        propagator: &ClausePropagator,
        hash: &mut ComponentHash,
    ) -> u32 {
        // The lowest bit of a clause's stamp is set if the clause is open.
        let stamp = self.stamp << 1;
        let known = self.clause_stamps[clause as usize];
        if known | 1 == stamp | 1 {
            return known & 1;
        }
        let literals = propagator.clauses.literals(clause);
        if literals.iter().any(|&l| propagator.truth(l) == Truth::True) {
            self.clause_stamps[clause as usize] = stamp;
            return 0;
        }
        self.clause_stamps[clause as usize] = stamp | 1;
        *hash = hash.wrapping_add(self.clause_keys[clause as usize]);
        for literal in literals {
            if propagator.truth(*literal) == Truth::Open {
                self.visit(literal.atom() as u32);
            }
        }
        1
    }

    fn visit_tables(
        &mut self,
        variable: u32,
        form: &LogicalForm,
        propagator: &ClausePropagator,
        hash: &mut ComponentHash,
    ) -> u32 {
        let mut count = 0;
        for i in 0..self.factors[variable as usize].len() {
            let factor = self.factors[variable as usize][i];
            let residual = self.residuals[factor as usize];
            let support = form.diagrams.support(residual);
            if support.binary_search(&variable).is_err() {
                continue;
            }
            count += 1;
            if std::mem::replace(&mut self.factor_stamps[factor as usize], self.stamp) == self.stamp
            {
                continue;
            }
            *hash = hash.wrapping_add(form.diagrams.key(residual));
            for &other in support {
                for atom in form.atoms.of(other) {
                    if propagator.is_open(atom as usize) {
                        self.visit(atom);
                    }
                }
            }
        }
        count
    }
}
