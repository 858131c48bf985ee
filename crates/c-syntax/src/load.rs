//! Reading source files, with the system's preprocessor where they need it.

mod preprocess;
mod report;

use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::lexer::literal::RAW_BYTE;
use crate::lexer::may_have_annotations;
use crate::source::{SourceMap, user_files};

/// The sizes of C's integers and pointers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModel {
    #[default]
    Lp64,
    Ilp32,
}

/// Options for the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct PreprocessOptions {
    pub include_dirs: Vec<PathBuf>,
    /// Searched for `#include "..."` only, before those (`-iquote`).
    pub quote_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`
    pub defines: Vec<String>,
    /// Files included before the first line (`-include`).
    pub forced_includes: Vec<PathBuf>,
    pub model: DataModel,
    /// Keep comments with specifications.
    pub specifications: bool,
}

/// The largest text that is taken: positions are 32-bit numbers, and a larger file is a mistake.
const MAX_TEXT: usize = 64 << 20;

/// Reads one file into the source map. A name in `.i` is preprocessed already; anything else goes
/// through `cc -E` (`$CC` if set).
#[expect(clippy::result_large_err, reason = "it is made once a file")]
pub fn load(
    path: &Path,
    options: &PreprocessOptions,
    sources: &mut SourceMap,
) -> Result<u32, Diagnostic> {
    let text = read(path)?;
    let name = path.display().to_string();
    if path.extension().is_some_and(|extension| extension == "i") {
        return Ok(sources.add(name, text));
    }
    match preprocessed(path, &text, options) {
        Ok(output) if output.len() > MAX_TEXT => {
            Err(too_large(path).help("this is its size after preprocessing"))
        }
        Ok(output) => Ok(sources.add(name, decode(output))),
        Err(failure) => Err(report::diagnostic(failure, &name, text, sources)),
    }
}

/// The text after preprocessing. Comments are kept only where there are annotations, in the
/// file or in one that it includes: for a preprocessor that keeps them, a comment before the `#` of
/// a directive makes that line an ordinary one.
fn preprocessed(
    path: &Path,
    text: &str,
    options: &PreprocessOptions,
) -> Result<Vec<u8>, preprocess::Failure> {
    if may_have_annotations(text, options.specifications) {
        return preprocess::run(path, options, true);
    }
    let output = preprocess::run(path, options, false)?;
    let annotated = |file: &String| {
        let text = std::fs::read(file).unwrap_or_default();
        may_have_annotations(&String::from_utf8_lossy(&text), options.specifications)
    };
    match user_files(&String::from_utf8_lossy(&output)).iter().any(annotated) {
        true => preprocess::run(path, options, true),
        false => Ok(output),
    }
}

/// The text of a file, or why it cannot be one.
#[expect(clippy::result_large_err, reason = "it is made once a file")]
fn read(path: &Path) -> Result<String, Diagnostic> {
    let name = path.display();
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Diagnostic::error("file", format!("there is no file `{name}`"))
        }
        _ => Diagnostic::error("file", format!("cannot read `{name}`: {error}")),
    };
    let data = std::fs::metadata(path).map_err(cannot)?;
    if data.is_dir() {
        let error = Diagnostic::error("file", format!("`{name}` is a folder"));
        return Err(error.help("give the C files in it by name"));
    }
    if !data.is_file() {
        // A pipe or a device could block forever.
        return Err(Diagnostic::error("file", format!("`{name}` is not a regular file")));
    }
    if data.len() > MAX_TEXT as u64 {
        return Err(too_large(path));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    if bytes.is_empty() {
        return Err(Diagnostic::error("file", format!("`{name}` is empty")));
    }
    if bytes.contains(&0) {
        let error = Diagnostic::error("file", format!("`{name}` is a binary file, not C source"));
        return Err(error.help("it contains zero bytes"));
    }
    Ok(decode(bytes))
}

fn too_large(path: &Path) -> Diagnostic {
    let limit = MAX_TEXT >> 20;
    Diagnostic::error("file", format!("`{}` is larger than {limit} MiB", path.display()))
}

/// Bytes as text. What is not UTF-8 (older files, mostly in comments and strings) becomes
/// characters from which the lexer gets the bytes back.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::new();
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            let raw = chunk.invalid().iter();
            text.extend(raw.filter_map(|&byte| char::from_u32(RAW_BYTE + u32::from(byte))));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::render;

    /// A folder of the test's own, removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Folder {
            let name = format!("selvedge-load-{test}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).expect("a temporary folder");
            Folder(folder)
        }

        fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, bytes).expect("a temporary file");
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn text(path: &Path, options: &PreprocessOptions) -> String {
        let mut sources = SourceMap::new();
        match load(path, options, &mut sources) {
            Ok(id) => sources.text(id).to_string(),
            Err(error) => panic!("{}", render(&[error], &sources, false)),
        }
    }

    fn failure(path: &Path) -> String {
        let mut sources = SourceMap::new();
        let error = load(path, &PreprocessOptions::default(), &mut sources).expect_err("an error");
        render(&[error], &sources, false)
    }

    #[test]
    fn preprocessed_text_is_left_alone() {
        let folder = Folder::new("plain");
        let path = folder.file("a.i", b"#define x\nint x;\n");
        assert_eq!(text(&path, &PreprocessOptions::default()), "#define x\nint x;\n");
    }

    #[test]
    fn options_reach_the_preprocessor() {
        let folder = Folder::new("options");
        fs::create_dir(folder.0.join("inc")).expect("a folder");
        folder.file("inc/h.h", b"int from_header;\n");
        fs::create_dir(folder.0.join("quoted")).expect("a folder");
        folder.file("quoted/q.h", b"int from_quoted;\n");
        let forced = folder.file("forced.h", b"int from_forced;\n");
        let main = b"#include <h.h>\n#include \"q.h\"\n#ifdef __SELVEDGE__\nint n = N;\n#endif\n";
        let path = folder.file("a.c", main);
        let options = PreprocessOptions {
            include_dirs: vec![folder.0.join("inc")],
            quote_dirs: vec![folder.0.join("quoted")],
            defines: vec!["N=42".to_string()],
            forced_includes: vec![forced],
            model: DataModel::Lp64,
            specifications: false,
        };
        let text = text(&path, &options);
        let all = ["int from_header;", "int from_quoted;", "int from_forced;", "int n = 42;"];
        for expected in all {
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn the_data_model_reaches_the_headers() {
        let folder = Folder::new("model");
        let path = folder.file("a.c", b"#include <pthread.h>\nsize_t n = __SIZEOF_LONG__;\n");
        let options = |model| PreprocessOptions { model, ..PreprocessOptions::default() };
        let wide = text(&path, &options(DataModel::Lp64));
        assert!(wide.contains("pthread_create"), "{wide}");
        let narrow = text(&path, &options(DataModel::Ilp32));
        assert!(narrow.contains("pthread_create"), "{narrow}");
        if cfg!(target_arch = "x86_64") {
            assert!(wide.contains("size_t n = 8;"), "{wide}");
            assert!(narrow.contains("size_t n = 4;"), "{narrow}");
        }
    }

    #[test]
    fn annotations_survive_the_preprocessor() {
        let folder = Folder::new("annotations");
        folder.file("inner.h", b"/*@ predicate inner > 0; */\nint inner;\n");
        folder.file("outer.h", b"#include \"inner.h\"\n");
        let main = b"#include <stddef.h>\n#include \"outer.h\"\n#define M(x) (x)\nint x = M(1);\n";
        let path = folder.file("a.c", main);
        let predicates = |path: &Path| {
            let mut sources = SourceMap::new();
            let id = load(path, &PreprocessOptions::default(), &mut sources).expect("readable");
            let parsed = crate::parse(id, &sources);
            assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
            let told = parsed.unit.annotations.iter().map(|annotation| {
                let crate::ast::Annotation::Predicate { text, span } = annotation;
                let place = sources.locate(*span);
                let file = Path::new(&place.file).file_name().expect("a file").to_owned();
                (text.to_string(), file, place.line, place.column)
            });
            told.collect::<Vec<_>>()
        };
        assert_eq!(predicates(&path), [("inner > 0".into(), "inner.h".into(), 1, 15)]);
        let main = b"#define M(x) (x)\nint x = M(1); /*@ predicate\n x != 0; */\nint y;\n";
        let path = folder.file("b.c", main);
        assert_eq!(predicates(&path), [("x != 0".into(), "b.c".into(), 3, 2)]);
    }

    #[test]
    fn comments_do_no_harm_where_nothing_is_annotated() {
        let folder = Folder::new("comments");
        let main = b"/* a comment */ #define N 3\n/*@ requires nothing; */ int x = N;\n";
        let path = folder.file("a.c", main);
        assert!(text(&path, &PreprocessOptions::default()).contains("int x = 3;"));
    }

    #[test]
    fn what_is_no_source_is_named() {
        let folder = Folder::new("wrong");
        assert!(failure(&folder.0.join("none.c")).contains("there is no file"));
        assert!(failure(&folder.0).contains("is a folder"));
        assert!(failure(&folder.file("e.c", b"")).contains("is empty"));
        assert!(failure(&folder.file("b.c", b"\x7fELF\0\0")).contains("is a binary file"));
        assert!(failure(Path::new("/dev/null")).contains("is not a regular file"));
    }

    #[test]
    fn a_missing_include_is_shown_in_its_line() {
        let folder = Folder::new("include");
        let path = folder.file("a.c", b"int x;\n#include \"nowhere.h\"\n");
        let message = failure(&path);
        assert!(message.contains("cannot find the included file `nowhere.h`"), "{message}");
        assert!(message.contains("a.c:2:10"), "{message}");
        assert!(message.contains("#include \"nowhere.h\""), "{message}");
        assert!(message.contains("help: give the folder it is in with -I"), "{message}");
    }

    #[test]
    fn several_preprocessor_errors_are_told() {
        let folder = Folder::new("errors");
        let path = folder.file("a.c", b"#error first thing\n#error second thing\n");
        let message = failure(&path);
        assert!(message.contains("first thing") && message.contains("second thing"), "{message}");
    }

    #[test]
    fn mistakes_are_shown_in_the_original_line() {
        let folder = Folder::new("original");
        let text = b"#include <stddef.h>\n#define N 10\nint a[N] = { 1 }   x; // why\n";
        let path = folder.file("a.c", text);
        let mut sources = SourceMap::new();
        let id = load(&path, &PreprocessOptions::default(), &mut sources).expect("readable");
        let shown = render(&crate::parse(id, &sources).diagnostics, &sources, false);
        // Macros move what follows them in the line; the line stays the right one.
        assert!(shown.contains("a.c:3:"), "{shown}");
        let path = folder.file("b.c", b"#include <stddef.h>\nsize_t n = ;   // why\n");
        let id = load(&path, &PreprocessOptions::default(), &mut sources).expect("readable");
        let shown = render(&crate::parse(id, &sources).diagnostics, &sources, false);
        assert!(shown.contains("b.c:2:12") && shown.contains("size_t n = ;   // why"), "{shown}");
    }

    #[test]
    fn bytes_that_are_not_utf8_survive() {
        let folder = Folder::new("latin");
        let path = folder.file("a.i", b"char s[] = \"\xe9\"; /* \xfc */\n");
        let mut sources = SourceMap::new();
        let id = load(&path, &PreprocessOptions::default(), &mut sources).expect("readable");
        let parsed = crate::parse(id, &sources);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let tree = format!("{:?}", parsed.unit);
        assert!(tree.contains("units: [233]"), "{tree}");
    }
}
