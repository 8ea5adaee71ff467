//! A machine: one data folder of one person.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Tells machines apart: 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MachineKey(pub(crate) [u8; 16]);

impl fmt::Display for MachineKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for MachineKey {
    type Err = String;

    fn from_str(text: &str) -> Result<MachineKey, String> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        bits.map(|bits| MachineKey(bits.to_be_bytes())).ok_or_else(|| "not the key of a machine".to_owned())
    }
}

impl Serialize for MachineKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MachineKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<MachineKey, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::MachineKey;

    #[test]
    fn a_key_is_written_as_32_digits_and_read_back() {
        let key = MachineKey([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(key.to_string(), "000102030405060708090a0b0c0d0eff");
        assert_eq!(key.to_string().parse(), Ok(key));
        for wrong in ["", "12", "+00102030405060708090a0b0c0d0eff", "g00102030405060708090a0b0c0d0eff"] {
            assert!(wrong.parse::<MachineKey>().is_err(), "{wrong}");
        }
    }
}
