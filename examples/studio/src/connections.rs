//! Connections to the server; if there are too many, the connection that has been idle the longest is closed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// The open connections, whose number has a maximum.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    open: Mutex<Vec<Arc<Connection>>>,
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The time at which the connection's last work ended; `None` during work.
    quiet: Mutex<Option<Instant>>,
    closed: Notify,
}

/// Work for a connection, which keeps the connection open.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Connection>);

/// An entry in the list of open connections, which is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    connections: Arc<Connections>,
    connection: Arc<Connection>,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            open: Mutex::default(),
        })
    }

    /// Adds a connection. Adds a connection. If there are too many connections, closes the connection that has been idle the longest, or returns
    /// `None` if all are busy.
    pub(crate) fn open(self: &Arc<Self>) -> Option<Place> {
        let mut open = lock(&self.open);
        if open.len() >= self.most {
            let quiet = open.iter().enumerate();
            let quiet = quiet.filter_map(|(place, one)| Some(((*lock(&one.quiet))?, place)));
            let (_, place) = quiet.min()?;
            open.swap_remove(place).closed.notify_one();
        }
        let connection = Arc::new(Connection {
            quiet: Mutex::new(Some(Instant::now())),
            closed: Notify::new(),
        });
        open.push(Arc::clone(&connection));
        Some(Place {
            connections: Arc::clone(self),
            connection,
        })
    }
}

impl Connection {
    /// Begins the work on a request that came over the connection.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        *lock(&self.quiet) = None;
        Busy(Arc::clone(self))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *lock(&self.0.quiet) = Some(Instant::now());
    }
}

impl Place {
    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Waits until the connection is closed to make room for another one.
    pub(crate) async fn closed(&self) {
        self.connection.closed.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.connections.open).retain(|other| !Arc::ptr_eq(other, &self.connection));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quietest_connection_makes_place() {
        let connections = Connections::new(3);
        let open = || connections.open();
        let places = [open().unwrap(), open().unwrap(), open().unwrap()];
        let is_open = |place: &Place| {
            let open = lock(&connections.open);
            open.iter().any(|one| Arc::ptr_eq(one, &place.connection))
        };
        let busy = places[0].connection().busy();
        let fourth = open().unwrap();
        assert_eq!(
            places.each_ref().map(is_open),
            [true, false, true],
            "the first is worked for"
        );
        drop(busy);
        let fifth = open().unwrap();
        assert_eq!(places.each_ref().map(is_open), [true, false, false]);
        let busy = [&places[0], &fourth, &fifth].map(|place| place.connection().busy());
        assert!(open().is_none());
        drop(busy);
        drop(fifth);
        let _sixth = open().unwrap();
        assert!(is_open(&places[0]) && is_open(&fourth));
    }
}
