//! The natural order of names: `n2` before `n10`.

/// Returns a text that stands among others as Slurm orders the names of nodes (`strnatcmp`): runs of digits
/// by their value, unless one of the two begins with 0, which comes first; then digit by digit.
pub fn natural_key(name: &str) -> String {
    let mut key = String::new();
    let mut rest = name;
    while let Some(char) = rest.chars().next() {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            key.push(char);
            rest = &rest[char.len_utf8()..];
            continue;
        }
        if char != '0' {
            // Longer runs come later.
            key.push('1');
            key.push(char::from_u32(length as u32).unwrap_or(char::MAX));
        }
        key.push_str(&rest[..length]);
        // The end of a run comes before any other digit.
        key.push('\0');
        rest = &rest[length..];
    }
    key
}

#[cfg(test)]
mod tests {
    use super::natural_key;

    #[test]
    fn orders_names() {
        let names = [
            "b1", "cpu-1", "g3", "gpu1", "n", "n0", "n02", "n1", "n2", "n2-1", "n2a", "n10", "na",
        ];
        for (at, one) in names.iter().enumerate() {
            for other in &names[at + 1..] {
                assert!(
                    natural_key(one) < natural_key(other),
                    "{one} before {other}"
                );
            }
        }
    }
}
