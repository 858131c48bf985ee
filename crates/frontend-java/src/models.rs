//! Models of the library: Java text, compiled by the user's `javac` as if it were the library's own,
//! once, and kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use selvedge_java_classes::Jdk;

use crate::options::Failure;

macro_rules! models {
    ($($name:literal),* $(,)?) => {
        /// Names below the folder of sources, and texts.
        const MODELS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../models/", $name)))),*];
    };
}

models![
    "java/io/PrintStream.java",
    "java/lang/AssertionError.java",
    "java/lang/Boolean.java",
    "java/lang/Byte.java",
    "java/lang/Character.java",
    "java/lang/Class.java",
    "java/lang/Double.java",
    "java/lang/Float.java",
    "java/lang/Integer.java",
    "java/lang/Long.java",
    "java/lang/Math.java",
    "java/lang/Object.java",
    "java/lang/Short.java",
    "java/lang/String.java",
    "java/lang/System.java",
    "java/lang/Thread.java",
    "java/lang/Throwable.java",
    "java/lang/Waiting.java",
    "java/util/Random.java",
    "java/util/concurrent/CountDownLatch.java",
    "java/util/concurrent/CyclicBarrier.java",
    "java/util/concurrent/Semaphore.java",
    "java/util/concurrent/atomic/AtomicBoolean.java",
    "java/util/concurrent/atomic/AtomicInteger.java",
    "java/util/concurrent/atomic/AtomicLong.java",
    "java/util/concurrent/atomic/AtomicReference.java",
    "java/util/concurrent/locks/LockCondition.java",
    "java/util/concurrent/locks/ReentrantLock.java",
    "java/util/concurrent/locks/ReentrantReadWriteLock.java",
    "selvedge/Intrinsics.java",
    "selvedge/PerThread.java",
    "selvedge/Tid.java",
];

/// The folder with the models' classes.
pub fn compiled(jdk: &Jdk, cache: &Path) -> Result<PathBuf, Failure> {
    let broken =
        |error: io::Error| Failure::new(format!("cannot keep models of the library: {error}"));
    let folder = cache.join("models").join(env!("CARGO_PKG_VERSION"));
    let files = write(&folder).map_err(broken)?;
    let arguments = ["--patch-module", &format!("java.base={}", folder.display()), "-Xlint:none"];
    let target = ["-source", "17", "-target", "17"];
    let arguments: Vec<String> =
        arguments.iter().chain(&target).map(|argument| (*argument).to_owned()).collect();
    let compiled = jdk.compile(&files, &arguments, "", &cache.join("library")).map_err(broken)?;
    compiled.map_err(|said| {
        Failure::new(format!("this JDK does not compile the models of the library:\n{said}"))
    })
}

/// Writes the sources that are not there yet.
fn write(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (name, text) in MODELS {
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            // Others may read it at this moment.
            let fresh = path.with_extension(format!("java{}", std::process::id()));
            fs::write(&fresh, text)?;
            fs::rename(&fresh, &path)?;
        }
        files.push(path);
    }
    Ok(files)
}
