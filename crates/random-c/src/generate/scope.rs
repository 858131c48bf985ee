//! What names a generated program has where, and the scalars that can be reached through them.

use super::types::{self, Int, Record, Type};
use crate::choices::Choices;

/// A name in scope.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    pub constant: bool,
}

/// A function that was generated.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Type>,
    pub result: Type,
}

/// A scalar that an expression names.
pub struct Place {
    pub text: String,
    pub int: Int,
    pub is_field: bool,
}

/// A program in the making.
pub struct Maker<'c> {
    pub choices: &'c mut Choices,
    /// Everything before the function that is being made.
    pub globals: String,
    pub scope: Vec<Var>,
    pub records: Vec<Record>,
    pub functions: Vec<Function>,
    /// Whether C allows several orders that can differ.
    pub unordered: bool,
    /// Loops around the current place.
    pub loops: u32,
    /// Blocks around the current place.
    pub depth: u32,
    fresh: u32,
    /// Statements that may still be made.
    pub left: u32,
}

impl<'c> Maker<'c> {
    pub fn new(choices: &'c mut Choices) -> Maker<'c> {
        Maker {
            choices,
            globals: String::new(),
            scope: Vec::new(),
            records: Vec::new(),
            functions: Vec::new(),
            unordered: false,
            loops: 0,
            depth: 0,
            fresh: 0,
            left: 40,
        }
    }

    /// A number that no name has yet.
    pub fn fresh(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    pub fn declare(&mut self, name: &str, ty: Type, constant: bool) {
        self.scope.push(Var { name: name.to_owned(), ty, constant });
    }

    pub fn records(&mut self) {
        while self.records.len() < 4 && self.choices.chance(3, 5) {
            let (record, text) = types::record(self.choices, &self.records);
            self.records.push(record);
            self.globals += &text;
        }
    }

    pub fn global_variables(&mut self) {
        for number in 0..1 + self.choices.below(6) {
            let ty = self.some_type();
            let name = format!("g{number}$");
            let value = self.initial(&ty);
            let declared = types::declared(&ty, &name, &self.records);
            self.globals += &format!("static {declared} = {value};\n");
            self.declare(&name, ty, false);
        }
    }

    pub fn some_type(&mut self) -> Type {
        match self.choices.below(8) {
            4 => {
                let element = Box::new(Type::Int(types::some_int(self.choices, false)));
                Type::Array(element, self.choices.pick(&[2, 4]))
            }
            5 | 6 if !self.records.is_empty() => self.some_record(),
            7 if !self.records.is_empty() => Type::Array(Box::new(self.some_record()), 2),
            _ => Type::Int(types::some_int(self.choices, false)),
        }
    }

    fn some_record(&mut self) -> Type {
        Type::Record(self.choices.below(self.records.len() as u64) as usize)
    }

    /// A constant initializer.
    pub fn initial(&mut self, ty: &Type) -> String {
        match ty {
            Type::Int(_) => self.literal(),
            Type::Pointer(_) => "0".to_owned(),
            Type::Array(element, length) => {
                let given = 1 + self.choices.below(*length);
                let values: Vec<String> = (0..given).map(|_| self.initial(element)).collect();
                format!("{{ {} }}", values.join(", "))
            }
            // The rest of a union has unknown bytes unless all of it is zero.
            Type::Record(number) if self.records[*number].union => "{ 0 }".to_owned(),
            Type::Record(number) => {
                let fields = self.records[*number].fields.clone();
                let given = 1 + self.choices.below(fields.len() as u64) as usize;
                let values: Vec<String> =
                    fields[..given].iter().map(|field| self.initial(&field.ty)).collect();
                format!("{{ {} }}", values.join(", "))
            }
        }
    }

    /// A scalar in scope.
    pub fn place(&mut self, writable: bool) -> Option<Place> {
        let found: Vec<Var> =
            self.scope.iter().filter(|var| !(writable && var.constant)).cloned().collect();
        let last = found.len().checked_sub(1)?;
        let var = &found[last - self.choices.below(found.len() as u64) as usize];
        let (name, ty) = (var.name.clone(), var.ty.clone());
        Some(self.descend(name, &ty, false))
    }

    fn descend(&mut self, text: String, ty: &Type, is_field: bool) -> Place {
        match ty {
            Type::Int(int) => Place { text, int: *int, is_field },
            Type::Pointer(int) => Place { text: format!("(*{text})"), int: *int, is_field: false },
            Type::Array(element, length) => {
                let index = self.index(*length);
                self.descend(format!("{text}[{index}]"), element, false)
            }
            Type::Record(number) => {
                let fields = &self.records[*number].fields;
                let field = fields[self.choices.below(fields.len() as u64) as usize].clone();
                let whole = field.width.is_none();
                let place = self.descend(format!("{text}.{}", field.name), &field.ty, !whole);
                Place { is_field: place.is_field || !whole, ..place }
            }
        }
    }

    /// An index that is inside.
    fn index(&mut self, length: u64) -> String {
        let indices = self.counters();
        match self.choices.below(4) {
            3 if !indices.is_empty() => {
                let last = indices.len() - 1 - self.choices.below(indices.len() as u64) as usize;
                format!("({}) & {}", indices[last], length - 1)
            }
            2 => format!("({}) & {}", self.value(1), length - 1),
            _ => self.choices.below(length).to_string(),
        }
    }

    /// Counters of the loops around the current place.
    fn counters(&self) -> Vec<String> {
        let counts = |var: &&Var| var.constant && matches!(var.ty, Type::Int(_));
        self.scope.iter().filter(counts).map(|var| var.name.clone()).collect()
    }

    /// Names of this type, the innermost last.
    pub fn of_type(&self, wanted: impl Fn(&Type) -> bool, writable: bool) -> Vec<Var> {
        let fits = |var: &&Var| wanted(&var.ty) && !(writable && var.constant);
        self.scope.iter().filter(fits).cloned().collect()
    }

    /// Statements that mix all scalars of a name into the checksum.
    pub fn mixed(&self, name: &str, ty: &Type) -> String {
        match ty {
            Type::Int(_) => format!("  mix$({name});\n"),
            Type::Pointer(_) => String::new(),
            Type::Array(element, length) => {
                (0..*length).map(|index| self.mixed(&format!("{name}[{index}]"), element)).collect()
            }
            Type::Record(number) => {
                let fields = &self.records[*number].fields;
                let mixed = fields.iter().map(|f| self.mixed(&format!("{name}.{}", f.name), &f.ty));
                mixed.collect()
            }
        }
    }
}
