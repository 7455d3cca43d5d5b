//! Registers, which store the values of the nodes of a trace (a world that a Markov chain changes).
//!
//! The re-evaluation of a world after a proposal reads values immediately after it has written them. If a number is written as part of a [`Datum`]
//! and then loaded together with its type tag, the processor delays the load until the number is in the cache. Such a delayed load takes longer than
//! the computation of the number's log-probability. To avoid delayed loads, a register stores a number or a truth value as a machine word, and is
//! copied word by word.

use std::any::Any;

use figrs_core::value::datum::{Datum, Plain, PlainType};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterContent {
    Nothing,
    Plain(PlainType),
    Shared,
}

/// A register: the value of a node, or no value.
#[derive(Clone, Debug)]
pub(super) struct ValueRegister {
    /// The bits of a number or a truth value (a plain value).
    word: u64,
    /// A value that is neither a number nor a truth value.
    shared: Option<Datum>,
    held: RegisterContent,
}

impl Default for ValueRegister {
    #[inline]
    fn default() -> Self {
        Self {
            word: 0,
            shared: None,
            held: RegisterContent::Nothing,
        }
    }
}

impl ValueRegister {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.held == RegisterContent::Nothing
    }

    #[inline]
    pub(super) fn number(&self) -> Option<f64> {
        (self.held == RegisterContent::Plain(PlainType::F64)).then(|| f64::from_bits(self.word))
    }

    #[inline]
    pub(super) fn truth(&self) -> Option<bool> {
        (self.held == RegisterContent::Plain(PlainType::Bool)).then_some(self.word != 0)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.shared.as_ref().map_or(0, Datum::heap_bytes)
    }

    pub(super) fn datum(&self) -> Option<Datum> {
        match self.held {
            RegisterContent::Nothing => None,
            RegisterContent::Plain(form) => Some(Plain::from_word(form, self.word).into()),
            RegisterContent::Shared => self.shared.clone(),
        }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        if self.held == RegisterContent::Shared {
            self.shared = None;
        }
        self.held = RegisterContent::Nothing;
    }

    #[inline]
    pub(super) fn copy(&mut self, from: &Self) {
        self.word = from.word;
        if self.held == RegisterContent::Shared || from.held == RegisterContent::Shared {
            self.shared.clone_from(&from.shared);
        }
        self.held = from.held;
    }

    #[inline]
    pub(super) fn take(&mut self, from: &mut Self) {
        self.word = from.word;
        if self.held == RegisterContent::Shared || from.held == RegisterContent::Shared {
            self.shared = from.shared.take();
        }
        self.held = std::mem::replace(&mut from.held, RegisterContent::Nothing);
    }

    #[inline]
    pub(super) fn set(&mut self, value: &Datum) {
        if let Some((form, word)) = value.word() {
            self.clear();
            (self.word, self.held) = (word, RegisterContent::Plain(form));
        } else {
            self.shared = Some(value.clone());
            self.held = RegisterContent::Shared;
        }
    }

    #[inline]
    pub(super) fn holds(&self, value: &Datum) -> bool {
        match (self.held, value.word()) {
            (RegisterContent::Plain(form), Some((other, word))) => {
                form == other && form.same(self.word, word)
            }
            (RegisterContent::Shared, None) => self.shared.as_ref() == Some(value),
            _ => false,
        }
    }

    /// Returns the number or truth value in the register, for a call of [`any`](Self::any); if the register has another value, the result has no
    /// meaning.
    #[inline]
    pub(super) fn plain(&self) -> Plain {
        match self.held {
            RegisterContent::Plain(form) => Plain::from_word(form, self.word),
            RegisterContent::Nothing | RegisterContent::Shared => Plain::Bool(false),
        }
    }

    /// Returns the value in the register as `dyn Any`; `plain` must be the result of [`plain`](Self::plain).
    #[inline]
    pub(super) fn any<'a>(&'a self, plain: &'a Plain) -> Option<&'a dyn Any> {
        match self.held {
            RegisterContent::Nothing => None,
            RegisterContent::Plain(_) => Some(plain.as_any()),
            RegisterContent::Shared => self.shared.as_ref().map(Datum::as_any),
        }
    }
}

impl From<Option<&Datum>> for ValueRegister {
    #[inline]
    fn from(value: Option<&Datum>) -> Self {
        let mut register = Self::default();
        if let Some(value) = value {
            register.set(value);
        }
        register
    }
}

impl PartialEq for ValueRegister {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (self.held, other.held) {
            (RegisterContent::Plain(form), RegisterContent::Plain(theirs)) => {
                form == theirs && form.same(self.word, other.word)
            }
            (RegisterContent::Nothing, RegisterContent::Nothing) => true,
            (RegisterContent::Shared, RegisterContent::Shared) => self.shared == other.shared,
            _ => false,
        }
    }
}

/// A list of value registers whose memory is used again after the list has been cleared.
#[derive(Debug, Default)]
pub(super) struct RegisterList {
    registers: Vec<ValueRegister>,
    count: usize,
}

impl RegisterList {
    /// Appends a value to the list; returns the new length of the list.
    pub(super) fn push(&mut self, value: &Datum) -> usize {
        if self.registers.len() == self.count {
            self.registers.push(ValueRegister::default());
        }
        self.registers[self.count].set(value);
        self.count += 1;
        self.count
    }

    pub(super) fn get(&self, index: usize) -> &ValueRegister {
        &self.registers[index]
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        self.registers.capacity() * size_of::<ValueRegister>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(value: Datum) -> ValueRegister {
        ValueRegister::from(Some(&value))
    }

    #[test]
    fn a_register_gives_back_what_it_holds() {
        let values = [
            Datum::new(true),
            Datum::new('ß'),
            Datum::new(-3_i8),
            Datum::new(i64::MIN),
            Datum::new(u64::MAX),
            Datum::new(-0.5_f32),
            Datum::new(f64::NAN),
            Datum::new("text"),
            Datum::new(vec![1, 2]),
        ];
        for (i, value) in values.iter().enumerate() {
            let held = register(value.clone());
            assert_eq!(held.datum().as_ref(), Some(value));
            assert_eq!(
                held.any(&held.plain()).map(|any| value.same_as(any)),
                Some(true)
            );
            for (j, other) in values.iter().enumerate() {
                assert_eq!(held.holds(other), i == j);
                let mut copy = register(other.clone());
                assert_eq!(copy == held, i == j);
                copy.copy(&held);
                assert_eq!(copy, held);
                let mut taken = register(other.clone());
                taken.take(&mut copy);
                assert!(taken == held && copy.is_empty() && copy != held);
            }
        }
    }

    #[test]
    fn zeros_are_one_value() {
        assert_eq!(register(Datum::new(0.0)), register(Datum::new(-0.0)));
        assert!(register(Datum::new(0.0_f32)).holds(&Datum::new(-0.0_f32)));
        assert_ne!(register(Datum::new(0_u8)), register(Datum::new(0_u16)));
        assert!(
            ValueRegister::default() == ValueRegister::default()
                && ValueRegister::default().is_empty()
        );
    }
}
