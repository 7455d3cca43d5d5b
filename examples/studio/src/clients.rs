//! Work of clients, which ends when a later change of the same client comes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Most clients that are remembered; the one that has asked for nothing the longest is forgotten first.
const MOST: usize = 256;

/// The clients that have asked, the last one at the end.
#[derive(Debug, Default)]
pub(crate) struct Clients(Mutex<VecDeque<Client>>);

#[derive(Debug)]
struct Client {
    name: String,
    /// The latest change.
    change: u64,
    /// Flags of the work on it that goes on.
    working: Vec<Weak<AtomicBool>>,
}

/// Work for a client: its flag is set when it is to end, also when nobody waits for it any more.
#[derive(Debug)]
pub(crate) struct Work(Arc<AtomicBool>);

impl Work {
    /// The flag that ends it.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Clients {
    /// Begins work that belongs to no client.
    pub(crate) fn anonymous() -> Work {
        Work(Arc::default())
    }

    /// Begins work on a change of a client, and ends that on its earlier ones; `None` if a later change has come.
    pub(crate) fn begin(&self, name: &str, change: u64) -> Option<Work> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = clients.iter().position(|client| client.name == name);
        let mut client = match known.and_then(|place| clients.remove(place)) {
            Some(client) => client,
            None => Client {
                name: name.to_owned(),
                change,
                working: Vec::new(),
            },
        };
        let is_late = change < client.change;
        if change > client.change {
            let earlier = std::mem::take(&mut client.working);
            for flag in earlier.iter().filter_map(Weak::upgrade) {
                flag.store(true, Ordering::Release);
            }
            client.change = change;
        }
        let work = Self::anonymous();
        client.working.retain(|flag| flag.strong_count() > 0);
        client.working.push(Arc::downgrade(&work.0));
        clients.push_back(client);
        while clients.len() > MOST {
            clients.pop_front();
        }
        (!is_late).then_some(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_change_ends_the_work_on_earlier_ones() {
        let clients = Clients::default();
        let is_ended = |work: &Work| work.flag().load(Ordering::Acquire);
        let first = clients.begin("a", 1).unwrap();
        let beside = clients.begin("a", 1).unwrap();
        let other = clients.begin("b", 1).unwrap();
        assert!(![&first, &beside, &other].into_iter().any(is_ended));
        let later = clients.begin("a", 2).unwrap();
        assert!(is_ended(&first) && is_ended(&beside));
        assert!(!is_ended(&other) && !is_ended(&later));
        assert!(clients.begin("a", 1).is_none());
        assert!(!is_ended(&later));
    }

    #[test]
    fn the_client_that_is_quiet_the_longest_is_forgotten() {
        let clients = Clients::default();
        for number in 0..=MOST {
            assert!(clients.begin(&number.to_string(), 5).is_some());
        }
        assert!(clients.begin("0", 1).is_some());
        assert!(clients.begin(&MOST.to_string(), 1).is_none());
    }
}
