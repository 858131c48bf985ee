//! Functions that print with a format: what they read.
//!
//! The arguments are evaluated like any others. A string that is printed is read through its
//! pointer, which matters where races or memory are checked.

use selvedge_c_syntax::ast::{self, Span};
use selvedge_ir::Property;

use crate::expr::Value;
use crate::lowering::{GlobalId, Lowering};

impl<'a> Lowering<'a> {
    /// A call of the model, with what is printed as a string read. `format` is the number of the
    /// format among the arguments, `first` that of the first argument that it prints.
    pub(super) fn print(
        &mut self,
        model: GlobalId,
        declared: GlobalId,
        args: &'a [ast::Expr],
        (format, first): (usize, usize),
        span: Span,
    ) -> Option<Value> {
        let reader = self.library_function("__selvedge_read_string")?;
        let checked = self.options.checks(Property::Race) || self.options.checks(Property::Memory);
        let strings = string_arguments(&self.literal_text(args.get(format)?)?);
        if !checked || strings.is_empty() || self.frame.constant {
            return None;
        }
        let seen = self.types.as_function(self.global(declared).ty)?;
        let own = self.types.as_function(self.global(model).ty)?;
        let mut values = Vec::new();
        for arg in args {
            values.push(self.rvalue(arg));
        }
        for index in strings {
            if let Some(value) = values.get(first + index)
                && self.types.is_pointer(value.ty)
            {
                let value = value.clone();
                let void = self.types.void();
                self.inline_values(reader, void, vec![value], span);
            }
        }
        values.truncate(own.params.len());
        let result = self.inline_values(model, seen.ret, values, span);
        Some(self.convert(result, seen.ret, span))
    }
}

/// Which of the arguments after the format are printed as strings to their end.
fn string_arguments(format: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut argument = 0;
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let mut bounded = false;
        for c in chars.by_ref() {
            match c {
                '%' => break,
                '*' => argument += 1,
                '.' => bounded = true,
                c if c.is_ascii_digit() || "-+ #'hlLqjzt".contains(c) => {}
                conversion => {
                    if conversion == 's' && !bounded {
                        found.push(argument);
                    }
                    argument += 1;
                    break;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::string_arguments;

    #[test]
    fn strings_of_a_format() {
        assert_eq!(string_arguments("%d %s %5.2f %%s %s"), [1, 3]);
        assert_eq!(string_arguments("%*d %.*s %ls"), [4]);
        assert!(string_arguments("plain %").is_empty());
    }
}
