//! SHA-256: by it a call that a person allows and a rule file that a user has seen are recognised. Older versions of
//! Gemini CLI name the folder of a project with it, and Codex the hooks that its user trusts.

/// The first bits of the fractional parts of the square roots of the first eight primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Returns the hash of a text in hexadecimal digits.
pub(crate) fn sha256_hex(text: &[u8]) -> String {
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).div_ceil(64) * 64 - 8, 0);
    padded.extend((text.len() as u64 * 8).to_be_bytes());
    let constants = constants();
    let state = padded.chunks_exact(64).fold(START, |state, block| compress(state, block, &constants));
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// Returns the first bits of the fractional parts of the cube roots of the first 64 primes.
fn constants() -> [u32; 64] {
    let is_prime = |n: &u128| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let mut primes = (2_u128..).filter(is_prime);
    // The cube root of `prime << 96` is that of the prime with 32 bits behind the point.
    std::array::from_fn(|_| (cube_root(primes.next().unwrap_or_default() << 96) & 0xffff_ffff) as u32)
}

fn cube_root(value: u128) -> u128 {
    let (mut low, mut high) = (0_u128, 1 << 40);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if middle * middle * middle <= value { low = middle } else { high = middle }
    }
    low
}

fn compress(state: [u32; 8], block: &[u8], constants: &[u32; 64]) -> [u32; 8] {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for i in 16..64 {
        let (a, b) = (words[i - 15], words[i - 2]);
        let one = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let two = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words[i] = words[i - 16].wrapping_add(one).wrapping_add(words[i - 7]).wrapping_add(two);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    for (word, constant) in words.iter().zip(constants) {
        let mix = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let one = h.wrapping_add(mix).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
        let mix = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let two = mix.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e) = (g, f, e, d.wrapping_add(one));
        (d, c, b, a) = (c, b, a, one.wrapping_add(two));
    }
    let mixed = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|i| state[i].wrapping_add(mixed[i]))
}

#[cfg(test)]
mod tests {
    use super::sha256_hex;

    #[test]
    fn known_texts_have_the_known_hashes() {
        let long = "a".repeat(200);
        for (text, expected) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("/home/dev/shop", "e828acfc792e3bbcd2a6c6c35323cb44b7b438741c168c8ec59aefe347f193bb"),
            (&long, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5"),
        ] {
            assert_eq!(sha256_hex(text.as_bytes()), expected, "{text}");
        }
    }
}
