//! The HTTP server: connections from this machine, with one thread for the network and others for work.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use figrs_command::{Failure, stop};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::connections::{Connections, Place};
use crate::studio::{Studio, unless};

/// Interval at which the server checks whether Ctrl-C was pressed.
const POLL: Duration = Duration::from_millis(100);
/// Time within which the headers of a request must arrive; an idle connection is closed after this time.
const HEAD: Duration = Duration::from_secs(5);
/// Maximum number of connections in addition to the maximum number of requests; one more connection closes the connection that has been idle the
/// longest.
const CONNECTIONS: usize = 128;
/// Maximum number of threads that read the folder of networks and training levels.
const READERS: usize = 4;

/// Serves the web page until Ctrl-C is pressed.
///
/// **Errors.** The port is not available.
pub fn serve(port: u16, studio: Studio) -> Result<(), Failure> {
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(READERS)
        .build()?;
    let served = runtime.block_on(accept(port, Arc::new(studio)));
    // Unfinished work ends with the program.
    runtime.shutdown_background();
    served
}

async fn accept(port: u16, studio: Arc<Studio>) -> Result<(), Failure> {
    let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(asked).await.map_err(|error| {
        format!("--port {port}: {error}; give another port, or 0 for a free port")
    })?;
    let address = listener.local_addr()?;
    let mut out = io::stdout().lock();
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    drop(out);
    let connections = Connections::new(CONNECTIONS);
    while !stop::is_set() {
        let stream = match timeout(POLL, listener.accept()).await {
            Ok(Ok((stream, _))) => stream,
            // If no file is free for a connection, wait for one.
            Ok(Err(_)) => {
                sleep(POLL).await;
                continue;
            }
            Err(_) => continue,
        };
        // If all connections have work, a new one is closed.
        if let Some(place) = connections.open() {
            let studio = Arc::clone(&studio);
            tokio::spawn(serve_connection(stream, place, studio, address.port()));
        }
    }
    Ok(())
}

async fn serve_connection(stream: TcpStream, place: Place, studio: Arc<Studio>, port: u16) {
    let connection = place.connection();
    let answer = service_fn(|request| {
        let (studio, connection) = (Arc::clone(&studio), Arc::clone(connection));
        async move { Ok::<_, Infallible>(studio.answer(request, port, &connection).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), answer);
    // A broken connection affects only the other side.
    let _ = unless(place.closed(), served).await;
}
