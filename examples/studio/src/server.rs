//! The HTTP server: connections from this machine, one thread for the network and others for work.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use figrs_command::{Failure, stop};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::studio::Studio;

/// Interval at which Ctrl-C is looked for.
const POLL: Duration = Duration::from_millis(100);
/// Time that the head of a request may take; connections that wait for one are closed after it.
const HEAD: Duration = Duration::from_secs(60);
/// Most requests that are worked on at once; others wait.
const WORKERS: usize = 8;
/// Most connections at once; others wait to be accepted.
const CONNECTIONS: usize = 128;
/// Stack of a worker, that of a main thread.
const STACK: usize = 8 << 20;

/// Serves the page until Ctrl-C.
///
/// **Errors.** If the port cannot be had.
pub fn serve(port: u16, studio: Studio) -> Result<(), Failure> {
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(WORKERS)
        .thread_stack_size(STACK)
        .build()?;
    let served = runtime.block_on(accept(port, Arc::new(studio)));
    // Work that goes on ends with the program.
    runtime.shutdown_background();
    served
}

async fn accept(port: u16, studio: Arc<Studio>) -> Result<(), Failure> {
    let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(asked).await.map_err(|error| {
        format!("--port {port}: {error}; give another port, or 0 for one that is free")
    })?;
    let address = listener.local_addr()?;
    let mut out = io::stdout().lock();
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    drop(out);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while !stop::is_set() {
        let Ok(Ok(place)) = timeout(POLL, Arc::clone(&places).acquire_owned()).await else {
            continue;
        };
        let stream = match timeout(POLL, listener.accept()).await {
            Ok(Ok((stream, _))) => stream,
            // Without a free file for a connection, for one.
            Ok(Err(_)) => {
                sleep(POLL).await;
                continue;
            }
            Err(_) => continue,
        };
        let studio = Arc::clone(&studio);
        tokio::spawn(async move {
            let _place = place;
            let answer = service_fn(|request| {
                let studio = Arc::clone(&studio);
                async move { Ok::<_, Infallible>(studio.answer(request, address.port()).await) }
            });
            // A connection that breaks concerns the other side alone.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
    Ok(())
}
