//! Every question as SMT-LIB text in a folder, for people who want to see it or give it to
//! another solver.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::print::{Printer, local_name, quoted};
use crate::term::{Term, Terms};

/// Where questions are written. Clones count together, from several threads too.
#[derive(Clone, Debug)]
pub struct Dump {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    count: AtomicU32,
    error: Mutex<Option<String>>,
}

impl Dump {
    /// Makes the folder if need be.
    pub fn new(folder: &Path) -> std::io::Result<Dump> {
        std::fs::create_dir_all(folder)?;
        let shared =
            Shared { folder: folder.to_owned(), count: AtomicU32::new(0), error: Mutex::new(None) };
        Ok(Dump { shared: Arc::new(shared) })
    }

    /// The first file that could not be written, and why. A verdict does not depend on it.
    pub fn error(&self) -> Option<String> {
        self.shared.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Written before the question is asked, so that it is there if the solver does not return.
    pub(crate) fn begin(&self, kind: &str, script: &str) -> DumpFile {
        let number = self.shared.count.fetch_add(1, Ordering::Relaxed) + 1;
        let path = self.shared.folder.join(format!("{number:05}-{kind}.smt2"));
        let file = DumpFile { dump: self.clone(), path };
        file.write(script, false);
        file
    }
}

pub(crate) struct DumpFile {
    dump: Dump,
    path: PathBuf,
}

impl DumpFile {
    /// Notes the answer.
    pub fn end(self, answer: &str) {
        self.write(&format!("; answer: {answer}\n"), true);
    }

    fn write(&self, text: &str, append: bool) {
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(append).write(true).truncate(!append);
        let written = options
            .open(&self.path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
        if let Err(error) = written {
            let mut first = self.dump.shared.error.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(format!("{}: {error}", self.path.display()));
        }
    }
}

/// A satisfiability question. Assumptions become named literals.
pub fn check_script(terms: &Terms, asserted: &[Term], assumptions: &[Term]) -> String {
    let roots: Vec<Term> = asserted.iter().chain(assumptions).copied().collect();
    let mut out = String::new();
    declare(&mut out, terms, &terms.variables(&roots));
    let mut printer = Printer::new(terms);
    for (part, index) in printer.name_parts(&roots) {
        let sort = terms.show_sort(terms.sort(part));
        let _ = write!(out, "(define-fun {} () {sort} ", local_name(index));
        let _ = printer.write_node(&mut out, part);
        out.push_str(")\n");
    }
    for &formula in asserted {
        out.push_str("(assert ");
        let _ = printer.write(&mut out, formula);
        out.push_str(")\n");
    }
    if assumptions.is_empty() {
        return out + "(check-sat)\n";
    }
    for (index, &assumption) in assumptions.iter().enumerate() {
        let _ = write!(out, "(declare-const ?assume{index} Bool)\n(assert (=> ?assume{index} ");
        let _ = printer.write(&mut out, assumption);
        out.push_str("))\n");
    }
    out.push_str("(check-sat-assuming (");
    for index in 0..assumptions.len() {
        let _ = write!(out, " ?assume{index}");
    }
    out + " ))\n"
}

/// An elimination, as a command of Z3.
pub(crate) fn eliminate_script(terms: &Terms, variables: &[Term], formula: Term) -> String {
    let mut free = terms.variables(&[formula]);
    free.retain(|variable| !variables.contains(variable));
    let mut out = String::new();
    declare(&mut out, terms, &free);
    out.push_str("(assert (exists (");
    for &variable in variables {
        let name = quoted(terms.name(variable).unwrap_or_default());
        let _ = write!(out, "({name} {})", terms.show_sort(terms.sort(variable)));
    }
    let _ = writeln!(out, ") {}))\n(apply qe)", terms.show(formula));
    out
}

/// Declarations of variables. Writing into a string does not fail.
fn declare(out: &mut String, terms: &Terms, variables: &[Term]) {
    for &variable in variables {
        let name = quoted(terms.name(variable).unwrap_or_default());
        let sort = terms.show_sort(terms.sort(variable));
        let _ = writeln!(out, "(declare-const {name} {sort})");
    }
}
