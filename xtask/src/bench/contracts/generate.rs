//! Modules of growing size, every function with a contract.
//!
//! A module consists of groups of five functions that share a lock and a counter: a function that
//! counts under the lock, one that calls it twice through its contract, one with a loop, one that makes
//! an object of a type that all groups share, and one that makes an object, uses it and frees it.

use std::fmt::Write as _;

/// Functions of one group.
pub const GROUP: usize = 5;

const HEADER: &str = "#include <pthread.h>\n#include <stdlib.h>\n#define LIMIT 1000000\n\n\
    struct node {\n    int value;\n};\n\
    //@ global_invariant \\forall struct node *n; 0 <= n->value;\n\n";

/// A module with so many functions, a multiple of `GROUP`. In the edited one the first function of
/// the group in the middle stops counting one step earlier.
pub fn module(functions: usize, edited: bool) -> String {
    let groups = functions / GROUP;
    let mut text = String::from(HEADER);
    for group in 0..groups {
        let limit = if edited && group == groups / 2 { "LIMIT - 1" } else { "LIMIT" };
        write_group(&mut text, group, limit);
    }
    text
}

/// Writing into a string does not fail.
fn write_group(text: &mut String, g: usize, limit: &str) {
    let _ = write!(
        text,
        "pthread_mutex_t lock{g} = PTHREAD_MUTEX_INITIALIZER;\n\
         int count{g}; //@ unwritable_by_env_if \\holder(lock{g}) == \\tid;\n\
         //@ global_invariant 0 <= count{g} && count{g} <= LIMIT;\n\
         /*@ modifies lock{g}, count{g}; */\n\
         void add{g}(void)\n{{\n\
         \x20   pthread_mutex_lock(&lock{g});\n\
         \x20   if (count{g} < {limit})\n        count{g} = count{g} + 1;\n\
         \x20   pthread_mutex_unlock(&lock{g});\n}}\n\n\
         /*@ modifies lock{g}, count{g}; */\n\
         void twice{g}(void)\n{{\n    add{g}();\n    add{g}();\n}}\n\n\
         /*@ requires 0 <= n && n <= LIMIT;\n    modifies lock{g}, count{g}; */\n\
         void fill{g}(int n)\n{{\n\
         \x20   int i = 0;\n\
         \x20   pthread_mutex_lock(&lock{g});\n\
         \x20   while (i < n) {{\n        i = i + 1;\n        count{g} = i;\n    }}\n\
         \x20   pthread_mutex_unlock(&lock{g});\n}}\n\n\
         /*@ requires 0 <= value;\n    ensures \\result != 0; */\n\
         struct node *make{g}(int value)\n{{\n\
         \x20   struct node *n = calloc(1, sizeof *n);\n\
         \x20   n->value = value;\n    return n;\n}}\n\n\
         /*@ ensures \\result == value; */\n\
         int keep{g}(int value)\n{{\n\
         \x20   struct node *n = calloc(1, sizeof *n);\n\
         \x20   n->value = value;\n    int kept = n->value;\n\
         \x20   free(n);\n    return kept;\n}}\n\n"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_so_many_functions() {
        let text = module(20, false);
        assert_eq!(text.matches("\n{\n").count(), 20);
        assert_eq!(text.matches("/*@").count(), 20);
    }

    #[test]
    fn an_edit_changes_one_line() {
        let (before, after) = (module(50, false), module(50, true));
        let changed = before.lines().zip(after.lines()).filter(|(a, b)| a != b).count();
        assert_eq!((changed, before.lines().count()), (1, after.lines().count()));
    }
}
