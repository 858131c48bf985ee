//! The atomic builtins by their names: `__atomic_*`, `__sync_*`, `__c11_atomic_*`; memory orders.

use selvedge_ir::{Fence, Mode};

/// What an atomic builtin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `load_n(p)`
    Load,
    /// `load(p, result)`
    LoadInto,
    /// `store_n(p, v)`
    Store,
    /// `__c11_atomic_init(p, v)`: no atomic access.
    Init,
    /// `store(p, &v)`
    StoreFrom,
    Exchange,
    /// `exchange(p, &v, result)`
    ExchangeInto,
    /// `compare_exchange_n(p, &expected, v, weak, ..)`
    Compare,
    /// `compare_exchange(p, &expected, &v, weak, ..)`
    CompareFrom,
    /// `__c11_atomic_compare_exchange_weak(p, &expected, v, ..)`, and `strong`
    CompareC11 {
        weak: bool,
    },
    /// `__sync_bool_compare_and_swap(p, old, new)`
    SwapBool,
    SwapValue,
    Modify {
        op: Modify,
        new: bool,
        elements: bool,
    },
    TestAndSet,
    Clear,
    Fence,
    /// Orders a thread with its own signal handlers only.
    SignalFence,
    IsLockFree,
}

/// A `memory_order`; consume is taken as acquire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    Sequential,
}

impl Order {
    /// By gcc's number (`__ATOMIC_RELAXED` is 0); bits above are hints.
    pub fn from_number(number: i128) -> Order {
        match number & 0xf {
            0 => Order::Relaxed,
            1 | 2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcquireRelease,
            _ => Order::Sequential,
        }
    }

    pub fn of_load(self) -> Mode {
        match self {
            Order::Relaxed | Order::Release => Mode::Relaxed,
            Order::Acquire | Order::AcquireRelease => Mode::Acquire,
            Order::Sequential => Mode::Atomic,
        }
    }

    pub fn of_store(self) -> Mode {
        match self {
            Order::Relaxed | Order::Acquire => Mode::Relaxed,
            Order::Release | Order::AcquireRelease => Mode::Release,
            Order::Sequential => Mode::Atomic,
        }
    }

    pub fn of_fence(self) -> Option<Fence> {
        match self {
            Order::Relaxed => None,
            Order::Acquire => Some(Fence::Acquire),
            Order::Release => Some(Fence::Release),
            Order::AcquireRelease => Some(Fence::AcquireRelease),
            Order::Sequential => Some(Fence::Sequential),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modify {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

fn modify(name: &str) -> Option<Modify> {
    Some(match name {
        "add" => Modify::Add,
        "sub" => Modify::Sub,
        "and" => Modify::And,
        "or" => Modify::Or,
        "xor" => Modify::Xor,
        "nand" => Modify::Nand,
        _ => return None,
    })
}

/// What the function of this name does, if it is an atomic builtin.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    use Operation::*;
    if let Some(sync) = name.strip_prefix("__sync_") {
        return Some(match sync {
            "synchronize" => Fence,
            "bool_compare_and_swap" => SwapBool,
            "val_compare_and_swap" => SwapValue,
            "lock_test_and_set" | "swap" => Exchange,
            "lock_release" => Clear,
            _ => {
                let (op, new) = match sync.strip_prefix("fetch_and_") {
                    Some(op) => (op, false),
                    None => (sync.strip_suffix("_and_fetch")?, true),
                };
                Modify { op: modify(op)?, new, elements: false }
            }
        });
    }
    let c11 = name.strip_prefix("__c11_atomic_");
    if let Some(c11) = c11 {
        return Some(match c11 {
            "load" => Load,
            "store" => Store,
            "init" => Init,
            "exchange" => Exchange,
            "compare_exchange_strong" => CompareC11 { weak: false },
            "compare_exchange_weak" => CompareC11 { weak: true },
            "thread_fence" => Fence,
            "signal_fence" => SignalFence,
            "is_lock_free" => IsLockFree,
            _ => Modify { op: modify(c11.strip_prefix("fetch_")?)?, new: false, elements: true },
        });
    }
    let atomic = name.strip_prefix("__atomic_")?;
    Some(match atomic {
        "load_n" => Load,
        "load" => LoadInto,
        "store_n" => Store,
        "store" => StoreFrom,
        "exchange_n" => Exchange,
        "exchange" => ExchangeInto,
        "compare_exchange_n" => Compare,
        "compare_exchange" => CompareFrom,
        "test_and_set" => TestAndSet,
        "clear" => Clear,
        "thread_fence" => Fence,
        "signal_fence" => SignalFence,
        "always_lock_free" | "is_lock_free" => IsLockFree,
        _ => {
            let (op, new) = match atomic.strip_prefix("fetch_") {
                Some(op) => (op, false),
                None => (atomic.strip_suffix("_fetch")?, true),
            };
            Modify { op: modify(op)?, new, elements: false }
        }
    })
}

/// The builtins that read and write through `&x` without keeping the address.
pub(crate) fn keeps_no_address(name: &str) -> bool {
    operation(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood() {
        let add = |new, elements| Operation::Modify { op: Modify::Add, new, elements };
        assert_eq!(operation("__atomic_fetch_add"), Some(add(false, false)));
        assert_eq!(operation("__atomic_add_fetch"), Some(add(true, false)));
        assert_eq!(operation("__sync_add_and_fetch"), Some(add(true, false)));
        assert_eq!(operation("__c11_atomic_fetch_add"), Some(add(false, true)));
        assert_eq!(operation("__sync_lock_release"), Some(Operation::Clear));
        assert_eq!(operation("__atomic_frobnicate"), None);
    }
}
