//! Where the sources declare variables, members and functions: the lines that annotations stand at.

use selvedge_c_syntax::ast::{
    Declaration, Derived, Item, Member as Field, RecordSpecifier, Span, Specifiers, Storage,
    TranslationUnit, TypeSpecifier,
};
use selvedge_c_syntax::{PreprocessOptions, SourceMap, load, parse_with};
use selvedge_infer::Member;
use std::path::PathBuf;

/// The lines of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    pub file: String,
    pub first: u32,
    pub last: u32,
}

/// The declarations of some sources.
#[derive(Debug, Default)]
pub struct Places {
    pub variables: Vec<(String, Lines)>,
    pub functions: Vec<(String, Lines)>,
    records: Vec<Record>,
}

#[derive(Debug)]
struct Record {
    tag: Option<String>,
    lines: Lines,
    members: Vec<(String, Lines)>,
}

impl Places {
    /// Reads the sources once more, as syntax only. What cannot be read has no places.
    pub fn of(files: &[PathBuf], options: &PreprocessOptions) -> Places {
        let mut places = Places::default();
        for file in files {
            let mut sources = SourceMap::new();
            if let Ok(source) = load(file, options, &mut sources) {
                let parsed = parse_with(source, &sources, false);
                places.unit(&parsed.unit, &sources);
            }
        }
        places
    }

    fn unit(&mut self, unit: &TranslationUnit, sources: &SourceMap) {
        for item in &unit.items {
            match item {
                Item::Function(function) if !sources.is_system_header(function.span) => {
                    if let Some(name) = &function.declarator.name {
                        let lines = lines(function.span, sources);
                        self.functions.push((name.name.to_string(), lines));
                    }
                    self.specifiers(&function.specifiers, function.span, sources);
                }
                Item::Declaration(declaration) if !sources.is_system_header(declaration.span) => {
                    self.declaration(declaration, sources);
                }
                _ => {}
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration, sources: &SourceMap) {
        let Declaration { specifiers, declarators, span } = declaration;
        self.specifiers(specifiers, *span, sources);
        if matches!(specifiers.storage, Some(Storage::Typedef | Storage::Extern)) {
            return;
        }
        for item in declarators {
            let is_function =
                matches!(item.declarator.derived.first(), Some(Derived::Function { .. }));
            if let (Some(name), false) = (&item.declarator.name, is_function) {
                self.variables.push((name.name.to_string(), lines(*span, sources)));
            }
        }
    }

    /// The records that are defined there.
    fn specifiers(&mut self, specifiers: &Specifiers, span: Span, sources: &SourceMap) {
        if let TypeSpecifier::Record(record) = &specifiers.ty
            && let Some(members) = &record.members
        {
            self.record(record, members, span, sources);
        }
    }

    fn record(
        &mut self,
        record: &RecordSpecifier,
        members: &[Field],
        span: Span,
        sources: &SourceMap,
    ) {
        let mut found = Vec::new();
        for member in members {
            let Field::Fields { specifiers, declarators, span: at, .. } = member else { continue };
            self.specifiers(specifiers, span, sources);
            for declarator in declarators {
                let name = declarator.declarator.as_ref().and_then(|d| d.name.as_ref());
                found.extend(name.map(|name| (name.name.to_string(), lines(*at, sources))));
            }
        }
        let word = if record.union { "union" } else { "struct" };
        let tag = record.tag.as_ref().map(|tag| format!("{word} {}", tag.name));
        self.records.push(Record { tag, lines: lines(span, sources), members: found });
    }

    /// The lines of a member. A record without a tag is found by the names of its members.
    pub fn member(&self, member: &Member) -> Option<&Lines> {
        let tagged = self.records.iter().find(|record| record.tag.as_ref() == Some(&member.record));
        let has_all = |record: &&Record| {
            let names = record.members.iter().map(|(name, _)| name);
            record.tag.is_none() && names.eq(member.members.iter().filter(|name| !name.is_empty()))
        };
        let record = tagged.or_else(|| self.records.iter().find(has_all))?;
        record.members.iter().find(|(name, _)| *name == member.name).map(|(_, lines)| lines)
    }

    pub fn variable(&self, name: &str) -> Option<&Lines> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, lines)| lines)
    }

    pub fn function(&self, name: &str) -> Option<&Lines> {
        self.functions.iter().find(|(known, _)| known == name).map(|(_, lines)| lines)
    }

    /// A variable, or a record by its tag.
    pub fn named(&self, name: &str) -> Option<&Lines> {
        let record = || self.records.iter().find(|record| record.tag.as_deref() == Some(name));
        self.variable(name).or_else(|| record().map(|record| &record.lines))
    }

    /// How many declarations end on a line.
    pub fn ending(&self, file: &str, line: u32) -> usize {
        let variables = self.variables.iter().chain(&self.functions).map(|(_, lines)| lines);
        let members = self.records.iter().flat_map(|record| &record.members);
        let all = variables.chain(members.map(|(_, lines)| lines));
        all.filter(|lines| lines.file == file && lines.last == line).count()
    }
}

fn lines(span: Span, sources: &SourceMap) -> Lines {
    let first = sources.locate(span);
    let end = Span { start: span.end.saturating_sub(1).max(span.start), ..span };
    let last = sources.locate(end);
    let last = if last.file == first.file { last.line.max(first.line) } else { first.line };
    Lines { file: first.file, first: first.line, last }
}
