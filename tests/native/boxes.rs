//! Three algorithms for the largest free partition, which must give the same answer.

use schedscope::machines::torus::{
    Extent, Geometry, Grid, Partition, holds, largest, largest_by_projection, largest_exhaustive,
    largest_partition, volume,
};
use schedscope::random::Stream;
use std::sync::Arc;

/// Tori and meshes of every kind: flat, long, cubic, with edges of 1 and of a whole word.
const SHAPES: [Extent; 14] = [
    [4, 4, 8],
    [3, 3, 3],
    [4, 4, 1],
    [1, 1, 1],
    [5, 2, 3],
    [2, 7, 4],
    [8, 1, 3],
    [6, 6, 2],
    [1, 9, 5],
    [4, 5, 5],
    [3, 6, 7],
    [64, 2, 1],
    [2, 1, 33],
    [2, 3, 17],
];

/// Larger machines, with as many nodes along an axis as the tables allow, and with one more.
const LARGE: [Extent; 8] = [
    [8, 8, 16],
    [16, 16, 16],
    [8, 12, 12],
    [9, 20, 31],
    [1, 16, 16],
    [2, 8, 16],
    [4, 4, 17],
    [16, 16, 17],
];

/// Draws an occupancy: single nodes, or boxes like those of jobs, from nearly none to nearly all.
pub fn occupancy(geometry: &Arc<Geometry>, stream: &mut Stream) -> Grid {
    let mut grid = Grid::new(Arc::clone(geometry));
    let nodes = u64::from(geometry.nodes());
    let target = stream.below(nodes + 1) as u32;
    let as_jobs = stream.below(2) == 0;
    let mut tries = 0;
    while geometry.nodes() - grid.free() < target && tries < 200 {
        tries += 1;
        let at = geometry.node(stream.below(nodes) as u32);
        let edge = |axis: usize, stream: &mut Stream| {
            let room = if geometry.wraps[axis] {
                geometry.extent[axis]
            } else {
                geometry.extent[axis] - at[axis]
            };
            1 + stream.below(u64::from(room.min(4))) as u32
        };
        let extent = if as_jobs {
            [edge(0, stream), edge(1, stream), edge(2, stream)]
        } else {
            [1; 3]
        };
        grid.take(&Partition { at, extent });
    }
    grid
}

pub fn random_wraps(stream: &mut Stream) -> [bool; 3] {
    if stream.below(2) == 0 {
        [true; 3]
    } else {
        [0, 1, 2].map(|_| stream.below(2) == 0)
    }
}

fn is_free(grid: &Grid, partition: &Partition) -> bool {
    let mut taken = grid.clone();
    taken.take(partition);
    grid.free() - taken.free() == volume(partition.extent)
}

#[test]
fn three_algorithms_agree() {
    let mut stream = Stream::new(5, "boxes");
    for round in 0..12_000 {
        let geometry = Arc::new(Geometry::new(
            SHAPES[round % SHAPES.len()],
            random_wraps(&mut stream),
        ));
        let grid = occupancy(&geometry, &mut stream);
        let expected = largest_exhaustive(&grid);
        assert_eq!(largest_by_projection(&grid), expected, "{grid:?}");
        assert_eq!(largest(&grid), expected, "{grid:?}");
        let found = largest_partition(&grid);
        assert_eq!(
            found.map_or(0, |partition| volume(partition.extent)),
            expected,
            "{grid:?}"
        );
        assert!(
            found.is_none_or(|partition| is_free(&grid, &partition)),
            "{grid:?}"
        );
        let nodes = 1 + stream.below(u64::from(geometry.nodes())) as u32;
        assert_eq!(
            holds(&grid, nodes),
            expected >= nodes,
            "{nodes} of {grid:?}"
        );
    }
}

#[test]
fn both_fast_ones_agree_on_large_machines() {
    let mut stream = Stream::new(6, "large boxes");
    for round in 0..120 {
        let geometry = Arc::new(Geometry::new(
            LARGE[round % LARGE.len()],
            random_wraps(&mut stream),
        ));
        let grid = occupancy(&geometry, &mut stream);
        let expected = largest_by_projection(&grid);
        assert_eq!(largest(&grid), expected, "{:?}", geometry.extent);
        assert!(
            largest_partition(&grid).is_none_or(
                |partition| volume(partition.extent) == expected && is_free(&grid, &partition)
            )
        );
        for nodes in [
            1,
            expected,
            expected + 1,
            1 + stream.below(u64::from(geometry.nodes())) as u32,
        ] {
            assert_eq!(
                holds(&grid, nodes),
                expected >= nodes,
                "{nodes} of {:?}",
                geometry.extent
            );
        }
    }
}

/// On 4 x 4 nodes, the free columns on the left and right edges are one box across the edge.
///
/// ```text
/// . # # .
/// . # # .
/// . # # .
/// . # # .
/// ```
#[test]
fn a_box_may_wrap() {
    let nodes = |wraps: bool| {
        let mut grid = Grid::new(Arc::new(Geometry::new([4, 4, 1], [wraps; 3])));
        grid.take(&Partition {
            at: [1, 0, 0],
            extent: [2, 4, 1],
        });
        (
            largest(&grid),
            largest_exhaustive(&grid),
            largest_by_projection(&grid),
        )
    };
    assert_eq!(nodes(false), (4, 4, 4));
    assert_eq!(nodes(true), (8, 8, 8));
}
