//! The program with annotations written into its sources, read as any other program.

use std::path::{Path, PathBuf};

use selvedge_frontend_c as frontend;
use selvedge_infer::{Candidate, Reader, Reading, Unread};
use selvedge_ir::{Program, Span};
use selvedge_verdict::Stop;

use super::places::Places;
use super::source::{Source, settled, spot};

/// The file that annotations have their places in while they are tried.
const MARKS: &str = "annotations";

/// A folder for texts that are being tried, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> std::io::Result<Folder> {
        let name = format!("selvedge-infer-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(Folder(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Puts annotations into copies of the sources and has the front end read these.
pub struct Sources {
    pub files: Vec<Source>,
    pub places: Places,
    pub settings: frontend::Options,
    /// For the copies.
    pub folder: PathBuf,
}

impl Sources {
    /// Reads these texts in the place of the files. Their includes are found as if they were there.
    pub fn compile(&self, texts: &[String]) -> Result<Program, Failed> {
        self.compile_with(texts, &self.settings)
    }

    /// Likewise, with other settings.
    pub fn compile_with(
        &self,
        texts: &[String],
        settings: &frontend::Options,
    ) -> Result<Program, Failed> {
        let mut settings = settings.clone();
        let mut paths = Vec::new();
        for (number, (source, text)) in self.files.iter().zip(texts).enumerate() {
            let folder = source.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).to_owned();
            if !settings.preprocess.quote_dirs.contains(&folder) {
                settings.preprocess.quote_dirs.push(folder);
            }
            let path = self.copy(number);
            std::fs::write(&path, text).map_err(|error| Failed::Disk(error.to_string()))?;
            paths.push(path);
        }
        match frontend::compile(&paths, &settings) {
            Ok(compiled) => {
                let mut program = compiled.annotated.unwrap_or(compiled.program);
                program.name = self.files.first().map_or(program.name, |file| file.name.clone());
                Ok(program)
            }
            Err(failure) => Err(Failed::Refused(failure)),
        }
    }
}

/// Why texts cannot be read.
pub enum Failed {
    Disk(String),
    Refused(frontend::Failure),
}

impl Failed {
    pub fn stop(&self) -> Stop {
        let what = match self {
            Failed::Disk(error) => format!("a copy of the sources cannot be written: {error}"),
            Failed::Refused(failure) => {
                let first = failure.diagnostics.iter().find(|problem| problem.is_error());
                let first = first.map_or("", |problem| problem.message.as_str());
                format!("the sources cannot be read with annotations in them: {first}")
            }
        };
        Stop::Unsupported { what, span: Span::NONE }
    }

    /// The candidates that the front end complains about.
    fn rejected(&self) -> Vec<usize> {
        let Failed::Refused(failure) = self else { return Vec::new() };
        let spans = failure.diagnostics.iter().filter(|problem| problem.is_error());
        let places = spans.filter_map(|problem| problem.span).map(|at| failure.sources.locate(at));
        let marked = places.filter(|place| place.file == MARKS);
        marked.filter_map(|place| (place.line as usize).checked_sub(1)).collect()
    }
}

impl Sources {
    /// Where the text of a file is read from.
    pub fn copy(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{number}.c"))
    }
}

impl Reader for Sources {
    fn read(&mut self, annotations: &[&Candidate]) -> Result<Reading, Unread> {
        let mut comments = vec![Vec::new(); self.files.len()];
        let mut nowhere = Vec::new();
        for (position, candidate) in annotations.iter().enumerate() {
            let candidate = settled(&self.places, &self.files, candidate);
            match spot(&self.places, &self.files, &candidate) {
                Some(spot) => {
                    comments[spot.file].push((spot.line, position, candidate.to_string()));
                }
                None => nowhere.push(position),
            }
        }
        if !nowhere.is_empty() {
            return Err(Unread::Rejected(nowhere));
        }
        let texts = self.files.iter().zip(&comments);
        let texts: Vec<String> = texts.map(|(file, said)| file.marked(said, MARKS)).collect();
        let program = self.compile(&texts).map_err(|failed| match failed.rejected() {
            rejected if rejected.is_empty() => Unread::Stop(failed.stop()),
            rejected => Unread::Rejected(rejected),
        })?;
        let marks = program.files.iter().find(|(_, file)| file.name == MARKS).map(|(id, _)| id);
        Ok(Reading { program, marks })
    }
}
