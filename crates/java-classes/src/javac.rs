//! The user's JDK: its compiler, and its own classes.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fmt;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file in which a folder of classes keeps what they were compiled from.
const RECORD: &str = "compiled-from";

/// A JDK that was found.
#[derive(Clone, Debug)]
pub struct Jdk {
    home: PathBuf,
}

/// No JDK is installed, as far as one can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingJdk;

impl fmt::Display for MissingJdk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "Java programs need a JDK (javac and the classes of the library), and none was found in \
             $JAVA_HOME or by `javac` in $PATH; on Debian: apt-get install openjdk-17-jdk-headless",
        )
    }
}

impl Jdk {
    /// The one that `JAVA_HOME` names, or else the one that `javac` belongs to.
    pub fn find() -> Result<Jdk, MissingJdk> {
        let named = env::var_os("JAVA_HOME").map(PathBuf::from);
        let folders = env::var_os("PATH").unwrap_or_default();
        let in_path = env::split_paths(&folders).map(|folder| folder.join("javac"));
        let of_compiler = in_path.filter_map(|javac| {
            let javac = fs::canonicalize(javac).ok()?;
            Some(javac.parent()?.parent()?.to_owned())
        });
        let mut homes = named.into_iter().chain(of_compiler);
        let complete = |home: &PathBuf| {
            home.join("bin/javac").is_file() && home.join("jmods/java.base.jmod").is_file()
        };
        homes.find(complete).map(|home| Jdk { home }).ok_or(MissingJdk)
    }

    /// The library's classes.
    pub fn library(&self) -> PathBuf {
        self.home.join("jmods/java.base.jmod")
    }

    /// Compiles sources with all that a debugger wants to know, unless exactly these were compiled
    /// before: `arguments`, the texts of the files and what else it `depends` on decide. Gives the
    /// folder of classes in `cache`, or what the compiler says against the sources.
    pub fn compile(
        &self,
        files: &[PathBuf],
        arguments: &[String],
        depends: &str,
        cache: &Path,
    ) -> io::Result<Result<PathBuf, String>> {
        let mut record = format!("{}\n{}\n{depends}\n", self.home.display(), arguments.join("\n"));
        for file in files {
            let text = fs::read(file)?;
            record += &format!("{} {}\n", file.display(), text.len());
            record += &String::from_utf8_lossy(&text);
        }
        let mut hasher = DefaultHasher::new();
        record.hash(&mut hasher);
        let folder = cache.join(format!("{:016x}", hasher.finish()));
        let known = || fs::read_to_string(folder.join(RECORD)).is_ok_and(|known| known == record);
        if known() {
            return Ok(Ok(folder));
        }
        // Others may do the same at the same time: what is complete takes its name at once.
        let private = cache.join(format!("{:016x}-{}", hasher.finish(), std::process::id()));
        fs::create_dir_all(&private)?;
        let output = Command::new(self.home.join("bin/javac"))
            .args(["-g", "-nowarn", "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-d"])
            .arg(&private)
            .args(arguments)
            .args(files)
            .output()?;
        if !output.status.success() {
            fs::remove_dir_all(&private)?;
            return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        fs::write(private.join(RECORD), &record)?;
        if fs::rename(&private, &folder).is_ok() {
            return Ok(Ok(folder));
        }
        // Somebody was faster, or other sources have the name.
        if known() {
            fs::remove_dir_all(&private)?;
            return Ok(Ok(folder));
        }
        Ok(Ok(private))
    }
}
