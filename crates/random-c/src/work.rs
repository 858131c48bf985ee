//! The folder of a campaign: files that pass, and programs that are kept because they differ.

use std::io;
use std::path::{Path, PathBuf};

/// A folder of files that one worker writes again and again.
pub struct Bench {
    folder: PathBuf,
}

impl Bench {
    pub fn new(folder: &Path, worker: usize) -> io::Result<Bench> {
        let folder = folder.join(format!("worker{worker}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Bench { folder })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file into the folder.
    pub fn file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What is left over is small, and the folder is below `target`.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
