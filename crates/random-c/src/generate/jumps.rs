//! Jumps in and out of scopes, and objects whose size is not constant.

use super::scope::Maker;
use super::types::{self, Type};

impl Maker<'_> {
    pub fn jump(&mut self) -> String {
        match self.choices.below(4) {
            0 => self.jump_forward(),
            1 => self.jump_back(),
            2 => self.jump_into(),
            // One label by address inside the scope of a cleanup would forbid all of them.
            3 if self.depth == 0 => self.jump_by_address(),
            _ => self.jump_forward(),
        }
    }

    fn jump_forward(&mut self) -> String {
        let label = format!("l{}", self.fresh());
        let condition = self.value(2);
        let body = self.block();
        format!("  {{\n  if ({condition}) goto {label};\n  {body}\n  }}\n  {label}: ;\n")
    }

    /// A loop by `goto`, whose block begins anew each time.
    fn jump_back(&mut self) -> String {
        if self.loops >= 2 {
            return self.jump_forward();
        }
        let (label, counter) = (format!("l{}", self.fresh()), format!("i{}", self.fresh()));
        let times = 1 + self.choices.below(3);
        self.loops += 1;
        let outer = self.scope.len();
        self.declare(&counter, Type::Int(types::INTS[0]), true);
        // No `break` or `continue` in here belongs to this loop.
        let body = self.in_a_loop_of_its_own();
        self.scope.truncate(outer);
        self.loops -= 1;
        format!(
            "  {{ int {counter} = 0;\n  {label}: ;\n  {body}\n  if (++{counter} < {times}) goto \
             {label};\n  }}\n"
        )
    }

    fn in_a_loop_of_its_own(&mut self) -> String {
        format!("do {} while (0);", self.block())
    }

    /// Into a block, past an initializer.
    fn jump_into(&mut self) -> String {
        let number = self.fresh();
        let (label, name) = (format!("l{number}"), format!("v{number}"));
        let condition = self.value(1);
        let (first, second) = (self.value(1), self.value(1));
        let outer = self.scope.len();
        self.declare(&name, Type::Int(types::INTS[0]), false);
        let body = self.block();
        self.scope.truncate(outer);
        format!(
            "  if ({condition}) goto {label};\n  {{\n  int {name} = {first};\n  mix$({name});\n  \
             {label}: {name} = {second};\n  {body}\n  mix$({name});\n  }}\n"
        )
    }

    fn jump_by_address(&mut self) -> String {
        let number = self.fresh();
        let (a, b, end) = (format!("a{number}_"), format!("b{number}_"), format!("e{number}_"));
        let value = self.value(1);
        let body = self.block();
        format!(
            "  {{ void *table[] = {{ &&{a}, &&{b} }};\n  goto *table[({value}) & 1];\n  {a}: mix$(1);\n  \
             {body}\n  goto {end};\n  {b}: mix$(2);\n  {end}: ;\n  }}\n"
        )
    }

    pub fn array_of_variable_length(&mut self) -> String {
        let number = self.fresh();
        let (name, length) = (format!("w{number}"), format!("n{number}"));
        let int = types::some_int(self.choices, false);
        let (size, value) = (self.value(1), self.value(1));
        let outer = self.scope.len();
        self.declare(&format!("{name}[0]"), Type::Int(int), false);
        let body = self.block();
        self.scope.truncate(outer);
        let dimension = self.choices.pick(&["", "", "[2]"]);
        let element = if dimension.is_empty() { "i" } else { "i / 2][i % 2" };
        let count = if dimension.is_empty() { "" } else { " * 2" };
        let body = if dimension.is_empty() { body } else { "{ }".to_owned() };
        format!(
            "  {{ int {length} = 1 + (({size}) & 3);\n  {int} {name}[{length}]{dimension};\n  for (int i = 0; \
             i < {length}{count}; i++) {name}[{element}] = (short)({value}) + i;\n  {length} = {length} * 2;\n  {body}\n  \
             mix$(sizeof {name});\n  for (int i = 0; i < {length} / 2{count}; i++) mix$({name}[{element}]);\n  }}\n",
            int = int.name
        )
    }
}
