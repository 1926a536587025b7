//! The packing of a file, recognised by its first bytes and never by its name.

/// A way in which a file is packed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Packing {
    /// The format of gzip (RFC 1952).
    Gzip,
    /// The format of Zstandard (RFC 8878).
    Zstd,
    /// The format of xz.
    Xz,
    /// The format of bzip2.
    Bzip2,
    /// A zip file with one file inside.
    Zip,
    /// A table in the format of Apache Parquet.
    Parquet,
}

/// Number of first bytes that are enough for [`Packing::of`].
#[cfg(not(target_arch = "wasm32"))]
pub const PACKING_BYTES: usize = 10;

impl Packing {
    /// Returns the packing of a file that begins with these bytes.
    pub fn of(start: &[u8]) -> Option<Self> {
        let begins = |bytes: &[u8]| start.starts_with(bytes);
        // A frame of Zstandard that holds no data may come first. Its first byte is 50 to 5f.
        let is_skippable = start.first().is_some_and(|byte| byte >> 4 == 5)
            && start[1..].starts_with(b"\x2a\x4d\x18");
        // Text may begin with `BZh9`; the six bytes of a block, or of the end, follow it.
        let is_bzip2 = begins(b"BZh")
            && start.get(4..10).is_some_and(|block| {
                block == b"\x31\x41\x59\x26\x53\x59" || block == b"\x17\x72\x45\x38\x50\x90"
            });
        if begins(&[0x1f, 0x8b]) {
            Some(Self::Gzip)
        } else if begins(b"\x28\xb5\x2f\xfd") || is_skippable {
            Some(Self::Zstd)
        } else if begins(b"\xfd7zXZ\0") {
            Some(Self::Xz)
        } else if is_bzip2 {
            Some(Self::Bzip2)
        } else if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
            Some(Self::Zip)
        } else if begins(b"PAR1\x15") {
            // Text may begin with the four letters; the first field of a page or directory follows.
            Some(Self::Parquet)
        } else {
            None
        }
    }

    /// Returns the name of the packing.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
            Self::Zip => "zip",
            Self::Parquet => "Parquet",
        }
    }

    /// Returns the command that tests such a file.
    pub const fn test(self) -> &'static str {
        match self {
            Self::Gzip => "gzip -t",
            Self::Zstd => "zstd -t",
            Self::Xz => "xz -t",
            Self::Bzip2 => "bzip2 -t",
            Self::Zip => "unzip -t",
            Self::Parquet => "parquet-tools inspect",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packings_are_recognised_by_their_first_bytes() {
        for (start, packing) in [
            (&b"\x1f\x8b\x08"[..], Some(Packing::Gzip)),
            (b"\x28\xb5\x2f\xfd\x24", Some(Packing::Zstd)),
            (b"\x5f\x2a\x4d\x18\x00", Some(Packing::Zstd)),
            (b"\xfd7zXZ\0\0\x04", Some(Packing::Xz)),
            (b"BZh91AY&SY", Some(Packing::Bzip2)),
            (b"BZh9\x17\x72\x45\x38\x50\x90", Some(Packing::Bzip2)),
            (b"PK\x03\x04\x14", Some(Packing::Zip)),
            (b"PK\x05\x06\0\0", Some(Packing::Zip)),
            (b"BZh9 is the name of my job", None),
            (b"Z*M\x18", Some(Packing::Zstd)),
            (b"PKI", None),
            (b"; UnixStartTime: 0", None),
            (b"P", None),
            (b"", None),
        ] {
            assert_eq!(Packing::of(start), packing, "{start:?}");
        }
    }
}
