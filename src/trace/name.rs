//! Names of traces: the packing of a file is no part of them.

/// Endings of the names of packed files. Reading looks at the content, never at the name; only the
/// search for the traces of a plan, and the names of results, use these.
pub const PACKED_ENDINGS: [&str; 5] = [".gz", ".zst", ".xz", ".bz2", ".zip"];

/// Returns a file's name without the ending of its packing.
pub fn unpacked_name(name: &str) -> &str {
    PACKED_ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::unpacked_name;

    #[test]
    fn one_ending_is_taken_off() {
        for (name, bare) in [
            ("KTH.swf.gz", "KTH.swf"),
            ("KTH.swf.zst", "KTH.swf"),
            ("KTH.swf", "KTH.swf"),
            ("twice.gz.xz", "twice.gz"),
            ("gz", "gz"),
        ] {
            assert_eq!(unpacked_name(name), bare);
        }
    }
}
