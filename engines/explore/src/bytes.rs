//! Numbers and scalars as bytes: short for what is common.

use cranelift_entity::EntityRef;
use selvedge_ir::{Int, ObjectId, ProcId, Type};

use selvedge_exec::{SymbolId, ThreadId, Value};

/// Integers below this are one byte, which is the integer.
const SMALL: u64 = 190;

const U8: u8 = 190;
const U16: u8 = 191;
const U32: u8 = 192;
const U64: u8 = 193;
const NULL: u8 = 194;
const ADDRESS: u8 = 195;
const STATIC: u8 = 196;
const HEAP: u8 = 197;
const PROC: u8 = 198;
const SYMBOL: u8 = 199;
const OPAQUE: u8 = 200;
const THREAD: u8 = 201;
/// The first of the tags for threads with small numbers.
const THREADS: u8 = 202;
const LAST_THREAD: u32 = (u8::MAX - THREADS) as u32;

pub fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn zigzag(n: i64) -> u64 {
    (n << 1 ^ n >> 63) as u64
}

pub fn put_i128(out: &mut Vec<u8>, n: i128) {
    put_number(out, n as u64);
    put_number(out, (n >> 64) as u64);
}

pub fn put_int(out: &mut Vec<u8>, n: u64) {
    if n < SMALL {
        out.push(n as u8);
    } else if n <= u64::from(u8::MAX) {
        out.extend_from_slice(&[U8, n as u8]);
    } else if n <= u64::from(u16::MAX) {
        out.push(U16);
        out.extend_from_slice(&(n as u16).to_le_bytes());
    } else if n <= u64::from(u32::MAX) {
        out.push(U32);
        out.extend_from_slice(&(n as u32).to_le_bytes());
    } else {
        out.push(U64);
        out.extend_from_slice(&n.to_le_bytes());
    }
}

/// A value whose names are final already.
pub fn put_value(out: &mut Vec<u8>, value: Value) {
    match value {
        Value::Int(n) => put_int(out, n),
        Value::Null => out.push(NULL),
        Value::Address(bits) => {
            out.push(ADDRESS);
            put_number(out, bits);
        }
        Value::Static(object, offset) => {
            out.push(STATIC);
            put_number(out, object.index() as u64);
            put_number(out, zigzag(offset));
        }
        Value::Heap(index, offset) => {
            out.push(HEAP);
            put_number(out, index.into());
            put_number(out, zigzag(offset));
        }
        Value::Proc(procedure) => {
            out.push(PROC);
            put_number(out, procedure.index() as u64);
        }
        Value::Thread(ThreadId(n)) if n < LAST_THREAD => out.push(THREADS + n as u8),
        Value::Thread(ThreadId(n)) => {
            out.push(THREAD);
            put_number(out, n.into());
        }
        Value::Symbol { id, width, plus } => {
            out.push(SYMBOL);
            put_number(out, id.0.into());
            out.push(width);
            put_number(out, zigzag(plus));
        }
        Value::Opaque => out.push(OPAQUE),
    }
}

pub fn put_type(out: &mut Vec<u8>, ty: Type) {
    out.push(match ty {
        Type::Bool => 0,
        Type::Ptr => 1,
        Type::Thread => 2,
        Type::Int(Int { width, signed }) => 3 + (width << 1 | u8::from(signed)),
    });
}

/// Reads what the functions above wrote, in the same order.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    pub fn at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at];
        self.at += 1;
        byte
    }

    pub fn number(&mut self) -> u64 {
        let mut n = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return n;
            }
            shift += 7;
        }
    }

    pub fn i128(&mut self) -> i128 {
        let low = self.number();
        let high = self.number();
        (i128::from(high as i64) << 64) | i128::from(low)
    }

    fn signed(&mut self) -> i64 {
        let n = self.number();
        (n >> 1) as i64 ^ -((n & 1) as i64)
    }

    fn fixed<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[self.at..self.at + N]);
        self.at += N;
        bytes
    }

    pub fn value(&mut self) -> Value {
        let tag = self.byte();
        match tag {
            _ if u64::from(tag) < SMALL => Value::Int(tag.into()),
            U8 => Value::Int(self.byte().into()),
            U16 => Value::Int(u16::from_le_bytes(self.fixed()).into()),
            U32 => Value::Int(u32::from_le_bytes(self.fixed()).into()),
            U64 => Value::Int(u64::from_le_bytes(self.fixed())),
            NULL => Value::Null,
            ADDRESS => Value::Address(self.number()),
            STATIC => {
                let object = ObjectId::new(self.number() as usize);
                Value::Static(object, self.signed())
            }
            HEAP => {
                let index = self.number() as u32;
                Value::Heap(index, self.signed())
            }
            PROC => Value::Proc(ProcId::new(self.number() as usize)),
            SYMBOL => {
                let id = SymbolId(self.number() as u32);
                let width = self.byte();
                Value::Symbol { id, width, plus: self.signed() }
            }
            OPAQUE => Value::Opaque,
            THREAD => Value::Thread(ThreadId(self.number() as u32)),
            _ => Value::Thread(ThreadId((tag - THREADS).into())),
        }
    }

    pub fn ty(&mut self) -> Type {
        match self.byte() {
            0 => Type::Bool,
            1 => Type::Ptr,
            2 => Type::Thread,
            code => {
                let code = code - 3;
                Type::Int(Int { width: code >> 1, signed: code & 1 == 1 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let values = [0, 1, 189, 190, 255, 256, 65_535, 65_536, u64::from(u32::MAX), u64::MAX]
            .map(Value::Int)
            .into_iter()
            .chain([
                Value::Null,
                Value::Address(u64::MAX),
                Value::Static(ObjectId::new(700), -4),
                Value::Heap(9, i64::MAX),
                Value::Proc(ProcId::new(3)),
                Value::Symbol { id: SymbolId(2), width: 32, plus: i64::MIN },
                Value::Opaque,
                Value::Thread(ThreadId(0)),
                Value::Thread(ThreadId(52)),
                Value::Thread(ThreadId(53)),
                Value::Thread(ThreadId(500)),
            ]);
        for value in values {
            let mut out = Vec::new();
            put_value(&mut out, value);
            assert_eq!(Reader::new(&out).value(), value);
        }
    }

    #[test]
    fn types_and_wide_numbers_come_back() {
        for ty in [Type::Bool, Type::Ptr, Type::Thread, Type::Int(Int::I64), Type::Int(Int::U8)] {
            let mut out = Vec::new();
            put_type(&mut out, ty);
            assert_eq!(Reader::new(&out).ty(), ty);
        }
        for n in [0, -1, i128::from(i64::MIN), (1 << 64) - 1, -(1 << 64)] {
            let mut out = Vec::new();
            put_i128(&mut out, n);
            assert_eq!(Reader::new(&out).i128(), n);
        }
    }
}
