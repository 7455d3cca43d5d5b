//! Elements numbered for evaluation.

use rustc_hash::FxHashMap;

use crate::datum::Datum;
use crate::error::ModelError;
use crate::evidence::Evidence;
use crate::model::Model;
use crate::node::{AnyElement, ElementId};

/// How many elements created by Chains are kept from world to world.
const KEPT: usize = 1 << 18;

/// The number of an element in a [`Program`].
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
    pub(super) branches: FxHashMap<Box<[Datum]>, Slot>,
    pub(super) checked: bool,
}

/// A model and some targets, ready to run world after world.
pub struct Program {
    pub(super) instructions: Vec<Instruction>,
    pub(super) values: Vec<Option<Datum>>,
    pub(super) touched: Vec<Slot>,
    pub(super) limit: usize,
    slots: FxHashMap<ElementId, Slot>,
    evidence: FxHashMap<ElementId, Vec<Evidence>>,
    interventions: FxHashMap<ElementId, Datum>,
    pub(super) roots: Vec<Slot>,
    targets: Vec<Slot>,
    lasting: usize,
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
    /// Numbers what the targets and the evidence of `model` reach in every world.
    ///
    /// A world that reaches more than `limit` elements is an error.
    pub fn new(model: &Model, targets: &[AnyElement], limit: usize) -> Result<Self, ModelError> {
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
            limit,
            slots: FxHashMap::default(),
            evidence,
            interventions: interventions.map(|(e, v)| (e.id(), v.clone())).collect(),
            roots: Vec::new(),
            targets: Vec::new(),
            lasting: 0,
        };
        // Observations first: what they determine need not be drawn.
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
            program.check_limit()?;
            program.link(Slot(next as u32));
            next += 1;
        }
        program.lasting = program.instructions.len();
        Ok(program)
    }

    /// The slots of the targets, in the order they were given.
    pub fn targets(&self) -> &[Slot] {
        &self.targets
    }

    /// The value of a slot in the world that ran last, if it was part of it.
    pub fn value(&self, slot: Slot) -> Option<&Datum> {
        self.values[slot.index()].as_ref()
    }

    /// How many elements the world that ran last evaluated.
    pub fn evaluated(&self) -> usize {
        self.touched.len()
    }

    /// All elements of the world that ran last with their values, in the order they were evaluated.
    pub fn world(&self) -> impl Iterator<Item = (&AnyElement, &Datum)> {
        self.touched.iter().filter_map(|slot| {
            let value = self.values[slot.index()].as_ref()?;
            Some((&self.instructions[slot.index()].element, value))
        })
    }

    pub(super) fn check_limit(&self) -> Result<(), ModelError> {
        match self.instructions.get(self.limit) {
            Some(instruction) => Err(ModelError::TooManyElements {
                element: instruction.element.label(),
                limit: self.limit,
            }),
            None => Ok(()),
        }
    }

    /// The slot of an element, which joins the program if it is new.
    pub(super) fn slot(&mut self, element: &AnyElement) -> Slot {
        let id = element.id();
        if let Some(&slot) = self.slots.get(&id) {
            return slot;
        }
        let slot = Slot(self.instructions.len() as u32);
        self.slots.insert(id, slot);
        self.values.push(None);
        self.instructions.push(Instruction {
            element: element.clone(),
            parents: None,
            evidence: self.evidence.get(&id).cloned().unwrap_or_default(),
            fixed: self.interventions.get(&id).cloned(),
            branches: FxHashMap::default(),
            checked: false,
        });
        slot
    }

    /// Makes sure that the parents of a slot have slots.
    pub(super) fn link(&mut self, slot: Slot) {
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

    /// Forgets the last world, and the elements of Chains if they have become too many.
    pub(super) fn reset(&mut self) {
        for slot in self.touched.drain(..) {
            self.values[slot.index()] = None;
        }
        if self.instructions.len() > self.lasting + KEPT {
            self.instructions.truncate(self.lasting);
            self.values.truncate(self.lasting);
            let lasting = self.lasting as u32;
            self.slots.retain(|_, slot| slot.0 < lasting);
            for instruction in &mut self.instructions {
                instruction.branches.clear();
            }
        }
    }
}
