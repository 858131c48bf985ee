//! Which source file a class comes from, as the user knows it.

use std::path::PathBuf;

use selvedge_java_classes::Class;

pub struct Sources {
    named: Vec<PathBuf>,
}

/// Packages whose lines are nothing to the user: the library's and those of models.
const LIBRARY: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "selvedge/"];

impl Sources {
    pub fn new(named: Vec<PathBuf>) -> Sources {
        Sources { named }
    }

    /// The file that has the class's lines; none for classes of the library.
    pub fn file_of(&self, class: &Class) -> Option<String> {
        let source = class.source.as_ref()?;
        let package = class.name.rsplit_once('/').map_or("", |(package, _)| package);
        let whole = match package {
            "" => PathBuf::from(source),
            package => PathBuf::from(package).join(source),
        };
        let found = self.named.iter().find(|path| path.ends_with(&whole));
        let found = found.or_else(|| self.named.iter().find(|path| path.ends_with(source)));
        match found {
            Some(path) => Some(path.display().to_string()),
            None if LIBRARY.iter().any(|known| class.name.starts_with(known)) => None,
            None => Some(whole.display().to_string()),
        }
    }
}
