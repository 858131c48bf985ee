//! Statements: assignments, branches, loops, blocks, calls.

use super::scope::Maker;
use super::types::{self, Type};

/// Blocks inside blocks.
const MAX_DEPTH: u32 = 4;

impl Maker<'_> {
    /// Some statements; what they declare is visible up to the end of the block.
    pub fn statements(&mut self) -> String {
        let outer = self.scope.len();
        let mut text = String::new();
        while self.left > 0 && self.choices.chance(5, 6) {
            self.left -= 1;
            text += &self.statement();
        }
        self.scope.truncate(outer);
        text
    }

    /// A block of statements.
    pub fn block(&mut self) -> String {
        self.depth += 1;
        let body = self.statements();
        self.depth -= 1;
        format!("{{\n{body}  }}")
    }

    fn statement(&mut self) -> String {
        match self.choices.below(if self.depth < MAX_DEPTH { 24 } else { 10 }) {
            0..=3 => self.assignment(),
            4 | 5 => self.local(),
            6 => self.pointer(),
            7 => self.call(),
            8 => self.record_copy(),
            9 => self.effect(),
            10 | 11 => self.branch(),
            12 | 13 => self.repeat(),
            14 => self.switch(),
            15 | 16 => self.jump(),
            17 => format!("  {}\n", self.block()),
            18 | 19 => self.library(),
            20 => self.array_of_variable_length(),
            21 => self.cleanup(),
            22 => self.unordered(),
            _ => self.fault(),
        }
    }

    pub fn assignment(&mut self) -> String {
        let Some(place) = self.place(true) else { return String::new() };
        let target = place.text;
        match self.choices.below(6) {
            3 => {
                let operator = self.choices.pick(&["&", "|", "^"]);
                format!("  {target} {operator}= {};\n", self.value(2))
            }
            // Arithmetic on what is narrower than `int` or wraps around.
            4 if !place.int.signed || place.int.bits < 32 => {
                let operator = self.choices.pick(&["+", "-"]);
                format!("  {target} {operator}= (short)({});\n", self.value(2))
            }
            5 if !place.int.signed || place.int.bits < 32 => {
                let form = self.choices.pick(&["++", "--"]);
                match self.choices.below(2) {
                    0 => format!("  {target}{form};\n"),
                    _ => format!("  {form}{target};\n"),
                }
            }
            _ => format!("  {target} = {};\n", self.value(3)),
        }
    }

    fn local(&mut self) -> String {
        let ty = self.some_type();
        let name = format!("v{}", self.fresh());
        let declared = types::declared(&ty, &name, &self.records);
        let storage = self.choices.pick(&["", "", "", "const ", "volatile ", "static "]);
        let value = match &ty {
            Type::Int(_) if storage != "static " => self.value(2),
            ty => self.initial(ty),
        };
        self.declare(&name, ty, storage == "const ");
        let mut text = format!("  {storage}{declared} = {value};\n");
        if storage == "const " {
            let var = &self.scope[self.scope.len() - 1];
            text += &self.mixed(&name, &var.ty);
        }
        text
    }

    fn pointer(&mut self) -> String {
        let Some(place) = self.place(true).filter(|place| !place.is_field) else {
            return String::new();
        };
        let name = format!("p{}", self.fresh());
        let text = format!("  {} *{name} = &{};\n", place.int.name, place.text);
        self.declare(&name, Type::Pointer(place.int), false);
        text
    }

    /// A call of a function that was made before, its result in a name of its own.
    fn call(&mut self) -> String {
        if self.functions.is_empty() {
            return self.assignment();
        }
        let number = self.choices.below(self.functions.len() as u64) as usize;
        let function = self.functions[number].clone();
        let arguments: Vec<String> =
            function.parameters.iter().map(|ty| self.argument(ty)).collect();
        let name = format!("v{}", self.fresh());
        let declared = types::declared(&function.result, &name, &self.records);
        let arguments = arguments.join(", ");
        let call = match self.choices.below(3) {
            1 => format!("(*&{})({arguments})", function.name),
            2 => format!("(1 ? {0} : {0})({arguments})", function.name),
            _ => format!("{}({arguments})", function.name),
        };
        let mixed = self.mixed(&name, &function.result);
        self.declare(&name, function.result, false);
        format!("  {declared} = {call};\n{mixed}")
    }

    fn argument(&mut self, ty: &Type) -> String {
        let Type::Record(number) = ty else { return self.value(2) };
        let same = |ty: &Type| matches!(ty, Type::Record(other) if other == number);
        let known = self.of_type(same, false);
        match known.last() {
            Some(var) => var.name.clone(),
            None => format!("({}){{ 0 }}", self.records[*number].name),
        }
    }

    /// Assignment of whole records, by `=` or `memcpy`.
    fn record_copy(&mut self) -> String {
        let targets = self.of_type(|ty| matches!(ty, Type::Record(_)), true);
        if targets.is_empty() {
            return self.assignment();
        }
        let target = targets[self.choices.below(targets.len() as u64) as usize].clone();
        let Type::Record(number) = target.ty else { return String::new() };
        let value = self.argument(&target.ty);
        let (name, ty) = (&target.name, &self.records[number].name);
        match self.choices.below(4) {
            0 => format!("  {name} = {value};\n"),
            1 => format!("  memcpy(&{name}, &({ty}){{ 0 }}, sizeof({ty}));\n"),
            2 => format!("  {{ {ty} t = {value}; memcpy(&{name}, &t, sizeof t); }}\n"),
            _ => format!("  memset(&{name}, 0, sizeof {name});\n"),
        }
    }

    fn branch(&mut self) -> String {
        let condition = self.condition();
        let then = self.block();
        match self.choices.below(3) {
            2 => format!("  if ({condition}) {then} else {}\n", self.block()),
            _ => format!("  if ({condition}) {then}\n"),
        }
    }

    fn repeat(&mut self) -> String {
        if self.loops >= 2 {
            return self.assignment();
        }
        let counter = format!("i{}", self.fresh());
        let times = 1 + self.choices.below(4);
        self.loops += 1;
        let outer = self.scope.len();
        self.declare(&counter, Type::Int(types::INTS[0]), true);
        let mut body = self.block();
        self.scope.truncate(outer);
        self.loops -= 1;
        if self.choices.chance(1, 4) {
            let leave = self.choices.pick(&["break", "continue"]);
            let condition = self.value(1);
            body = format!("{{\n  if (({condition}) & 1) {leave};\n  {body}\n  }}");
        }
        match self.choices.below(3) {
            0 => format!("  for (int {counter} = 0; {counter} < {times}; {counter}++) {body}\n"),
            1 => format!("  {{ int {counter} = -1; while (++{counter} < {times}) {body} }}\n"),
            _ => format!("  {{ int {counter} = {times}; do {body} while (--{counter} > 0); }}\n"),
        }
    }

    fn switch(&mut self) -> String {
        let selector = self.value(1);
        let mut text = format!("  switch (({selector}) & 7) {{\n");
        let mut label = 0;
        let default = self.choices.below(5);
        while label < 4 {
            if label == default {
                text += "  default: ;\n";
            }
            let range = self.choices.chance(1, 4);
            text += &match range {
                true => format!("  case {label} ... {}: ", label + 1),
                false => format!("  case {label}: "),
            };
            text += &self.block();
            text += if self.choices.chance(1, 2) { " break;\n" } else { "\n" };
            label += if range { 2 } else { 1 };
        }
        text + "  }\n"
    }
}
