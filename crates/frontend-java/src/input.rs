//! From what the user names to classes: sources go through `javac`, class files and jars are read.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use selvedge_java_classes::{Class, ClassPath, Jdk, read_class};

use crate::models;
use crate::options::{Failure, Options};
use crate::world::World;

/// The classes of a program, and where it begins.
pub struct Input {
    pub world: World,
    pub main: String,
    /// The sources, as the user names them.
    pub sources: Vec<PathBuf>,
    /// The file that the program is called after.
    pub name: String,
}

const MAIN: &str = "([Ljava/lang/String;)V";

/// Whether a file is for this front end.
pub fn is_java(file: &Path) -> bool {
    let known = |extension: &std::ffi::OsStr| {
        ["java", "class", "jar"].iter().any(|known| extension == *known)
    };
    file.extension().is_some_and(known)
}

/// Reads the files. What is no file is the name of the class to begin with.
pub fn read(files: &[PathBuf], options: &Options) -> Result<Input, Failure> {
    let jdk = Jdk::find().map_err(|missing| Failure::new(missing.to_string()))?;
    let cache = cache().join("java");
    let models = models::compiled(&jdk, &cache)?;
    let sources: Vec<PathBuf> = having(files, "java").collect();
    let mut places = vec![models];
    if !sources.is_empty() {
        places.push(compile(&jdk, &sources, options, &cache)?);
    }
    places.extend(having(files, "jar"));
    places.extend(options.class_path.iter().cloned());
    places.push(jdk.library());
    let path = ClassPath::of(&places).map_err(|problem| Failure::new(problem.to_string()))?;
    let mut given = Vec::new();
    for file in having(files, "class") {
        let class = read_file(&file)?;
        given.push(class.name.clone());
        path.add(class);
    }
    if let Some(folder) = places.get(1).filter(|_| !sources.is_empty()) {
        given.extend(names_below(folder, folder));
    }
    let world = World::new(path);
    let named = files.iter().find(|file| !is_java(file)).map(|file| class_name(file));
    let main = beginning(&world, named, &given, &sources)?;
    let name = files.first().map(|file| file.display().to_string()).unwrap_or_default();
    Ok(Input { world, main, sources, name })
}

fn having<'a>(files: &'a [PathBuf], extension: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    files.iter().filter(move |file| file.extension().is_some_and(|e| e == extension)).cloned()
}

fn class_name(given: &Path) -> String {
    given.display().to_string().replace('.', "/")
}

pub fn cache() -> PathBuf {
    let named = env::var_os("SELVEDGE_CACHE").map(PathBuf::from);
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/selvedge"));
    named.or_else(home).unwrap_or_else(|| env::temp_dir().join("selvedge"))
}

fn compile(
    jdk: &Jdk,
    sources: &[PathBuf],
    options: &Options,
    cache: &Path,
) -> Result<PathBuf, Failure> {
    // What is not named is not compiled: a folder with other programs is no part of this one.
    let mut arguments = vec!["-sourcepath".to_owned(), String::new()];
    let join = env::join_paths(&options.class_path);
    let classes = join.map_err(|error| Failure::new(format!("the class path: {error}")))?;
    let classes = classes.into_string();
    let classes = classes.map_err(|_| Failure::new("the class path is not UTF-8"))?;
    arguments.extend(["--release".to_owned(), "17".to_owned(), "-cp".to_owned(), classes]);
    let depends = format!("{:?}", changed(&options.class_path));
    let compiled = jdk.compile(sources, &arguments, &depends, &cache.join("classes"));
    let compiled = compiled.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let missing = sources.iter().find(|source| !source.is_file());
            let missing = missing.map(|source| source.display().to_string()).unwrap_or_default();
            Failure::new(format!("cannot read {missing}: {error}"))
        }
        _ => Failure::new(format!("cannot compile: {error}")),
    })?;
    compiled.map_err(|said| Failure { lines: lines_of(&said), message: said })
}

/// When each place of the class path was changed last, as far as one can see from outside.
fn changed(places: &[PathBuf]) -> Vec<Option<std::time::SystemTime>> {
    let time = |place: &PathBuf| fs::metadata(place).and_then(|data| data.modified()).ok();
    places.iter().map(time).collect()
}

/// The lines in messages as `Main.java:12: error: ...`.
fn lines_of(said: &str) -> Vec<u32> {
    let line = |message: &str| message.split(':').nth(1)?.parse().ok();
    let errors = said.lines().filter(|message| message.contains(": error:"));
    errors.filter_map(line).collect()
}

fn read_file(file: &Path) -> Result<Class, Failure> {
    let shown = file.display();
    let bytes = fs::read(file).map_err(|e| Failure::new(format!("cannot read {shown}: {e}")))?;
    read_class(&bytes).map_err(|e| Failure::new(format!("cannot read {shown}: {e}")))
}

/// The classes in a folder, by name.
fn names_below(root: &Path, folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let below = paths.iter().flat_map(|path| match path.is_dir() {
        true => names_below(root, path),
        false => {
            let relative = path.strip_prefix(root).unwrap_or(path);
            let class = relative.extension().is_some_and(|e| e == "class");
            let name = relative.with_extension("").display().to_string();
            class.then_some(name).into_iter().collect()
        }
    });
    below.collect()
}

/// The class whose `main` is run: the one that is named, or the one that has a `main`; of several,
/// that of the first source.
fn beginning(
    world: &World,
    named: Option<String>,
    given: &[String],
    sources: &[PathBuf],
) -> Result<String, Failure> {
    let has_main = |name: &String| {
        world.class(name).is_some_and(|class| {
            class.method("main", MAIN).is_some_and(|(_, method)| method.is_static)
        })
    };
    if let Some(name) = named {
        return match has_main(&name) {
            true => Ok(name),
            false => Err(Failure::new(format!(
                "no class {} with a `public static void main(String[])` is in the class path",
                name.replace('/', ".")
            ))),
        };
    }
    let mut found: Vec<&String> = given.iter().filter(|name| has_main(name)).collect();
    let first = sources.first().and_then(|source| source.file_stem()).unwrap_or_default();
    let first = first.to_string_lossy();
    if let Some(same) = found.iter().find(|name| name.rsplit('/').next() == Some(&*first)) {
        found = vec![*same];
    }
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Failure::new(
            "no class has a `public static void main(String[])`; name one of a jar or class path \
             as the last argument",
        )),
        several => {
            let names: Vec<String> = several.iter().map(|name| name.replace('/', ".")).collect();
            Err(Failure::new(format!(
                "several classes have a `main`: {}; name the one to begin with",
                names.join(", ")
            )))
        }
    }
}
