//! The fingerprint of a trace, for citing: the SHA-256 of its uncompressed text, as `sha256sum`
//! prints it.

use sha2::{Digest, Sha256};

/// Hashes a text that arrives in pieces.
#[derive(Clone, Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash in hex.
    pub fn finish(self) -> String {
        use std::fmt::Write;
        self.0
            .finalize()
            .iter()
            .fold(String::with_capacity(64), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn is_sha256() {
        let mut print = super::Fingerprint::default();
        print.push(b"a");
        print.push(b"bc");
        assert_eq!(
            print.finish(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
