//! The layout of the nodes and arrows of a picture in layers (Sugiyama).

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;

type Point = (f64, f64);

/// The distance between nodes of a picture, in pixels.
const SPACE: f64 = 26.0;
/// Maximum total number of bend points of all arrows in a picture. If the arrows of a picture would have more bend points than the maximum, all
/// arrows are drawn straight and may cross nodes.
const BENDS: usize = 3000;

pub(super) struct ArrowRoute {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The width and height of the arrow's text, if the arrow has a text.
    pub(super) label: Option<Point>,
}

/// The layout of a picture: the positions of its nodes and the routes of its arrows.
pub(super) struct GraphLayout {
    pub(super) centres: Vec<Point>,
    /// For each arrow, the bend points through which the arrow passes between its end nodes. The text of an arrow is at its first bend point.
    pub(super) bends: Vec<Vec<Point>>,
    pub(super) size: Point,
}

/// Places nodes of given sizes in layers, so that every arrow points downwards. The argument `order` lists the nodes of the picture in topological
/// order.
///
/// In the layout, an arrow has a bend point in each layer that it crosses. Bend points of arrows are placed like nodes, so that arrows pass between
/// the nodes (Sugiyama, Tagawa and Toda 1981; coordinates by Brandes and Köpf 2001).
pub(super) fn place(sizes: &[Point], routes: &[ArrowRoute], order: &[usize]) -> GraphLayout {
    let mut after: Vec<Vec<&ArrowRoute>> = sizes.iter().map(|_| Vec::new()).collect();
    for route in routes {
        after[route.from].push(route);
    }
    let mut layers = vec![0_usize; sizes.len()];
    for &node in order {
        for route in &after[node] {
            let span = 1 + usize::from(route.label.is_some());
            layers[route.to] = layers[route.to].max(layers[node] + span);
        }
    }
    let passed = |route: &ArrowRoute| layers[route.to] - layers[route.from] - 1;
    let is_bent = routes.iter().map(passed).sum::<usize>() <= BENDS;
    let mut vertices: Vec<(u32, Point)> = Vec::with_capacity(sizes.len());
    vertices.extend((0_u32..).zip(sizes.iter().copied()));
    let mut edges = Vec::new();
    let mut between: Vec<Vec<u32>> = Vec::new();
    for route in routes {
        let first = vertices.len() as u32;
        if is_bent {
            let size = |i| route.label.filter(|_| i == 0).unwrap_or((1.0, 1.0));
            let points = (0..passed(route)).map(size);
            vertices.extend((first..).zip(points));
        }
        let points: Vec<u32> = (first..vertices.len() as u32).collect();
        let ends = (route.from as u32, route.to as u32);
        let stops = [&[ends.0], &points[..], &[ends.1]].concat();
        edges.extend(stops.windows(2).map(|pair| (pair[0], pair[1])));
        between.push(points);
    }
    let config = Config {
        dummy_vertices: false,
        vertex_spacing: SPACE,
        ..Config::default()
    };
    let mut parts = from_vertices_and_edges(&vertices, &edges, &config);
    // The connected components are sorted, because the order of components, and the order of nodes within a component, changes from call to call.
    parts.sort_by_key(|(part, ..)| part.iter().map(|(vertex, _)| *vertex).min());
    let mut centres = vec![(0.0, 0.0); vertices.len()];
    let mut size = (0.0_f64, 0.0_f64);
    for (part, ..) in parts {
        let corner = |sign: f64| {
            part.iter()
                .map(move |&(vertex, (x, y))| (vertex, x, y, sign))
        };
        let edge = |(vertex, x, y, sign): (usize, f64, f64, f64)| {
            let (width, height) = vertices[vertex].1;
            (x + sign * width / 2.0, y + sign * height / 2.0)
        };
        let low = corner(-1.0).map(edge);
        let low = low.fold((f64::INFINITY, f64::INFINITY), |a, b| {
            (a.0.min(b.0), a.1.min(b.1))
        });
        let shift = (size.0 + SPACE / 2.0 - low.0, SPACE / 2.0 - low.1);
        let high = corner(1.0).map(edge);
        size = high.fold(size, |size, (x, y)| {
            (size.0.max(x + shift.0), size.1.max(y + shift.1))
        });
        for (vertex, (x, y)) in part {
            centres[vertex] = (x + shift.0, y + shift.1);
        }
    }
    let bends = between.iter();
    let bends = bends.map(|points| points.iter().map(|&v| centres[v as usize]).collect());
    let bends = bends.collect();
    centres.truncate(sizes.len());
    GraphLayout {
        centres,
        bends,
        size: (size.0 + SPACE / 2.0, size.1 + SPACE / 2.0),
    }
}
