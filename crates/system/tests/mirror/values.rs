//! Values of the machine and of terms.

use std::collections::HashMap;

use selvedge_exec as exec;
use selvedge_exec::ThreadId;
use selvedge_ir::{Int, Program, Type};
use selvedge_smt::Value;
use selvedge_smt::translate::{Arithmetic, Objects, Types};

/// The numbers that the system gives to what the machine has.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Of objects, by their place in the machine's heap.
    pub heap: HashMap<u32, Value>,
    /// Of threads.
    pub threads: HashMap<ThreadId, u32>,
}

pub struct Values<'a> {
    pub program: &'a Program,
    pub types: Types,
}

impl Values<'_> {
    pub fn number(&self, number: u32) -> Value {
        match self.types.arithmetic {
            Arithmetic::Bits => Value::Bv(selvedge_smt::Bits::new(
                u128::from(number),
                selvedge_smt::translate::ID_BITS,
            )),
            _ => Value::Int(number.into()),
        }
    }

    pub fn int(&self, bits: u64, int: Int) -> Value {
        match self.types.arithmetic {
            Arithmetic::Bits => {
                Value::Bv(selvedge_smt::Bits::new(u128::from(bits), u32::from(int.width)))
            }
            _ => Value::Int(int.value(bits).into()),
        }
    }

    fn pointer(&self, object: Value, offset: i64) -> Vec<Value> {
        let int = self.types.offset_int();
        vec![object, self.int(int.wrap(i128::from(offset)), int)]
    }

    /// The value at a type as the terms have it. None if the machine does not know it, or it points
    /// to an object without a number yet.
    pub fn of(&self, value: exec::Value, ty: Type, numbers: &Numbers) -> Option<Vec<Value>> {
        let objects = Objects::new(self.program);
        Some(match (value, ty) {
            (exec::Value::Int(bits), Type::Bool) => vec![Value::Bool(bits != 0)],
            (exec::Value::Int(bits), Type::Int(int)) => vec![self.int(bits, int)],
            (exec::Value::Thread(ThreadId::NONE), _) => vec![self.number(0)],
            (exec::Value::Thread(id), _) => vec![self.number(*numbers.threads.get(&id)?)],
            (exec::Value::Null, _) => self.pointer(self.number(0), 0),
            (exec::Value::Address(bits), _) => {
                let int = self.types.offset_int();
                self.pointer(self.number(0), int.value(bits) as i64)
            }
            (exec::Value::Static(object, at), _) => {
                self.pointer(self.number(objects.object(object)), at)
            }
            (exec::Value::Proc(id), _) => self.pointer(self.number(objects.procedure(id)), 0),
            (exec::Value::Heap(index, at), _) => {
                self.pointer(numbers.heap.get(&index)?.clone(), at)
            }
            _ => return None,
        })
    }

    /// Whether a value of the machine is what the terms say. A pointer to an object without a
    /// number gives it one.
    pub fn same(
        &self,
        value: exec::Value,
        ty: Type,
        terms: &[Value],
        numbers: &mut Numbers,
    ) -> bool {
        // Objects that only their makers can reach may have one number in several threads.
        if let exec::Value::Heap(index, _) = value {
            numbers.heap.entry(index).or_insert_with(|| terms[0].clone());
        }
        match self.of(value, ty, numbers) {
            Some(expected) => expected == terms,
            None => value == exec::Value::Opaque,
        }
    }
}
