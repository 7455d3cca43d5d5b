//! Checks of requests before any work: a request must come from the server's own page or from a program, not from another web page.
//!
//! A web page from another server can make a browser send requests to this server. The headers `Origin` and `Sec-Fetch-Site` reveal requests that
//! another web page made. The header `Host` reveals a name that was redirected to this machine (DNS rebinding), and a form of a web page cannot send
//! JSON.

use hyper::Uri;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::http::uri::Authority;

use crate::problem::Problem;

/// The sources from which the web page of this server may load: its own files, and pictures that it makes.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the HTTP headers that all answers of the server have.
pub(crate) fn headers() -> [(HeaderName, HeaderValue); 7] {
    let value = HeaderValue::from_static;
    [
        (CONTENT_SECURITY_POLICY, value(POLICY)),
        (X_CONTENT_TYPE_OPTIONS, value("nosniff")),
        (X_FRAME_OPTIONS, value("DENY")),
        (REFERRER_POLICY, value("no-referrer")),
        (CACHE_CONTROL, value("no-store")),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            value("same-origin"),
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            value("same-origin"),
        ),
    ]
}

/// Returns an error for a request that is addressed to another host or was made by another web page.
///
/// Other web pages may contain a link to the page of this server.
///
/// **Errors.** HTTP status 403, with the name of the wrong header.
pub(crate) fn check_origin(
    headers: &HeaderMap,
    address: &Uri,
    (port, is_page): (u16, bool),
) -> Result<(), Problem> {
    let with_port = |host| format!("{host}:{port}");
    let mut own = vec![with_port("127.0.0.1"), with_port("localhost")];
    if port == 80 {
        // Browsers omit the default port.
        own.extend(["127.0.0.1".to_owned(), "localhost".to_owned()]);
    }
    let host = single(headers, &HOST)?.unwrap_or_default();
    // A request may contain a whole address, which then names the host.
    let named = address.authority().map_or(host, Authority::as_str);
    if named != host || !own.iter().any(|own| own == host) {
        return Err(Problem::forbidden(format!(
            "Host is not {} or {}: requests for other hosts are refused",
            own[0], own[1]
        )));
    }
    if let Some(origin) = single(headers, &ORIGIN)?
        && origin.strip_prefix("http://") != Some(host)
    {
        return Err(Problem::forbidden(format!(
            "Origin is not http://{host}: requests of other pages are refused"
        )));
    }
    let site = HeaderName::from_static("sec-fetch-site");
    let mode = HeaderName::from_static("sec-fetch-mode");
    // Another page may link here; it cannot read the page that is shown.
    let is_link = is_page && single(headers, &mode)? == Some("navigate");
    match single(headers, &site)? {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if is_link => Ok(()),
        Some(_) => Err(Problem::forbidden(
            "Sec-Fetch-Site is not same-origin: requests of other pages are refused".to_owned(),
        )),
    }
}

/// Returns an error for a request whose body is not declared as JSON.
///
/// **Errors.** Status 415.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = single(headers, &CONTENT_TYPE)?.unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::media(
        "Content-Type is not application/json: send the request as JSON".to_owned(),
    ))
}

/// True if errors are sent as ordinary answers to this request. Otherwise a browser would log each HTTP status of 400 and more, even while the user
/// is typing.
pub(crate) fn is_quiet(headers: &HeaderMap) -> bool {
    let errors = headers.get(HeaderName::from_static("figrs-errors"));
    errors.is_some_and(|errors| errors == "answer")
}

/// Returns the text of an HTTP header, which must not be repeated in the request.
pub(crate) fn single<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h str>, Problem> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    let text = first.map(HeaderValue::to_str).transpose();
    match (text, all.next()) {
        (Ok(text), None) => Ok(text),
        _ => Err(Problem::wrong(format!(
            "the header {name} occurs more than once, or is not plain text"
        ))),
    }
}
