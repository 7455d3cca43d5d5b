//! Answers of compiled junction trees and circuits.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use figrs::prelude::*;
use figrs::{Circuit, Compiled, CompiledCircuit, CompiledTree, LogEvidence, World};
use figrs_command::{Progress, stop};

use super::super::findings::{Cost, Findings};
use super::super::options::{Task, limits};
use super::Question;

impl Question {
    pub(super) fn by_tree(&self) -> Result<Findings, figrs::Error> {
        let started = Instant::now();
        if self.options.task == Task::Cost {
            let cost = JunctionTree::new().cost(&self.model, self.targets())?;
            return Ok(Findings {
                compile: Some(started.elapsed()),
                cost: Some(Cost {
                    slices: None,
                    width: cost.width,
                    operations: cost.operations,
                    table_bytes: cost.memory_kept as u64,
                }),
                ..Findings::default()
            });
        }
        let tree = JunctionTree::new()
            .limits(limits(&self.options))
            .compile(&self.model, self.targets())?;
        self.by_compiled_tree(&tree, started.elapsed())
    }

    pub(super) fn by_compiled_tree(
        &self,
        tree: &CompiledTree,
        compile: Duration,
    ) -> Result<Findings, figrs::Error> {
        let mut findings = Findings {
            compile: Some(compile),
            algorithm: Some(JunctionTree::new().name()),
            cost: Some(Cost {
                slices: None,
                width: tree.cost().width,
                operations: tree.cost().operations,
                table_bytes: tree.table_bytes(),
            }),
            ..Findings::default()
        };
        let started = Instant::now();
        match self.options.task {
            // These tasks never come here: other code handles them without a compiled form.
            Task::Cost
            | Task::Count
            | Task::Learn
            | Task::Convert
            | Task::Score
            | Task::Map
            | Task::Predict
            | Task::Decide => {}
            Task::Marginals => self.read(&tree.answer()?, &mut findings)?,
            Task::Evidence => {
                let value = tree.log_evidence();
                findings.log_evidence = Some(LogEvidence {
                    value,
                    standard_error: 0.0,
                });
            }
            Task::Mpe | Task::KBest => self.read_worlds(tree, &mut findings)?,
            Task::Sample => self.draw(tree.samples(self.seed())?, &mut findings)?,
        }
        findings.query = Some(started.elapsed());
        Ok(findings)
    }

    /// Draws worlds until the requested number is reached, or until the command is asked to stop.
    fn draw(
        &self,
        worlds: impl Iterator<Item = World>,
        findings: &mut Findings,
    ) -> Result<(), figrs::Error> {
        let count = self.options.count.unwrap_or(10) as usize;
        let progress = Progress::of("samples", Some(count as u64));
        for (done, world) in (1..).zip(worlds.take(count)) {
            let states = world.values(self.asked())?;
            let samples = self.samples.lock();
            samples.unwrap_or_else(PoisonError::into_inner).push(states);
            progress.set(done);
            if stop::is_set() {
                break;
            }
        }
        let drawn = self.so_far();
        findings.samples = drawn.and_then(|drawn| drawn.samples);
        let is_all = (findings.samples.as_ref()).is_some_and(|all| all.len() == count);
        findings.stopped = stop::reason().filter(|_| !is_all);
        Ok(())
    }

    pub(super) fn by_circuit(&self) -> Result<Findings, figrs::Error> {
        let circuit = self.circuit();
        if matches!(self.options.task, Task::Marginals | Task::Evidence) {
            return self.by(&circuit);
        }
        let started = Instant::now();
        let compiled = circuit.compile(&self.model, self.targets())?;
        self.by_compiled_circuit(&compiled, started.elapsed())
    }

    pub(super) fn by_compiled_circuit(
        &self,
        circuit: &CompiledCircuit,
        compile: Duration,
    ) -> Result<Findings, figrs::Error> {
        let mut findings = Findings {
            compile: Some(compile),
            algorithm: Some(Circuit::new().name()),
            ..Findings::default()
        };
        let started = Instant::now();
        match self.options.task {
            Task::Sample => self.draw(circuit.samples(self.seed())?, &mut findings)?,
            _ => self.read_worlds(circuit, &mut findings)?,
        }
        findings.query = Some(started.elapsed());
        Ok(findings)
    }

    /// Reads the most probable world, or several worlds, from an answer.
    fn read_worlds(
        &self,
        compiled: &impl Compiled,
        findings: &mut Findings,
    ) -> Result<(), figrs::Error> {
        if self.options.task == Task::Mpe {
            findings.mpe = Some(self.found(&compiled.most_probable()?)?);
            return Ok(());
        }
        let worlds = compiled.k_best(self.options.count.unwrap_or(5) as usize)?;
        if worlds.is_empty() {
            // If no world is possible, `most_probable` returns an error that states the contradictory evidence.
            compiled.most_probable()?;
        }
        let worlds = worlds.iter().map(|world| self.found(world));
        findings.worlds = Some(worlds.collect::<Result<_, _>>()?);
        Ok(())
    }
}
