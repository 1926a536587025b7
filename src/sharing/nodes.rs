//! Lists of numbered nodes.

use std::fmt::Write;

/// Writes numbers, in their order, as a list such as `n[1-3,7]`.
pub fn ranges(numbers: &[u32]) -> String {
    if let [one] = numbers {
        return format!("n{one}");
    }
    let mut list = String::new();
    let mut at = 0;
    while let Some(first) = numbers.get(at) {
        let follows = |pair: &&[u32]| pair[1] == pair[0] + 1;
        let length = numbers[at..].windows(2).take_while(follows).count();
        let comma = if list.is_empty() { "" } else { "," };
        let _ = match length {
            0 => write!(list, "{comma}{first}"),
            _ => write!(list, "{comma}{first}-{}", numbers[at + length]),
        };
        at += length + 1;
    }
    if list.is_empty() {
        return list;
    }
    format!("n[{list}]")
}

#[cfg(test)]
mod tests {
    use super::ranges;
    use crate::cluster::expand;

    #[test]
    fn lists_name_the_numbers_in_their_order() {
        let long: Vec<u32> = (1..=5000).chain([9, 8, 7]).collect();
        for numbers in [&[][..], &[3], &[1, 2], &[3, 1, 2, 4], &[2, 2], &long] {
            let names = expand(&ranges(numbers), 10_000).unwrap();
            let wanted: Vec<String> = numbers.iter().map(|number| format!("n{number}")).collect();
            assert_eq!(names, wanted);
        }
    }
}
