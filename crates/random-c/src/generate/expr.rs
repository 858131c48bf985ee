//! Expressions without effects, of any integer type.
//!
//! Most of them cannot go wrong: arithmetic is unsigned or on small types, shifts are masked,
//! divisors are odd. What can go wrong all the same (INT_MIN / -1) the sanitizers see.

use super::scope::Maker;
use super::types::{self, INTS, Type};

const LITERALS: [&str; 24] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "10",
    "127",
    "128",
    "255",
    "-128",
    "256",
    "1000",
    "32767",
    "65535",
    "-32768",
    "2147483647",
    "(-2147483647 - 1)",
    "0x80000000u",
    "4294967295u",
    "'a'",
    "5000000000l",
    "0xfedcba9876543210ul",
    "(-9223372036854775807l - 1)",
];

/// Types whose arithmetic wraps around.
const WRAPPING: [&str; 4] = ["unsigned", "unsigned long", "uint64_t", "unsigned"];
/// Types whose values can be added and multiplied as `int`.
const SMALL: [&str; 4] = ["signed char", "unsigned char", "short", "char"];

impl Maker<'_> {
    pub fn literal(&mut self) -> String {
        self.choices.pick(&LITERALS).to_owned()
    }

    /// An expression of some integer type.
    pub fn value(&mut self, depth: u32) -> String {
        match self.choices.below(if depth == 0 { 3 } else { 12 }) {
            0 => self.literal(),
            1 | 2 => self.read(),
            3 | 4 => self.wrapping(depth - 1),
            5 => self.small(depth - 1),
            6 => self.comparison(depth - 1),
            7 => self.division_or_shift(depth - 1),
            8 => self.unary(depth - 1),
            9 => self.chosen(depth - 1),
            10 => self.literal_object(depth - 1),
            _ => self.rare(depth - 1),
        }
    }

    fn read(&mut self) -> String {
        match self.place(false) {
            Some(place) => place.text,
            None => self.literal(),
        }
    }

    fn wrapping(&mut self, depth: u32) -> String {
        let ty = self.choices.pick(&WRAPPING);
        let operator = self.choices.pick(&["+", "-", "*", "&", "|", "^"]);
        format!("(({ty})({}) {operator} ({ty})({}))", self.value(depth), self.value(depth))
    }

    fn small(&mut self, depth: u32) -> String {
        let (left, right) = (self.choices.pick(&SMALL), self.choices.pick(&SMALL));
        let operator = self.choices.pick(&["+", "-", "*", "&", "|", "^"]);
        format!("(({left})({}) {operator} ({right})({}))", self.value(depth), self.value(depth))
    }

    fn comparison(&mut self, depth: u32) -> String {
        let operator =
            self.choices.pick(&["==", "!=", "<", "<=", ">", ">=", "&&", "||", "^", "&", "|"]);
        format!("(({}) {operator} ({}))", self.value(depth), self.value(depth))
    }

    fn division_or_shift(&mut self, depth: u32) -> String {
        let (left, right) = (self.value(depth), self.value(depth));
        let ty = self.choices.pick(&WRAPPING);
        match self.choices.below(6) {
            0 => format!("(({ty})({left}) << (({right}) & 7))"),
            1 => format!("(({left}) >> (({right}) & 7))"),
            2 => format!("(({ty})({left}) >> (({right}) & 31))"),
            3 => format!("(({left}) / ((short)({right}) | 1))"),
            4 => format!("(({left}) % ((short)({right}) | 1))"),
            _ => format!("(({ty})({left}) % (({ty})({right}) | 1))"),
        }
    }

    fn unary(&mut self, depth: u32) -> String {
        let value = self.value(depth);
        match self.choices.below(6) {
            0 => format!("(~({value}))"),
            1 => format!("(!({value}))"),
            2 => format!("(-(short)({value}))"),
            3 => format!("(+({value}))"),
            _ => format!("(({})({value}))", self.choices.pick(&INTS).name),
        }
    }

    fn chosen(&mut self, depth: u32) -> String {
        let condition = self.value(depth);
        match self.choices.below(3) {
            0 => format!("(({condition}) ? ({}) : ({}))", self.value(depth), self.value(depth)),
            1 => format!("(({condition}) ?: ({}))", self.value(depth)),
            _ => format!("((void)({condition}), ({}))", self.value(depth)),
        }
    }

    /// A compound literal, or a statement expression.
    fn literal_object(&mut self, depth: u32) -> String {
        let int = types::some_int(self.choices, false).name;
        let value = self.value(depth);
        match self.choices.below(5) {
            0 => format!("(({int}){{ {value} }})"),
            1 => format!("((({int}[]){{ {value}, {} }})[({}) & 1])", self.value(0), self.value(0)),
            2 => format!("({{ {int} t = {value}; t; }})"),
            3 => format!("(*&({int}){{ {value} }})"),
            _ => self.record_literal(&value).unwrap_or(value),
        }
    }

    /// A field of a record that is written as a literal or comes from a name.
    fn record_literal(&mut self, value: &str) -> Option<String> {
        let structs: Vec<usize> = (0..self.records.len())
            .filter(|n| matches!(self.records[*n].fields[0].ty, Type::Int(_)))
            .filter(|n| !self.records[*n].union)
            .collect();
        if structs.is_empty() {
            return None;
        }
        let record = &self.records[self.choices.pick(&structs)];
        let name = &record.name;
        let known =
            self.scope.iter().rev().find(
                |var| matches!(var.ty, Type::Record(n) if self.records[n].name == record.name),
            );
        let other = known.map_or_else(|| format!("({name}){{ 0 }}"), |var| var.name.clone());
        Some(match self.choices.below(3) {
            0 => format!("((({name}){{ {value} }}).f0)"),
            1 => format!("((({value}) ? ({name}){{ .f0 = 1 }} : {other}).f0)"),
            _ => format!("(({{ {name} t = {other}; t.f0 = {value}; t; }}).f0)"),
        })
    }

    fn rare(&mut self, depth: u32) -> String {
        let value = self.value(depth);
        match self.choices.below(13) {
            8 => format!("(sizeof(short[1 + (({value}) & 1)]))"),
            9 => format!("__builtin_parity({value})"),
            10 => format!("(*(({value}) & 1 ? &(int){{ 5 }} : &(int){{ 6 }}))"),
            11 => format!("(\"abcdef\"[({value}) & 3])"),
            0 => format!("(sizeof(+({value})))"),
            1 => format!("__builtin_popcount({value})"),
            2 => format!("__builtin_ctz(({value}) | 256)"),
            3 => format!("__builtin_clzll(({value}) | 1)"),
            4 => format!("__builtin_ffs({value})"),
            5 => self.selected(&value),
            6 => format!("__builtin_bswap32({value})"),
            7 => format!("__builtin_choose_expr(1, {value}, 0)"),
            _ => self.floating(&value),
        }
    }

    /// A selection by type. Compilers give a bit-field wider than `int` different types, so the value
    /// is converted first.
    fn selected(&mut self, value: &str) -> String {
        let ty = self.choices.pick(&["char", "short", "int", "unsigned", "long", "long long"]);
        format!("(_Generic(+({ty})({value}), int: 1, unsigned: 2, long: 3, default: 4))")
    }

    /// Floating point whose result is an integer again.
    fn floating(&mut self, value: &str) -> String {
        let ty = self.choices.pick(&["double", "float"]);
        let other = self.choices.pick(&["0.5", "3.0f", "1e3", "-7.25", "0.1f", "1.0e-3"]);
        match self.choices.below(7) {
            0 => format!("((int)(({ty})(short)({value}) * {other}))"),
            1 => format!("((({ty})(int)({value}) + {other}) < ({ty})(int)({value}))"),
            2 => format!("((long)({ty})(int)({value}))"),
            3 => format!("(({ty})({value}) == ({value}))"),
            4 => format!("((unsigned char)(({ty})(unsigned char)({value}) / 3))"),
            5 => format!("((int)(float)((double)(short)({value}) / ({other} * 3)))"),
            _ => format!("(!(({ty})(short)({value}) / {other}))"),
        }
    }
}
