//! The work of clients of the server; a later change by a client ends the client's earlier work.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;

/// Maximum number of remembered clients; the client with the oldest last request is forgotten first.
const MOST: usize = 256;

/// The clients, sorted by the times of their last requests.
#[derive(Debug, Default)]
pub(crate) struct Clients(Mutex<VecDeque<Client>>);

#[derive(Debug)]
struct Client {
    name: String,
    /// The number of the client's latest change (request that replaces earlier ones).
    change: u64,
    /// The flags that stop the unfinished work on the client's latest change.
    working: Vec<Weak<watch::Sender<bool>>>,
}

/// Work on a request of a client; its flag is set when a later change by the client ends the work.
#[derive(Debug, Default)]
pub(crate) struct Work(Arc<watch::Sender<bool>>);

impl Work {
    /// Waits until a later change of the client ends the work.
    pub(crate) async fn ended(&self) {
        // The sender exists as long as `self`.
        let _ = self.0.subscribe().wait_for(|is_ended| *is_ended).await;
    }
}

impl Clients {
    /// Begins work that belongs to no client.
    pub(crate) fn anonymous() -> Work {
        Work::default()
    }

    /// Begins work on a change of a client, and ends the work on earlier changes; `None` if a later change has already arrived.
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
                flag.send_replace(true);
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
        let is_ended = |work: &Work| *work.0.borrow();
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
