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

/// The bits of a `long double` constant converted to a format: it rounds to 64 digits first. None
/// where that could make a difference.
pub(super) fn parse_long(text: &str, format: Float) -> Option<u64> {
    let text = text.to_ascii_lowercase().replace('\'', "");
    if let Some(hex) = text.strip_prefix("0x") {
        let (value, exponent) = hex_parts(hex)?;
        let digits = (128 - value.leading_zeros()).saturating_sub(value.trailing_zeros());
        return (digits <= 64).then(|| rounded(value, exponent, format));
    }
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power = power.trim_end_matches(|c: char| !c.is_ascii_digit());
    let digits = digits.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.');
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut number: u128 = format!("0{whole}{fraction}").parse().ok()?;
    let mut power = power.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    while (1..10u128.pow(30)).contains(&number) {
        number *= 10;
        power = power.checked_sub(1)?;
    }
    // Nothing changes if the number is moved by more than the first rounding may.
    let far = number >> 62;
    let moved = |number: u128| parse(&format!("{number}e{power}"), format);
    let found = moved(number)?;
    let around = [moved(number.checked_sub(far)?)?, moved(number.checked_add(far)?)?];
    (around == [found; 2]).then_some(found)
}

fn parse_hex(hex: &str, format: Float) -> Option<u64> {
    let (value, exponent) = hex_parts(hex)?;
    Some(rounded(value, exponent, format))
}

/// A number, and the power of two that it is multiplied by.
fn hex_parts(hex: &str) -> Option<(u128, i64)> {
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
    Some((value, exponent))
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
        assert_eq!(float("0x1.000003p0f"), Some(1.0000002));
    }

    #[test]
    fn long_constants() {
        let long = |text| parse_long(text, Float::F64).map(f64::from_bits);
        assert_eq!(long("1.79769313486231570814527423731704357e+308L"), Some(f64::MAX));
        assert_eq!(long("2.22507385850720138309023271733240406e-308l"), Some(f64::MIN_POSITIVE));
        assert_eq!(long("2.22044604925031308084726333618164062e-16L"), Some(f64::EPSILON));
        assert_eq!(
            (long("0.0L"), long("1L"), long("0x1p-3L")),
            (Some(0.0), Some(1.0), Some(0.125))
        );
        // 2^53 + 1 and a little more, which the first rounding loses.
        assert_eq!(long("9007199254740993.000000000000001L"), None);
        assert_eq!(long("0x20000000000001.0000001p0L"), None);
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
