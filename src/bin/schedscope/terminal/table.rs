//! Tables in plain text.

use crate::terminal::output::say;

/// Prints rows under a head. The first column is aligned to the left, the others to the right.
pub fn print(head: &[String], rows: &[Vec<String>]) {
    let columns = head.len();
    let width = |column: usize| {
        rows.iter()
            .chain([&head.to_vec()])
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &[String]| {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, &width))| {
                if at == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        say!("{}", cells.join("  ").trim_end());
    };
    line(head);
    say!(
        "{}",
        "-".repeat(widths.iter().sum::<usize>() + 2 * (columns - 1))
    );
    rows.iter().for_each(|row| line(row));
}

/// Returns a figure with a number of decimals that fits its size.
pub fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        x if x == 0.0 || x >= 100_000.0 => 0,
        x if x >= 1000.0 => 1,
        x if x >= 10.0 => 2,
        _ => 4,
    };
    format!("{value:.decimals$}")
}
