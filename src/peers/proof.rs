//! How a server proves that it knows the token of the folder without sending the token.
//!
//! The answer to a challenge is a keyed hash (SipHash-2-4, which is designed for this) of the challenge and both ports
//! of the connection. A relay between client and server listens on another port than the server, so its answer is
//! wrong, even if it connects to the server from the client's port number on another address. The challenge has 128
//! random bits and is used once, so a false server has one guess at 128 bits for each attempt of a client. Clients
//! answer no challenges, so a challenge cannot be reflected. The token is not used in any other keyed hash.

use std::hash::Hasher;

/// Returns the proof for a challenge; `None` if the token is not valid.
pub(crate) fn proof(token: &str, challenge: &str, server_port: u16, client_port: u16) -> Option<String> {
    let half = |range| u64::from_str_radix(token.get(range)?, 16).ok();
    let keys = (half(0..16)?, half(16..32)?);
    // Two hashes, so that guessing the proof is as hard as guessing the token.
    let hashes =
        [1_u8, 2].map(|number| hash(keys, &[&[number], challenge.as_bytes()], server_port, client_port));
    Some(format!("{:016x}{:016x}", hashes[0], hashes[1]))
}

/// Compares two secrets in a time that does not depend on where they differ.
pub(crate) fn is_same_secret(given: &str, right: &str) -> bool {
    let pairs = given.bytes().zip(right.bytes());
    let difference = pairs.fold(0, |difference, (a, b)| difference | (a ^ b));
    given.len() == right.len() && difference == 0
}

#[expect(deprecated, reason = "the standard library's only hash with a key; its successor hides the key")]
fn hash(keys: (u64, u64), parts: &[&[u8]], server_port: u16, client_port: u16) -> u64 {
    let mut hasher = std::hash::SipHasher::new_with_keys(keys.0, keys.1);
    hasher.write(&server_port.to_be_bytes());
    hasher.write(&client_port.to_be_bytes());
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{hash, is_same_secret, proof};

    /// The test vector of the paper (Aumasson, Bernstein: SipHash, appendix A): the standard library must not change
    /// the hash.
    #[test]
    fn the_hash_is_siphash_2_4() {
        let keys = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908);
        let rest: Vec<u8> = (5..15).collect();
        assert_eq!(hash(keys, &[&[4], &rest], 0x0001, 0x0203), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn the_halves_of_a_proof_differ() {
        let proof = proof("00112233445566778899aabbccddeeff", "c", 8765, 40_000).unwrap();
        assert_ne!(proof[..16], proof[16..]);
    }

    #[test]
    fn secrets_are_compared_as_a_whole() {
        assert!(is_same_secret("abc", "abc") && is_same_secret("", ""));
        for other in ["", "ab", "abd", "xbc", "abcd"] {
            assert!(!is_same_secret(other, "abc"), "{other}");
        }
    }

    #[test]
    fn a_proof_fits_one_token_one_challenge_and_one_connection() {
        let token = "00112233445566778899aabbccddeeff";
        let other = "10112233445566778899aabbccddeeff";
        let right = proof(token, "c", 8765, 40_000).unwrap();
        assert_eq!(right.len(), 32);
        assert_eq!(proof(token, "c", 8765, 40_000), Some(right.clone()));
        for wrong in [
            proof(other, "c", 8765, 40_000),
            proof(token, "d", 8765, 40_000),
            proof(token, "c", 8766, 40_000),
            proof(token, "c", 8765, 40_001),
        ] {
            assert_ne!(wrong, Some(right.clone()));
        }
        assert_eq!(proof("short", "c", 8765, 40_000), None);
    }
}
