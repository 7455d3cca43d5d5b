//! Programs: elements numbered for evaluation.

use rustc_hash::FxHashMap;

use crate::limit::WorldLimit;
use figrs_core::element::node::{AnyElement, ElementId, Kind};
use figrs_core::error::ModelError;
use figrs_core::model::Model;
use figrs_core::model::evidence::Evidence;
use figrs_core::value::datum::Datum;

/// Maximum number of Chain-created elements, and of branches of Chains, cached from world to world.
const MAX_CACHED: usize = 1 << 18;

/// Size of an element in a program in bytes: the lists of a program double, and a parent and its value have slots too.
const SLOT: usize = 2 * (size_of::<Instruction>() + size_of::<Option<Datum>>() + 40);

/// The index of an element in a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(super) u32);

impl Slot {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

pub(super) struct Instruction {
    pub(super) element: AnyElement,
    pub(super) parents: Option<Box<[Slot]>>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) fixed: Option<Datum>,
    /// Values that observations imply for the element.
    pub(super) implied: Vec<Datum>,
    pub(super) branches: FxHashMap<Box<[Datum]>, Slot>,
    pub(super) checked: bool,
    pub(super) continuous: Option<bool>,
}

/// A compiled model with its targets: runs one world after another.
pub struct Program {
    pub(super) instructions: Vec<Instruction>,
    pub(super) values: Vec<Option<Datum>>,
    pub(super) touched: Vec<Slot>,
    pub(super) limit: WorldLimit,
    /// Size in bytes of the elements that Chains made, and of their records here.
    pub(super) made: u64,
    /// Heap size in bytes of the values of the world.
    pub(super) held: u64,
    slots: FxHashMap<ElementId, Slot>,
    evidence: FxHashMap<ElementId, Vec<Evidence>>,
    interventions: FxHashMap<ElementId, (AnyElement, Datum)>,
    policies: FxHashMap<ElementId, (AnyElement, AnyElement)>,
    pub(super) roots: Vec<Slot>,
    targets: Vec<Slot>,
    permanent: usize,
    /// Number of cached branches of Chains.
    pub(super) remembered: usize,
    pub(super) densities: usize,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("instructions", &self.instructions.len())
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Numbers the elements that the targets and the evidence of `model` reach in every world.
    ///
    /// A world that exceeds the limit, a number of elements or a [`WorldLimit`], is an error.
    pub fn new(
        model: &Model,
        targets: &[AnyElement],
        limit: impl Into<WorldLimit>,
    ) -> Result<Self, ModelError> {
        let mut evidence = FxHashMap::<ElementId, Vec<Evidence>>::default();
        for (element, statement) in model.evidence() {
            let all = evidence.entry(element.id()).or_default();
            all.push(statement.clone());
        }
        let interventions = model.interventions().iter();
        let mut program = Self {
            instructions: Vec::new(),
            values: Vec::new(),
            touched: Vec::new(),
            limit: limit.into(),
            made: 0,
            held: 0,
            slots: FxHashMap::default(),
            evidence,
            interventions: interventions
                .map(|(e, v)| (e.id(), (e.clone(), v.clone())))
                .collect(),
            policies: model
                .policies()
                .iter()
                .map(|pair| (pair.0.id(), pair.clone()))
                .collect(),
            roots: Vec::new(),
            targets: Vec::new(),
            permanent: 0,
            remembered: 0,
            densities: 0,
        };
        // Observations first: elements that they determine need not be drawn.
        let observed = model
            .evidence()
            .iter()
            .filter(|(_, e)| e.observed().is_some());
        let others = model
            .evidence()
            .iter()
            .filter(|(_, e)| e.observed().is_none());
        for (element, _) in observed.chain(others) {
            let slot = program.slot(element);
            program.roots.push(slot);
        }
        for target in targets {
            let slot = program.slot(target);
            program.roots.push(slot);
            program.targets.push(slot);
        }
        let mut next = 0;
        while next < program.instructions.len() {
            program.check_limit(next)?;
            program.assign_parent_slots(Slot(next as u32));
            next += 1;
        }
        program.permanent = program.instructions.len();
        program.made = 0;
        program.propagate_observations();
        Ok(program)
    }

    /// Backward propagation of observations: elements whose values the observations imply are set and not drawn, regardless of which root comes
    /// first.
    fn propagate_observations(&mut self) {
        let mut demands: Vec<(Slot, Datum)> = Vec::new();
        for (i, instruction) in self.instructions.iter().enumerate() {
            let observed = instruction.evidence.iter().filter_map(Evidence::observed);
            demands.extend(observed.map(|value| (Slot(i as u32), value.clone())));
            if let Kind::Score(_, evidence) = instruction.element.kind() {
                demands.extend(
                    evidence
                        .observed()
                        .map(|value| (Slot(i as u32), value.clone())),
                );
            }
        }
        while let Some((slot, value)) = demands.pop() {
            let instruction = &mut self.instructions[slot.index()];
            if instruction.fixed.is_some() || instruction.implied.contains(&value) {
                continue;
            }
            let passed = match instruction.element.kind() {
                Kind::Apply(_, op) => op.demand(&value).unwrap_or_default(),
                Kind::Score(..) => vec![Some(value.clone())],
                Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => Vec::new(),
            };
            instruction.implied.push(value);
            let parents = instruction.parents.as_deref().unwrap_or_default();
            let passed = parents.iter().zip(passed);
            demands.extend(passed.filter_map(|(&parent, value)| Some((parent, value?))));
        }
    }

    /// Number of pieces of evidence.
    pub fn statements(&self) -> usize {
        self.roots.len() - self.targets.len()
    }

    /// The slots of the targets, in the order they were given.
    pub fn targets(&self) -> &[Slot] {
        &self.targets
    }

    /// The value of a slot in the last world that was run, if it was part of it.
    pub fn value(&self, slot: Slot) -> Option<&Datum> {
        self.values[slot.index()].as_ref()
    }

    /// Number of densities among the likelihoods in the weight of the last world. A world with fewer is infinitely
    /// more likely: where an observation mixes point masses and densities, the point masses dominate.
    pub fn densities(&self) -> usize {
        self.densities
    }

    /// Number of elements that the last world evaluated.
    pub fn evaluated(&self) -> usize {
        self.touched.len()
    }

    /// All elements of the last world with their values, in the order they were evaluated.
    pub fn world(&self) -> impl Iterator<Item = (&AnyElement, &Datum)> {
        self.touched.iter().filter_map(|slot| {
            let value = self.values[slot.index()].as_ref()?;
            Some((&self.instructions[slot.index()].element, value))
        })
    }

    fn check_limit(&self, reached: usize) -> Result<(), ModelError> {
        if reached >= self.limit.elements {
            return Err(ModelError::TooManyElements {
                element: self.instructions[reached].element.label(),
                limit: self.limit.elements,
            });
        }
        Ok(())
    }

    /// The slot of an element; a new element is added to the program.
    pub(super) fn slot(&mut self, element: &AnyElement) -> Slot {
        let id = element.id();
        if let Some(&slot) = self.slots.get(&id) {
            return slot;
        }
        if !self.interventions.contains_key(&id)
            && let Some((_, policy)) = self.policies.get(&id).cloned()
        {
            return self.slot(&policy);
        }
        let slot = Slot(self.instructions.len() as u32);
        self.made += SLOT as u64;
        self.slots.insert(id, slot);
        self.values.push(None);
        self.instructions.push(Instruction {
            element: element.clone(),
            parents: None,
            evidence: self.evidence.get(&id).cloned().unwrap_or_default(),
            fixed: self.interventions.get(&id).map(|(_, value)| value.clone()),
            implied: Vec::new(),
            branches: FxHashMap::default(),
            checked: false,
            continuous: None,
        });
        slot
    }

    /// Assigns slots to the parents of a slot.
    pub(super) fn assign_parent_slots(&mut self, slot: Slot) {
        let instruction = &self.instructions[slot.index()];
        if instruction.parents.is_some() {
            return;
        }
        let element = instruction.element.clone();
        let fixed = instruction.fixed.is_some();
        let parents: &[AnyElement] = if fixed { &[] } else { element.parents() };
        let slots = parents.iter().map(|parent| self.slot(parent)).collect();
        self.instructions[slot.index()].parents = Some(slots);
    }

    /// Clears the last world, and evicts the elements of Chains if they have become too many.
    pub(super) fn reset(&mut self) {
        self.densities = 0;
        self.held = 0;
        for slot in self.touched.drain(..) {
            self.values[slot.index()] = None;
        }
        if self.instructions.len() > self.permanent + MAX_CACHED
            || self.remembered > MAX_CACHED
            || self.limit.is_full(self.made)
        {
            (self.remembered, self.made) = (0, 0);
            self.instructions.truncate(self.permanent);
            self.values.truncate(self.permanent);
            let permanent = self.permanent as u32;
            self.slots.retain(|_, slot| slot.0 < permanent);
            for instruction in &mut self.instructions {
                instruction.branches.clear();
            }
        }
    }
}
