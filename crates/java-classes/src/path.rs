//! Where classes are found: folders, jars, and the modules of a JDK.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use zip::ZipArchive;

use crate::{Class, Unreadable, read_class};

/// Places that are looked at in order. A class is read when it is first asked for.
#[derive(Default)]
pub struct ClassPath {
    places: Vec<Place>,
    read: RefCell<HashMap<String, Option<Rc<Class>>>>,
}

enum Place {
    Folder(PathBuf),
    Archive(Box<RefCell<Archive>>),
}

struct Archive {
    path: PathBuf,
    content: ZipArchive<BufReader<File>>,
    /// What stands before the names of classes.
    prefix: &'static str,
}

impl ClassPath {
    /// Folders, `.jar` and `.jmod` files.
    pub fn of(places: &[PathBuf]) -> Result<ClassPath, Unreadable> {
        let places = places.iter().map(|place| Place::open(place)).collect::<Result<_, _>>()?;
        Ok(ClassPath { places, read: RefCell::default() })
    }

    /// A class that is there already, before all places.
    pub fn add(&self, class: Class) {
        self.read.borrow_mut().insert(class.name.clone(), Some(Rc::new(class)));
    }

    /// The class of this name, as `java/lang/Thread`; none where there is none.
    pub fn find(&self, name: &str) -> Result<Option<Rc<Class>>, Unreadable> {
        if let Some(known) = self.read.borrow().get(name) {
            return Ok(known.clone());
        }
        let mut found = None;
        for place in &self.places {
            if let Some((bytes, from)) = place.bytes(name)? {
                let class = read_class(&bytes)
                    .map_err(|error| Unreadable(format!("cannot read {from}: {error}")))?;
                found = Some(Rc::new(class));
                break;
            }
        }
        self.read.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

impl Place {
    fn open(path: &Path) -> Result<Place, Unreadable> {
        if path.is_dir() {
            return Ok(Place::Folder(path.to_owned()));
        }
        let wrong = |error: String| {
            Unreadable(format!("cannot read {} in the class path: {error}", path.display()))
        };
        let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
        let content =
            ZipArchive::new(BufReader::new(file)).map_err(|error| wrong(error.to_string()))?;
        let is_module = path.extension().is_some_and(|extension| extension == "jmod");
        let prefix = if is_module { "classes/" } else { "" };
        Ok(Place::Archive(Box::new(RefCell::new(Archive {
            path: path.to_owned(),
            content,
            prefix,
        }))))
    }

    /// The bytes of a class, and where they come from.
    fn bytes(&self, name: &str) -> Result<Option<(Vec<u8>, String)>, Unreadable> {
        match self {
            Place::Folder(folder) => {
                let path = folder.join(format!("{name}.class"));
                if !path.is_file() {
                    return Ok(None);
                }
                let shown = path.display().to_string();
                match std::fs::read(&path) {
                    Ok(bytes) => Ok(Some((bytes, shown))),
                    Err(error) => Err(Unreadable(format!("cannot read {shown}: {error}"))),
                }
            }
            Place::Archive(archive) => archive.borrow_mut().bytes(name),
        }
    }
}

impl Archive {
    fn bytes(&mut self, name: &str) -> Result<Option<(Vec<u8>, String)>, Unreadable> {
        let entry = format!("{}{name}.class", self.prefix);
        let Some(index) = self.content.index_for_name(&entry) else { return Ok(None) };
        let shown = format!("{entry} in {}", self.path.display());
        let wrong = |error: String| Unreadable(format!("cannot read {shown}: {error}"));
        let mut bytes = Vec::new();
        let mut file = self.content.by_index(index).map_err(|error| wrong(error.to_string()))?;
        file.read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
        Ok(Some((bytes, shown)))
    }
}
