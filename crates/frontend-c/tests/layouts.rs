//! Random records have the sizes, the alignments, the offsets and the places of bit-fields that gcc
//! gives them, in both data models.
//!
//! gcc compiles the declarations, tables of the numbers, and for every bit-field an object in which
//! it alone is set; the object file has the answers. Here the numbers become static assertions, and
//! the objects' initial values are compared byte by byte.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use selvedge_frontend_c::{Options, compile_text};
use selvedge_ir::{Const, DataModel, Program};

/// Bytes of an object with one bit-field set; no record is larger.
const ROOM: usize = 512;

#[test]
fn records_of_lp64_are_laid_out_as_by_gcc() {
    (0..6).for_each(|seed| compare(DataModel::Lp64, seed));
}

#[test]
fn records_of_ilp32_are_laid_out_as_by_gcc() {
    (0..6).for_each(|seed| compare(DataModel::Ilp32, 100 + seed));
}

fn compare(model: DataModel, seed: u64) {
    let records = Random(seed * 7919 + 1).records(model, 100);
    let declarations =
        PRELUDE.to_owned() + &records.iter().map(|record| record.text.as_str()).collect::<String>();
    let gcc = Gcc::compile(model, seed, &declarations, &records);
    let mut text = declarations;
    let mut numbers = gcc.numbers.iter();
    for record in &records {
        for question in &record.numbers {
            let answer = numbers.next().expect("a number for each question");
            let _ = writeln!(text, "_Static_assert({question} == {answer}, \"{question}\");");
        }
        text += &record.objects;
    }
    text += "int main(void) { return 0";
    let filled = || records.iter().filter(|record| record.bit_fields > 0);
    filled().for_each(|record| {
        let _ = write!(text, " + v{}[0].bytes[0]", record.number);
    });
    text += "; }\n";
    let options = Options { model, ..Options::default() };
    let compiled = compile_text("layouts.c", &text, &options);
    let compiled = compiled.unwrap_or_else(|failure| {
        let first = &failure.diagnostics[0];
        let at = first.span.map(|span| failure.sources.locate(span).line).unwrap_or_default();
        let line = text.lines().nth(at as usize - 1).unwrap_or_default();
        let of = line.split("struct_").nth(1).and_then(|rest| rest.split([')', ',']).next());
        let of = of.and_then(|number| records.iter().find(|r| r.number.to_string() == number));
        panic!("seed {seed}: {}\n{line}\n{}", first.message, of.map_or("", |r| &r.text))
    });
    let mut objects = gcc.objects.chunks(ROOM);
    for record in filled() {
        let own = bytes(&compiled.program, &format!("v{}", record.number), record.bit_fields);
        for (field, own) in own.chunks(ROOM).enumerate() {
            let theirs = objects.next().expect("an object for each bit-field");
            assert!(own == theirs, "seed {seed}, bit-field {field} of\n{}", record.text);
        }
    }
}

/// The initial value of an object, as bytes.
fn bytes(program: &Program, name: &str, count: usize) -> Vec<u8> {
    let id = program.object_named(name).expect("main mentions it");
    let mut bytes = vec![0; count * ROOM];
    for (offset, value) in &program.objects[id].init {
        let (bits, width) = match value {
            Const::Int(bits, int) => (*bits, usize::from(int.width) / 8),
            Const::Bool(bit) => (u64::from(*bit), 1),
            other => panic!("{other:?} in a number"),
        };
        let at = *offset as usize;
        bytes[at..at + width].copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    bytes
}

struct Gcc {
    numbers: Vec<u32>,
    objects: Vec<u8>,
}

impl Gcc {
    fn compile(model: DataModel, seed: u64, declarations: &str, records: &[Record]) -> Gcc {
        let folder = Folder::make(seed);
        let mut text = declarations.to_owned();
        text += "unsigned int numbers[] __attribute__((section(\".numbers\"))) = {\n";
        for question in records.iter().flat_map(|record| &record.numbers) {
            let _ = writeln!(text, "{question},");
        }
        text += "};\n";
        records.iter().for_each(|record| text += &record.objects);
        let source = folder.0.join("a.c");
        std::fs::write(&source, text).expect("a temporary file");
        let object = folder.0.join("a.o");
        let flag = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
        let mut gcc = Command::new("gcc");
        gcc.args([flag, "-std=gnu11", "-w", "-O0", "-fno-toplevel-reorder", "-c", "-o"]);
        run(gcc.args([&object, &source]));
        let section = |name: &str| {
            let out = folder.0.join("out");
            let mut objcopy = Command::new("objcopy");
            run(objcopy.args(["-O", "binary", "-j", name]).args([&object, &out]));
            std::fs::read(&out).expect("objcopy writes it")
        };
        let numbers = section(".numbers");
        let number = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("four bytes"));
        Gcc { numbers: numbers.chunks(4).map(number).collect(), objects: section(".objects") }
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("gcc and objcopy are installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

struct Folder(PathBuf);

impl Folder {
    fn make(seed: u64) -> Folder {
        let name = format!("selvedge-layouts-{}-{seed}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

const PRELUDE: &str = "enum e { E0, E1 = 200 };
enum __attribute__((packed)) p { P0, P1 = 3 };
typedef int low __attribute__((aligned(2)));
typedef short high __attribute__((aligned(8)));
typedef long long wide __attribute__((aligned(16)));
struct inner { char c; short s; };
struct __attribute__((packed)) tight { char c; int i; };
struct tail { long long x; char y; };
union either { char c[3]; double d; };
";

/// A random record, with what is asked about it.
struct Record {
    number: usize,
    text: String,
    numbers: Vec<String>,
    /// One object for each bit-field.
    objects: String,
    bit_fields: usize,
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn records(&mut self, model: DataModel, count: usize) -> Vec<Record> {
        (0..count).map(|number| self.record(model, number)).collect()
    }

    fn record(&mut self, model: DataModel, number: usize) -> Record {
        let word = if self.below(6) == 0 { "union" } else { "struct" };
        let name = format!("{word} struct_{number}");
        let attribute = match self.below(8) {
            0 | 1 => " __attribute__((packed))".to_owned(),
            2 => format!(" __attribute__((aligned({})))", 1 << self.below(6)),
            3 => format!(" __attribute__((packed, aligned({})))", 1 << self.below(4)),
            _ => String::new(),
        };
        let pack = match self.below(5) {
            0 => format!("#pragma pack(push, {})\n", 1 << self.below(5)),
            _ => String::new(),
        };
        let mut numbers = vec![format!("sizeof({name})"), format!("__alignof__({name})")];
        let (mut members, mut fields) = (String::new(), Vec::new());
        for index in 0..1 + self.below(7) {
            let (text, bit_field) = self.member(model, index);
            members += &format!("  {text};\n");
            match bit_field {
                Some(true) => fields.push(index),
                Some(false) => {}
                None => numbers.push(format!("__builtin_offsetof({name}, f{index})")),
            }
        }
        let pop = if pack.is_empty() { "" } else { "#pragma pack(pop)\n" };
        let text = format!("{pack}{name} {{\n{members}}}{attribute};\n{pop}");
        let mut objects = String::new();
        if !fields.is_empty() {
            let values: Vec<String> = fields
                .iter()
                .map(|field| format!("{{ .record = {{ .f{field} = -1 }} }}"))
                .collect();
            let _ = writeln!(
                objects,
                "union {{ {name} record; unsigned char bytes[{ROOM}]; }} v{number}[] \
                 __attribute__((section(\".objects\"))) = {{ {} }};",
                values.join(", ")
            );
        }
        Record { number, text, numbers, objects, bit_fields: fields.len() }
    }

    /// A member, and whether it is a bit-field with a name; none for a plain member.
    fn member(&mut self, model: DataModel, index: usize) -> (String, Option<bool>) {
        let attribute = match self.below(8) {
            0 => " __attribute__((packed))".to_owned(),
            1 => format!(" __attribute__((aligned({})))", 1 << self.below(5)),
            _ => String::new(),
        };
        if self.below(2) == 0 {
            return self.bit_field(model, index, &attribute);
        }
        let ty = self.one(&[
            "char",
            "short",
            "int",
            "long",
            "long long",
            "_Bool",
            "float",
            "double",
            "long double",
            "void *",
            "enum e",
            "enum p",
            "low",
            "high",
            "wide",
            "struct inner",
            "struct tight",
            "struct tail",
            "union either",
            "_Complex double",
            "_Float128",
        ]);
        let array = match ty {
            // An element cannot be aligned to more than its size.
            "high" | "wide" => "",
            _ => self.one(&["", "", "", "[3]", "[0]"]),
        };
        (format!("{ty} f{index}{array}{attribute}"), None)
    }

    fn bit_field(
        &mut self,
        model: DataModel,
        index: usize,
        attribute: &str,
    ) -> (String, Option<bool>) {
        let (ty, most) = self.one(&[
            ("char", 8),
            ("signed char", 8),
            ("unsigned short", 16),
            ("int", 32),
            ("unsigned", 32),
            ("long", if model == DataModel::Lp64 { 64 } else { 32 }),
            ("unsigned long long", 64),
            ("long long", 64),
            ("_Bool", 1),
            ("enum e", 32),
            ("enum p", 8),
        ]);
        let width = match self.below(4) {
            0 => most,
            1 => most.min(8),
            _ => 1 + self.below(most),
        };
        match self.below(10) {
            0 => (format!("{ty} : 0"), Some(false)),
            1 => (format!("{ty} : {width}"), Some(false)),
            _ => (format!("{ty} f{index} : {width}{attribute}"), Some(true)),
        }
    }
}
