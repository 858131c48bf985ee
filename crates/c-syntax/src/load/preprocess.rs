//! Running the system's preprocessor.

use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::{DataModel, MAX_TEXT, PreprocessOptions};

/// Why there is no preprocessed text.
pub(super) enum Failure {
    /// The compiler could not be started.
    NotStarted {
        compiler: String,
        error: std::io::Error,
    },
    /// It ended with an error; this is what it wrote.
    Rejected {
        messages: String,
    },
    TimedOut,
}

/// Includes that include themselves in a tree of depth 200 could take forever.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// gcc's `atomic_init` is a macro for a relaxed store, and after preprocessing nobody can tell the
/// two apart; but only one of them is an atomic access. So where its header is used, this one stands
/// before it.
const STDATOMIC: &str = "\
#include_next <stdatomic.h>
#ifndef __clang__
#undef atomic_init
#define atomic_init(object, value) __c11_atomic_init(object, value)
#undef atomic_store_explicit
#define atomic_store_explicit(object, value, order) __extension__ ({ \\
  __auto_type __atomic_object = (object); \\
  __typeof__((void)0, *__atomic_object) __atomic_value = (value); \\
  __atomic_store(__atomic_object, &__atomic_value, (order)); })
#endif
";

/// What gcc's own header makes of both.
const AMBIGUOUS: &[u8] = b"__atomic_store_ptr";

pub(super) fn run(
    path: &Path,
    options: &PreprocessOptions,
    comments: bool,
) -> Result<Vec<u8>, Failure> {
    let mut kept = Vec::new();
    if comments {
        kept.push(OsString::from("-C"));
        // Specifications use macros, too; the preprocessor does not look into comments.
        kept.extend(options.specifications.then(|| OsString::from("-dD")));
    }
    let run = |flags: &[OsString]| match options.model {
        DataModel::Lp64 => run_with(flags, path, options),
        DataModel::Ilp32 => run_for_32_bits(flags, path, options),
    };
    let text = run(&kept)?;
    if !text.windows(AMBIGUOUS.len()).any(|bytes| bytes == AMBIGUOUS) {
        return Ok(text);
    }
    let Some(headers) = OwnHeaders::make("stdatomic.h", STDATOMIC) else { return Ok(text) };
    run(&[&kept[..], &["-isystem".into(), headers.0.clone().into()]].concat())
}

/// Many 64-bit systems have no 32-bit headers, but their 64-bit headers serve as well: only one
/// generated file, `gnu/stubs-32.h`, is missing then, and an empty one does. Where even that does
/// not work (a compiler without `-m32`), the plain text is used: sizes are the front end's matter,
/// and only what the headers decide by size differs.
fn run_for_32_bits(
    kept: &[OsString],
    path: &Path,
    options: &PreprocessOptions,
) -> Result<Vec<u8>, Failure> {
    let m32 = [kept, &[OsString::from("-m32")]].concat();
    let first = run_with(&m32, path, options);
    if !matches!(first, Err(Failure::Rejected { .. })) {
        return first;
    }
    let borrowed = OwnHeaders::make("gnu/stubs-32.h", "").and_then(|stubs| {
        let headers = multiarch_headers()?;
        let after = OsString::from("-idirafter");
        let borrowed = [after.clone(), headers.into(), after, stubs.0.clone().into()];
        Some(run_with(&[m32, borrowed.to_vec()].concat(), path, options))
    });
    if let Some(Ok(text)) = borrowed {
        return Ok(text);
    }
    // The message of the borrowed headers is about the user's file, not about missing headers.
    run_with(kept, path, options).map_err(|failure| match borrowed {
        Some(Err(better)) => better,
        _ => failure,
    })
}

fn run_with(
    flags: &[OsString],
    path: &Path,
    options: &PreprocessOptions,
) -> Result<Vec<u8>, Failure> {
    let mut command = compiler();
    command.arg("-E").args(flags).arg("-D__SELVEDGE__=1");
    for folder in &options.quote_dirs {
        command.arg("-iquote").arg(folder);
    }
    for folder in &options.include_dirs {
        command.arg("-I").arg(folder);
    }
    for define in &options.defines {
        command.arg("-D").arg(define);
    }
    for file in &options.forced_includes {
        command.arg("-include").arg(file);
    }
    command.args(["-x", "c"]).arg(not_an_option(path));
    finish(command)
}

/// `$CC` may hold options, as in `gcc -std=gnu11`.
fn compiler() -> Command {
    let set = std::env::var("CC").unwrap_or_default();
    let mut words = set.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    // Messages are read, so they must be in the expected language.
    command.args(words).env("LC_ALL", "C");
    if !set.contains("-std=") {
        // Newer compilers default to C23, whose headers leave `bool` and others to the compiler.
        command.arg("-std=gnu11");
    }
    command
}

fn not_an_option(path: &Path) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        Path::new(".").join(path)
    } else {
        path.to_path_buf()
    }
}

fn finish(mut command: Command) -> Result<Vec<u8>, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Failure::NotStarted {
        compiler: command.get_program().to_string_lossy().into_owned(),
        error,
    })?;
    let output = drain(child.stdout.take());
    let messages = drain(child.stderr.take());
    let Ok(output) = output.recv_timeout(TIME_LIMIT) else {
        return Err(kill(child));
    };
    let Ok(messages) = messages.recv_timeout(TIME_LIMIT) else {
        return Err(kill(child));
    };
    let succeeded = child.wait().is_ok_and(|status| status.success());
    if succeeded || output.len() > MAX_TEXT {
        Ok(output)
    } else {
        Err(Failure::Rejected { messages: String::from_utf8_lossy(&messages).into_owned() })
    }
}

/// Reads a pipe to its end in the background, up to just past the limit.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

fn kill(mut child: Child) -> Failure {
    let _ = child.kill();
    let _ = child.wait();
    Failure::TimedOut
}

/// The folder of the 64-bit system's own headers, as Debian and similar systems arrange them.
fn multiarch_headers() -> Option<PathBuf> {
    let mut command = compiler();
    command.arg("-print-multiarch");
    let name = String::from_utf8(finish(command).ok()?).ok()?;
    let folder = Path::new("/usr/include").join(name.trim());
    (!name.trim().is_empty() && folder.is_dir()).then_some(folder)
}

/// A temporary folder with one header.
struct OwnHeaders(PathBuf);

impl OwnHeaders {
    fn make(header: &str, text: &str) -> Option<OwnHeaders> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        for _ in 0..100 {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name = format!("selvedge-headers-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            match std::fs::create_dir(&folder) {
                Ok(()) => {
                    let headers = OwnHeaders(folder);
                    let file = headers.0.join(header);
                    std::fs::create_dir_all(file.parent()?).ok()?;
                    std::fs::write(file, text).ok()?;
                    return Some(headers);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(_) => return None,
            }
        }
        None
    }
}

impl Drop for OwnHeaders {
    fn drop(&mut self) {
        // A leftover in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
