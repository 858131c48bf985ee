//! Floating constants: decimal and hexadecimal text to the nearest number, rounded once.

use selvedge_ir::Float;

/// The bits of a constant; its suffix does not matter.
pub(super) fn parse(text: &str, format: Float) -> Option<u64> {
    let text = text.to_ascii_lowercase().replace('\'', "");
    if let Some(hex) = text.strip_prefix("0x") {
        return parse_hex(hex, format);
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || ".e+-".contains(c)));
    let digits = &text[..end.unwrap_or(text.len())];
    Some(match format {
        Float::F32 => digits.parse::<f32>().ok()?.to_bits().into(),
        Float::F64 => digits.parse::<f64>().ok()?.to_bits(),
    })
}

fn parse_hex(hex: &str, format: Float) -> Option<u64> {
    let (mantissa, exponent) = hex.split_once('p')?;
    let end = exponent.find(|c: char| !(c.is_ascii_digit() || "+-".contains(c)));
    let exponent = exponent[..end.unwrap_or(exponent.len())].parse::<i64>();
    // What does not even fit is as good as zero or infinity.
    let mut exponent = exponent.unwrap_or(0).clamp(-1 << 40, 1 << 40);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0u128;
    for (place, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(digit.to_digit(16)?);
        // Digits beyond the precision count only as "a little more".
        if value >> 120 == 0 {
            value = value << 4 | digit;
            exponent -= if place < whole.len() { 0 } else { 4 };
        } else {
            value |= u128::from(digit != 0);
            exponent += if place < whole.len() { 4 } else { 0 };
        }
    }
    Some(rounded(value, exponent, format))
}

/// The number nearest to `value * 2^exponent`, on a tie the even one.
fn rounded(value: u128, exponent: i64, format: Float) -> u64 {
    let (precision, least) = match format {
        Float::F32 => (24, -126),
        Float::F64 => (53, -1022),
    };
    if value == 0 {
        return 0;
    }
    let top = i64::from(127 - value.leading_zeros()) + exponent;
    let last = (top - (precision - 1)).max(least - (precision - 1));
    let shift = last - exponent;
    let mantissa = match shift {
        ..=0 => value << -shift,
        1..=127 => {
            let (kept, rest) = (value >> shift, value & ((1 << shift) - 1));
            let half = 1u128 << (shift - 1);
            kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
        }
        _ => 0,
    };
    let hidden = 1u128 << (precision - 1);
    let Some(fraction) = mantissa.checked_sub(hidden) else { return mantissa as u64 };
    // A carry out of the mantissa goes on into the exponent, as it should.
    let biased = (last + precision - 1 - least + 1) as u128;
    let bits = biased.saturating_mul(hidden).saturating_add(fraction);
    u64::try_from(bits).unwrap_or(u64::MAX).min(format.infinity())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(text: &str) -> Option<f64> {
        parse(text, Float::F64).map(f64::from_bits)
    }

    fn float(text: &str) -> Option<f32> {
        parse(text, Float::F32).map(|bits| f32::from_bits(bits as u32))
    }

    #[test]
    fn all_forms() {
        assert_eq!(double("1.5"), Some(1.5));
        assert_eq!(float("1.5f"), Some(1.5));
        assert_eq!(double("1e3"), Some(1000.0));
        assert_eq!(double("0x1.8p3"), Some(12.0));
        assert_eq!(double("0x.8p0"), Some(0.5));
        assert_eq!(double("0xap-1"), Some(5.0));
        assert_eq!(float("0x1p-149f"), Some(f32::from_bits(1)));
        assert_eq!(double(".5"), Some(0.5));
    }

    #[test]
    fn one_rounding() {
        // Just above the middle between two floats; as a double it is the middle.
        assert_eq!(float("1.000000059604644775390625000000000000001f"), Some(1.0000001));
        assert_eq!(float("0x1.0000010000000000000000000001p0f"), Some(1.0000001));
        assert_eq!(float("0x1.000001p0f"), Some(1.0));
        assert_eq!(float("0x1.000003p0f"), Some(1.0000004));
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(double("0x1.fffffffffffffp1023"), Some(f64::MAX));
        assert_eq!(double("0x1.fffffffffffff8p1023"), Some(f64::INFINITY));
        assert_eq!(double("0x1p1024"), Some(f64::INFINITY));
        assert_eq!(double("0x1p-1074"), Some(f64::from_bits(1)));
        assert_eq!(double("0x1p-1075"), Some(0.0));
        assert_eq!(double("0x1.8p-1075"), Some(f64::from_bits(1)));
        assert_eq!(double("0x1p-999999"), Some(0.0));
        assert_eq!(double("0x1.ffffffffffffffffp-1023"), Some(f64::MIN_POSITIVE));
    }
}
