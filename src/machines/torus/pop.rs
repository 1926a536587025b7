//! The largest free partition by Projection of Partitions: O(M^5) on a torus of M x M x M.
//!
//! E. Krevat, "Scheduling algorithms to improve utilization in toroidal-interconnected systems",
//! MIT 2003, chapter 3. A table gives, for each node, the number of consecutive free nodes from it
//! on along y. For each base location, planes along z are projected onto each other one after the
//! other; a projection keeps the least of these numbers for each x. In each projection, columns
//! along x are projected in the same way. Planes times columns times the least number is the size
//! of a partition.

use super::Grid;

/// Returns the number of nodes of the largest free box.
pub fn largest_by_projection(grid: &Grid) -> u32 {
    let geometry = &*grid.geometry;
    let [width, height, depth] = geometry.extent;
    let number = |x: u32, y: u32, z: u32| geometry.number([x, y, z]) as usize;
    let next = |axis: usize, at: u32| match at + 1 {
        at if at < geometry.extent[axis] => Some(at),
        _ => geometry.wraps[axis].then_some(0),
    };
    // Counts the consecutive free nodes from each node on along y. The counter goes backwards, and
    // twice around a ring, to count runs that wrap.
    let mut table = vec![0_u32; geometry.nodes() as usize];
    for z in 0..depth {
        for x in 0..width {
            let mut counter = 0;
            for pass in 0..if geometry.wraps[1] { 2 } else { 1 } {
                for y in (0..height).rev() {
                    counter = if grid.is_free([x, y, z]) {
                        (counter + 1).min(height)
                    } else {
                        0
                    };
                    if pass == 1 || !geometry.wraps[1] {
                        table[number(x, y, z)] = counter;
                    }
                }
            }
        }
    }
    let mut best = 0;
    let mut least = vec![0; width as usize];
    for k in 0..depth {
        for j in 0..height {
            for i in 0..width {
                if table[number(i, j, k)] == 0 {
                    continue;
                }
                least.fill(u32::MAX);
                let mut z = Some(k);
                for planes in 1..=depth {
                    let Some(plane) = z else { break };
                    let mut x = Some(i);
                    let mut shortest = u32::MAX;
                    for columns in 1..=width {
                        let Some(column) = x else { break };
                        let projected = &mut least[column as usize];
                        *projected = (*projected).min(table[number(column, j, plane)]);
                        shortest = shortest.min(*projected);
                        if shortest == 0 {
                            break;
                        }
                        best = best.max(planes * columns * shortest);
                        x = next(0, column);
                    }
                    if least[i as usize] == 0 {
                        break;
                    }
                    z = next(2, plane);
                }
            }
        }
    }
    best
}
