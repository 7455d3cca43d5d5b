//! Runs several chains of the Gibbs sampler on several threads; a run can be paused, continued and lengthened.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rand_xoshiro::Xoshiro256PlusPlus;

use super::Gibbs;
use super::chain_sums::{GibbsChainTally, GibbsSums};
use super::initial_assignment::{ForwardSampler, InitialAssignment};
use super::kernel::{GibbsKernel, GibbsState};
use figrs_answer::run::chain_run::ChainSampler;
use figrs_answer::{Absorption, Algorithm, Error, Partial, RunMonitor, SharedQuestion, in_order};
use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Support, stream};
use figrs_factor::Stopped;

/// Number of table entries that are read between two checks of the clock; reading this number of entries takes less than a millisecond.
pub(super) const SLICE: u64 = 100_000;

/// The schedule of the Gibbs chains: number of chains, burn-in, number of draws, and thinning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    pub(super) chains: usize,
    pub(super) burn_in: u64,
    pub(super) draws: u64,
    pub(super) thin: u64,
}

impl Schedule {
    /// Returns the number of sweeps that one Gibbs chain makes, including the burn-in.
    pub(super) fn sweeps(&self) -> u64 {
        self.burn_in
            .saturating_add(self.draws.saturating_mul(self.thin))
    }
}

/// The source of a target's value: a fixed value or a variable.
#[derive(Debug)]
enum TargetSource {
    Fixed(u32),
    Variable(usize),
}

/// Reads the values of the targets from an assignment of the variables.
#[derive(Debug)]
pub(super) struct TargetReader {
    kernel: GibbsKernel,
    targets: Vec<TargetSource>,
    /// The indices of the folded variables (functions of their parents that no Gibbs block updates) on which the targets depend, in topological order.
    needed: Vec<usize>,
}

impl TargetReader {
    pub(super) fn new(kernel: GibbsKernel, expansion: &Expansion, encoding: &Encoding) -> Self {
        let restriction = &kernel.reduced().restriction;
        let reading = |&position: &usize| {
            let variable = encoding.variable(position);
            let Some(v) = variable else {
                return TargetSource::Fixed(0);
            };
            match (
                &restriction.left[v.index()][..],
                restriction.open.binary_search(&v),
            ) {
                (_, Ok(open)) => TargetSource::Variable(open),
                (left, Err(_)) => TargetSource::Fixed(left.first().copied().unwrap_or_default()),
            }
        };
        let targets: Vec<TargetSource> = expansion.targets().iter().map(reading).collect();
        let mut wanted = vec![false; restriction.open.len()];
        for target in &targets {
            if let TargetSource::Variable(v) = target {
                wanted[*v] = true;
            }
        }
        let mut needed = Vec::new();
        for (index, definition) in kernel.folded().iter().enumerate().rev() {
            if wanted[definition.child] {
                definition.parents.iter().for_each(|&p| wanted[p] = true);
                needed.push(index);
            }
        }
        needed.reverse();
        Self {
            kernel,
            targets,
            needed,
        }
    }

    /// The Gibbs kernel that updates the variables of the graph.
    pub(super) fn kernel(&self) -> &GibbsKernel {
        &self.kernel
    }

    fn read(&self, values: &mut [u32], draws: &mut Vec<u32>) {
        for &index in &self.needed {
            let definition = &self.kernel.folded()[index];
            values[definition.child] = definition.value(values);
        }
        let restriction = &self.kernel.reduced().restriction;
        draws.extend(self.targets.iter().map(|reading| match reading {
            TargetSource::Fixed(value) => *value,
            TargetSource::Variable(v) => {
                restriction.left[restriction.open[*v].index()][values[*v] as usize]
            }
        }));
    }
}

/// One chain of the Gibbs sampler.
#[derive(Debug)]
pub(super) struct GibbsChain {
    state: GibbsState,
    rng: Xoshiro256PlusPlus,
    /// Index of the Gibbs block that is updated next.
    block: usize,
    pub(super) tally: GibbsChainTally,
}

impl GibbsChain {
    /// Advances the Gibbs chain by about `work` operations; returns `false` if the chain has made `goal` sweeps.
    fn advance(
        &mut self,
        reader: &TargetReader,
        (schedule, goal): (Schedule, u64),
        mut work: u64,
    ) -> bool {
        let kernel = &reader.kernel;
        while self.tally.sweeps < goal {
            while self.block < kernel.blocks() {
                kernel.update(self.block, &mut self.state, &mut self.rng);
                work = work.saturating_sub(kernel.cost(self.block));
                self.block += 1;
                if work == 0 {
                    return true;
                }
            }
            self.block = 0;
            self.tally.sweeps += 1;
            work = work.saturating_sub(1);
            let after = self.tally.sweeps.saturating_sub(schedule.burn_in);
            if after > 0 && after.is_multiple_of(schedule.thin) {
                reader.read(&mut self.state.values, &mut self.tally.draws);
                self.tally.kept += 1;
                work = work.saturating_sub(reader.targets.len() as u64);
            }
            if work == 0 {
                return true;
            }
        }
        false
    }
}

/// Draws the first assignments of the chains with the indices `numbers`; returns `None` if the evidence is impossible.
pub(super) fn begin(
    reader: &TargetReader,
    numbers: Range<u64>,
    seed: u64,
    watching: &RunMonitor<'_>,
) -> Result<Option<Vec<GibbsChain>>, Error> {
    let kernel = &reader.kernel;
    let forward = ForwardSampler::new(&kernel.reduced().graph);
    let mut chains = Vec::new();
    for number in numbers {
        if watching.stopped().is_some() {
            let algorithm = "Gibbs";
            return Err(Error::NothingDone { algorithm });
        }
        let mut rng = stream(seed, number);
        let values = match forward.start(&mut rng)? {
            InitialAssignment::Found(values) => values,
            InitialAssignment::Impossible => return Ok(None),
            InitialAssignment::Unknown { tried } => {
                return Err(Error::NoSampleMetEvidence {
                    algorithm: "Gibbs",
                    tried,
                    remedy: "search for a world with MpeBranchAndBound, or replace conditions by weights (`weigh`)",
                });
            }
        };
        chains.push(GibbsChain {
            state: kernel.state(values),
            rng,
            block: 0,
            tally: GibbsChainTally::new(),
        });
    }
    Ok(Some(chains))
}

/// Advances the Gibbs chains to `goal` sweeps, or to the end of their schedule, on several threads.
pub(super) fn run(
    chains: &mut [GibbsChain],
    reader: &TargetReader,
    (schedule, goal): (Schedule, u64),
    threads: usize,
    watching: &RunMonitor<'_>,
) -> Result<(), Error> {
    let goal = goal.min(schedule.sweeps());
    let done = AtomicU64::new(chains.iter().map(|chain| chain.tally.sweeps).sum());
    let share = chains.len().div_ceil(threads.max(1)).max(1);
    let shares: Vec<_> = chains.chunks_mut(share).map(Mutex::new).collect();
    in_order(
        shares.len(),
        (0..shares.len() as u64, 1),
        || Ok(()),
        |(), number| {
            let own = shares[number as usize].lock();
            let mut own = own.unwrap_or_else(PoisonError::into_inner);
            advance(&mut own, reader, (schedule, goal), watching, &done);
            Ok(())
        },
        ControlFlow::Continue,
    )
}

/// Advances the Gibbs chains of one thread in turns, some operations at a time. If a deadline passes, all chains therefore have made nearly the same
/// number of sweeps.
fn advance(
    chains: &mut [GibbsChain],
    reader: &TargetReader,
    (schedule, goal): (Schedule, u64),
    watching: &RunMonitor<'_>,
    done: &AtomicU64,
) {
    for chain in &mut *chains {
        chain.tally.stopped = Stopped::Finished;
    }
    let mut going = true;
    while going {
        going = false;
        for number in 0..chains.len() {
            if let Some(why) = watching.stopped() {
                for chain in chains {
                    chain.tally.stopped = why;
                }
                return;
            }
            let chain = &mut chains[number];
            let before = chain.tally.sweeps;
            going |= chain.advance(reader, (schedule, goal), SLICE);
            let more = chain.tally.sweeps - before;
            watching.report(done.fetch_add(more, Ordering::Relaxed) + more);
        }
    }
}

/// The chains of a Gibbs sampler, with the targets that are read from their assignments.
#[derive(Debug)]
pub struct PreparedChains {
    /// The queried variables (targets) with their possible values.
    pub(super) targets: Vec<(AnyElement, Support)>,
    pub(super) reader: TargetReader,
    pub(super) chains: Vec<GibbsChain>,
}

impl PreparedChains {
    /// Returns the draws so far, one chain after another, as a partial result of the run.
    pub(super) fn partial(
        &self,
        schedule: Schedule,
        first: u64,
        absorption: Absorption,
    ) -> Partial<GibbsSums> {
        let sums = GibbsSums::new(schedule, self.targets.clone(), self.reader.kernel());
        let mut partial = Partial::new(sums, first, absorption);
        for chain in &self.chains {
            partial.push(chain.tally.clone());
        }
        partial
    }
}

impl ChainSampler for Gibbs {
    /// The Gibbs chains; `None` before the first turn (time slice) of the run.
    type Chains = Option<PreparedChains>;

    fn chains(&self) -> Self::Chains {
        None
    }

    fn least_steps(chains: &Self::Chains) -> u64 {
        let sweeps = chains.iter().flat_map(|run| &run.chains);
        let sweeps = sweeps.map(|chain| chain.tally.sweeps);
        sweeps.min().unwrap_or(0)
    }

    fn saved_steps(&self, sums: &GibbsSums) -> Result<u64, Error> {
        Ok(sums.least_sweeps())
    }

    fn draws(
        &self,
        chains: &Self::Chains,
        _: &SharedQuestion,
    ) -> Result<Partial<GibbsSums>, Error> {
        let nothing = || Error::NothingDone {
            algorithm: self.name(),
        };
        let run = chains.as_ref().ok_or_else(nothing)?;
        Ok(run.partial(self.schedule, 0, Absorption::Later))
    }

    fn advance(
        &self,
        chains: &mut Self::Chains,
        question: &SharedQuestion,
        watching: &RunMonitor<'_>,
        goal: u64,
    ) -> Result<bool, Error> {
        self.check()?;
        let question = (&question.0, &question.1[..]);
        let run = if let Some(run) = &mut *chains {
            run
        } else {
            let mut run = self.prepare(question, watching)?;
            let numbers = 0..self.schedule.chains as u64;
            run.chains = self.begin_chains(question, &run.reader, numbers, watching)?;
            chains.insert(run)
        };
        let (by, threads) = ((self.schedule, goal), self.limits.thread_count());
        self::run(&mut run.chains, &run.reader, by, threads, watching)?;
        Ok(Self::least_steps(chains) >= self.schedule.sweeps())
    }
}
