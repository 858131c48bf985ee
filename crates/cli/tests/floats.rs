//! Floating point against the C compiler: random expressions, whose bits the compiled program prints
//! and the verified program asserts.

mod common;

use std::fmt::Write;
use std::process::Command;

use common::{SAFE, file, selvedge};

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const FLOATS: [&str; 2] = ["float", "double"];
const INTS: [(&str, &str, &str); 6] = [
    ("signed char", "-100", "100"),
    ("unsigned short", "0", "60000"),
    ("int", "-2e9", "2e9"),
    ("unsigned", "0", "4e9"),
    ("long", "-9e18", "9e18"),
    ("unsigned long", "0", "1.8e19"),
];

struct Program {
    random: Random,
    /// Names and types.
    variables: Vec<(String, &'static str)>,
    text: String,
}

impl Program {
    fn literal(&mut self) -> String {
        let places = self.random.next() >> 4;
        match self.random.below(4) {
            0 => {
                let simple = ["0.0", "1.0", "0.1", "2.5", "1e10", "16777217.0", "1e-40", "3e38"];
                self.random.pick(&simple).to_owned()
            }
            1 => format!("{}.{:03}", self.random.below(200), self.random.below(1000)),
            2 => format!("0x1.{places:x}p{}", self.random.below(90) as i64 - 30),
            _ => format!("{}e{}", self.random.below(1000), self.random.below(70) as i64 - 40),
        }
    }

    fn float(&mut self, ty: &'static str, depth: u32) -> String {
        let known: Vec<String> =
            self.variables.iter().filter(|v| v.1 == ty).map(|v| v.0.clone()).collect();
        if depth == 0 && !known.is_empty() && self.random.below(2) == 0 {
            return known[self.random.below(known.len())].clone();
        }
        let suffix = if ty == "float" { "f" } else { "" };
        if depth == 0 {
            return format!("{}{suffix}", self.literal());
        }
        let deeper = depth - 1;
        match self.random.below(9) {
            0 => format!("(-{})", self.float(ty, deeper)),
            1 => {
                let other = FLOATS[usize::from(ty == "float")];
                format!("(({ty}){})", self.float(other, deeper))
            }
            2 => format!("(({ty}){})", self.integer(deeper)),
            3 => format!(
                "({} ? {} : {})",
                self.condition(deeper),
                self.float(ty, deeper),
                self.float(ty, deeper)
            ),
            4 => {
                let names = ["fabs", "sqrt", "floor", "ceil", "trunc", "round", "rint"];
                let name = self.random.pick(&names);
                format!("{name}{suffix}({})", self.float(ty, deeper))
            }
            _ => {
                let operator = self.random.pick(&["+", "-", "*", "/"]);
                let (a, b) = (self.float(ty, deeper), self.float(ty, deeper));
                format!("({a} {operator} {b})")
            }
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let types = [0, 1].map(|_| FLOATS[self.random.below(2)]);
        format!("({} {operator} {})", self.float(types[0], depth), self.float(types[1], depth))
    }

    fn integer(&mut self, depth: u32) -> String {
        let (ty, least, most) = INTS[self.random.below(INTS.len())];
        match self.random.below(3) {
            0 => format!("(({ty}){}ul)", self.random.next() >> self.random.below(64)),
            1 => format!("(({ty}){})", self.condition(depth)),
            _ => format!("(({ty})inside({}, {least}, {most}))", self.float("double", depth)),
        }
    }

    fn declarations(&mut self, count: usize) {
        for number in 0..count {
            let ty = match self.random.below(4) {
                0 => "long",
                1 => "float",
                _ => "double",
            };
            let value = if ty == "long" { self.integer(2) } else { self.float(ty, 3) };
            let name = format!("x{number}");
            let _ = writeln!(self.text, "  {ty} {name} = {value};");
            self.variables.push((name, ty));
        }
    }
}

const HEAD: &str = "#include <assert.h>\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\
    static double inside(double x, double least, double most) {\n\
    \x20 return x < least ? least : x > most ? most : x == x ? x : 0;\n}\n\
    int main(void) {\n";

/// The bits of a variable in `b`; what is not a number has bits that nobody prescribes.
fn bits(name: &str, ty: &str) -> String {
    format!("{{ unsigned long b = 0; if ({name} == {name}) memcpy(&b, &{name}, sizeof({ty}));")
}

#[test]
fn numbers_are_those_of_the_compiler() {
    for seed in 1..=6u64 {
        let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut program = Program { random, variables: Vec::new(), text: String::new() };
        program.declarations(20);
        let mut printing = format!("{HEAD}{}", program.text);
        for (name, ty) in &program.variables {
            let _ = writeln!(printing, "  {} printf(\"%lu\\n\", b); }}", bits(name, ty));
        }
        let source = file("floats", &format!("print{seed}.c"), printing + "  return 0;\n}\n");
        let binary = source.trim_end_matches(".c").to_owned();
        let compiled = Command::new("cc")
            .args(["-w", "-O0", "-fno-builtin", &source, "-o", &binary, "-lm"])
            .status();
        assert!(compiled.is_ok_and(|status| status.success()), "{source} does not compile");
        let run = Command::new(&binary).output().expect("the compiled program runs");
        let printed = String::from_utf8_lossy(&run.stdout).into_owned();
        let mut asserting = format!("{HEAD}{}", program.text);
        assert_eq!(printed.lines().count(), program.variables.len());
        for ((name, ty), value) in program.variables.iter().zip(printed.lines()) {
            let _ = writeln!(asserting, "  {} assert(b == {value}ul); }}", bits(name, ty));
        }
        let source = file("floats", &format!("assert{seed}.c"), asserting + "  return 0;\n}\n");
        selvedge(&["verify", "--engine", "explore", "--property", "assert", &source]).ends(SAFE);
    }
}
