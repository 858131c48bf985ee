//! Horn clauses as SMT-LIB text. "sat" means that there is a solution.

use std::fmt::Write as _;

use super::{Atom, Horn, Rule};
use crate::print::{Printer, local_name, quoted};
use crate::term::{Term, Terms};

impl Horn {
    pub fn script(&self, terms: &Terms) -> String {
        let mut out = String::from("(set-logic HORN)\n");
        for (_, relation) in self.relations() {
            let sorts: Vec<String> =
                relation.sorts.iter().map(|&s| terms.show_sort(s).to_string()).collect();
            let _ = writeln!(
                out,
                "(declare-fun {} ({}) Bool)",
                quoted(&relation.name),
                sorts.join(" ")
            );
        }
        for (_, rule) in self.rules() {
            // A name may hold a line end, which would end the comment.
            let _ = writeln!(out, "; {}", rule.name.replace(['\n', '\r'], " "));
            self.write_rule(&mut out, terms, rule);
        }
        out + "(check-sat)\n"
    }

    /// Writing into a string does not fail.
    fn write_rule(&self, out: &mut String, terms: &Terms, rule: &Rule) {
        let variables = rule.variables(terms);
        let atoms = rule.body.iter().chain(&rule.head);
        let mut roots: Vec<Term> = atoms.flat_map(|atom| atom.args.iter().copied()).collect();
        roots.push(rule.constraint);
        let mut printer = Printer::new(terms);
        let named = printer.name_parts(&roots);
        out.push_str("(assert ");
        if !variables.is_empty() {
            out.push_str("(forall (");
            for &variable in &variables {
                let name = quoted(terms.name(variable).unwrap_or_default());
                let _ = write!(out, "({name} {})", terms.show_sort(terms.sort(variable)));
            }
            out.push_str(") ");
        }
        for &(part, index) in &named {
            let _ = write!(out, "(let (({} ", local_name(index));
            let _ = printer.write_node(out, part);
            out.push_str(")) ");
        }
        out.push_str("(=> (and ");
        let _ = printer.write(out, rule.constraint);
        for atom in &rule.body {
            out.push(' ');
            self.write_atom(out, &printer, atom);
        }
        out.push_str(") ");
        match &rule.head {
            Some(head) => self.write_atom(out, &printer, head),
            None => out.push_str("false"),
        }
        let open = 2 + named.len() + usize::from(!variables.is_empty());
        out.push_str(&")".repeat(open));
        out.push('\n');
    }

    fn write_atom(&self, out: &mut String, printer: &Printer<'_>, atom: &Atom) {
        let name = quoted(&self.get_relation(atom.relation).name);
        if atom.args.is_empty() {
            out.push_str(&name);
            return;
        }
        let _ = write!(out, "({name}");
        for &arg in &atom.args {
            out.push(' ');
            let _ = printer.write(out, arg);
        }
        out.push(')');
    }
}
