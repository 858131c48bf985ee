//! Functions of a generated program: helpers that every program has, and random ones.

use super::scope::{Function, Maker};
use super::types::{self, Type};

/// Functions that statements call by name.
const HELPERS: &str = "\
static unsigned trail$;
static int effect$(int v) { trail$ = trail$ * 5u + (unsigned)v; return (int)(trail$ & 1023u); }
static void clean$(int *p) { mix$(*p); trail$ += 3u; }
static int add$(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static int pick$(int a, int b) { return a < b ? b : a; }
static int (*choose$(int which))(int, int) { return which & 1 ? add$ : pick$; }
static long sum_of$(int n, ...) {
  long total = 0;
  va_list list;
  va_start(list, n);
  while (n-- > 0) total = (long)((unsigned long)total * 3u + (unsigned long)va_arg(list, long));
  va_end(list);
  return total;
}
static int depth$(int n) { return n <= 0 ? 1 : add$(n, depth$(n - 1) * 2); }
";

impl Maker<'_> {
    pub fn helpers(&mut self) {
        self.globals += HELPERS;
    }

    pub fn functions(&mut self) {
        while self.functions.len() < 3 && self.choices.chance(1, 2) {
            self.function();
        }
    }

    fn function(&mut self) {
        let name = format!("h{}$", self.functions.len());
        let outer = self.scope.len();
        let parameters: Vec<Type> = (0..self.choices.below(3)).map(|_| self.passed()).collect();
        let result = self.passed();
        let mut head = Vec::new();
        for (number, ty) in parameters.iter().enumerate() {
            head.push(types::declared(ty, &format!("a{number}"), &self.records));
            self.declare(&format!("a{number}"), ty.clone(), false);
        }
        let declared = types::declared(&result, "", &self.records);
        let initial = self.initial(&result);
        let local = types::declared(&result, "back", &self.records);
        self.declare("back", result.clone(), false);
        let left = std::mem::replace(&mut self.left, 8);
        let body = self.statements();
        self.left = left;
        self.scope.truncate(outer);
        let head = if head.is_empty() { "void".to_owned() } else { head.join(", ") };
        self.globals += &format!(
            "static {declared} {name}({head}) {{\n  {local} = {initial};\n{body}  return back;\n}}\n"
        );
        self.functions.push(Function { name, parameters, result });
    }

    /// A type that can be passed by value.
    fn passed(&mut self) -> Type {
        match self.choices.below(3) {
            2 if !self.records.is_empty() => {
                Type::Record(self.choices.below(self.records.len() as u64) as usize)
            }
            _ => Type::Int(types::some_int(self.choices, false)),
        }
    }

    /// The body of the program: statements, and everything that is global at the end.
    pub fn main_body(&mut self) -> String {
        let globals = self.scope.clone();
        let body = self.statements();
        let mixed: String = globals.iter().map(|var| self.mixed(&var.name, &var.ty)).collect();
        format!("{body}{mixed}  mix$(trail$);\n")
    }
}
