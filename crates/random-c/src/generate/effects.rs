//! Expressions with effects: where C orders them, and where it does not.

use super::scope::Maker;
use super::types::{self, Type};

impl Maker<'_> {
    /// A condition; its effects are ordered, and nothing else is evaluated with it.
    pub fn condition(&mut self) -> String {
        match self.choices.below(5) {
            3 => format!("effect$({}) & 1", self.value(1)),
            4 => {
                let operator = self.choices.pick(&["&&", "||", ","]);
                format!(
                    "(effect$({}) & 1) {operator} (effect$({}) & 2)",
                    self.value(1),
                    self.value(1)
                )
            }
            _ => self.value(2),
        }
    }

    /// A statement whose effects are ordered.
    pub fn effect(&mut self) -> String {
        let value = self.value(2);
        match self.choices.below(9) {
            0 => format!("  mix$({value});\n"),
            1 => format!("  mix$(effect$({value}));\n"),
            2 => format!("  mix$(choose$({value})({}, 3));\n", self.value(1)),
            3 => format!("  mix$(sum_of$(2, (long)({value}), (long)({})));\n", self.value(1)),
            4 => format!("  mix$(depth$(({value}) & 3));\n"),
            5 => format!("  mix$(({value}) ? effect$(1) : effect$(2));\n"),
            6 => format!("  mix$((effect$({value}), effect$(4)));\n"),
            7 => ranged(&value),
            _ => self.overflow_builtin(&value),
        }
    }

    fn overflow_builtin(&mut self, value: &str) -> String {
        let int = types::INTS[self.choices.below(8) as usize].name;
        let name = self.choices.pick(&["add", "sub", "mul"]);
        let other = self.value(1);
        format!(
            "  {{ {int} t; mix$(__builtin_{name}_overflow({value}, {other}, &t)); mix$(t); }}\n"
        )
    }

    /// A statement whose effects C lets happen in several orders.
    pub fn unordered(&mut self) -> String {
        if !self.choices.chance(1, 3) {
            return self.effect();
        }
        self.unordered = true;
        let (left, right) = (self.value(1), self.value(1));
        match self.choices.below(4) {
            0 => format!("  mix$(effect$({left}) - effect$({right}));\n"),
            1 => format!("  mix$(add$(effect$({left}), effect$({right})));\n"),
            2 => {
                format!("  {{ int t[2] = {{ effect$({left}), effect$({right}) }}; mix$(t[1]); }}\n")
            }
            _ => format!("  mix$((trail$ & 255u) * 2u + (unsigned)effect$({right}));\n"),
        }
    }

    /// An object whose end of life runs a function.
    pub fn cleanup(&mut self) -> String {
        let name = format!("c{}", self.fresh());
        let value = self.value(1);
        let outer = self.scope.len();
        self.declare(&name, Type::Int(types::INTS[0]), false);
        let body = self.block();
        let leave = match self.choices.below(3) {
            1 if self.loops > 0 => format!("  if (({}) & 1) break;\n", self.value(1)),
            2 => {
                let label = format!("out{}", self.fresh());
                self.scope.truncate(outer);
                return format!(
                    "  {{ int {name} __attribute__((cleanup(clean$))) = {value};\n  {body}\n  \
                     if ({name} & 1) goto {label};\n  mix$({name});\n  }}\n  {label}: ;\n"
                );
            }
            _ => String::new(),
        };
        self.scope.truncate(outer);
        format!(
            "  {{ int {name} __attribute__((cleanup(clean$))) = {value};\n  {body}\n{leave}  }}\n"
        )
    }
}

/// An initializer of several elements, which is evaluated once; clang has only constant ones.
fn ranged(value: &str) -> String {
    format!(
        "#ifdef __clang__\n  {{ int t = effect$({value}); mix$(t); mix$(t); }}\n#else\n  {{ int t[2] = {{ \
         [0 ... 1] = effect$({value}) }}; mix$(t[0]); mix$(t[1]); }}\n#endif\n"
    )
}
