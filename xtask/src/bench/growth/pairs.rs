//! Programs of two threads, for bounds on contexts: each thread goes through all parts once, and the
//! assertions of every part hold however the threads take turns.

/// Two threads, which run these calls of each part.
fn with_threads(text: &mut String, parts: usize, calls: [fn(usize) -> String; 2]) {
    for (name, call) in ["first", "second"].into_iter().zip(calls) {
        text.push_str(&format!("static void *{name}(void *unused)\n{{\n"));
        text.extend((0..parts).map(|part| format!("    {}\n", call(part))));
        text.push_str("    return 0;\n}\n\n");
    }
    text.push_str(
        "int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, first, 0);\n    \
         pthread_create(&b, 0, second, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    \
         return 0;\n}\n",
    );
}

const HEADER: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\n\
    extern int __VERIFIER_nondet_int(void);\n\n";

const NODE: &str = "struct node {\n    int value;\n    struct node *next;\n};\n\n";

/// A list for each part, with functions of its own.
pub fn lists(parts: usize) -> String {
    let mut text = format!("{HEADER}{NODE}");
    text.extend((0..parts).map(list));
    with_threads(&mut text, parts, [|i| format!("push{i}({i} + 1);"), |i| format!("pop{i}();")]);
    text
}

fn list(i: usize) -> String {
    format!(
        "static pthread_mutex_t lock{i} = PTHREAD_MUTEX_INITIALIZER;\n\
         static struct node *head{i};\n\n\
         static void push{i}(int value)\n{{\n    struct node *node = malloc(sizeof *node);\n    \
         node->value = value;\n    pthread_mutex_lock(&lock{i});\n    node->next = head{i};\n    \
         head{i} = node;\n    pthread_mutex_unlock(&lock{i});\n}}\n\n\
         static void pop{i}(void)\n{{\n    pthread_mutex_lock(&lock{i});\n    \
         struct node *node = head{i};\n    if (node)\n        head{i} = node->next;\n    \
         pthread_mutex_unlock(&lock{i});\n    if (node)\n        assert(node->value > 0);\n}}\n\n"
    )
}

const COMMON: &str = "struct list {\n    pthread_mutex_t lock;\n    struct node *head;\n    \
    int count;\n};\n\n\
    static void push(struct list *list, int value)\n{\n    \
    struct node *node = malloc(sizeof *node);\n    node->value = value;\n    \
    pthread_mutex_lock(&list->lock);\n    node->next = list->head;\n    list->head = node;\n    \
    list->count++;\n    pthread_mutex_unlock(&list->lock);\n}\n\n\
    static struct node *pop(struct list *list)\n{\n    pthread_mutex_lock(&list->lock);\n    \
    struct node *node = list->head;\n    if (node) {\n        list->head = node->next;\n        \
    list->count--;\n        assert(list->count >= 0);\n    }\n    \
    pthread_mutex_unlock(&list->lock);\n    return node;\n}\n\n";

/// The lists of all parts go through the same functions.
pub fn common(parts: usize) -> String {
    let mut text = format!("{HEADER}{NODE}{COMMON}");
    text.extend((0..parts).map(user));
    with_threads(&mut text, parts, [|i| format!("produce{i}();"), |i| format!("consume{i}();")]);
    text
}

fn user(i: usize) -> String {
    format!(
        "static struct list list{i} = {{PTHREAD_MUTEX_INITIALIZER, 0, 0}};\n\n\
         static void produce{i}(void)\n{{\n    int value = __VERIFIER_nondet_int();\n    \
         if (value <= {i})\n        value = {i} + 1;\n    push(&list{i}, value);\n}}\n\n\
         static void consume{i}(void)\n{{\n    struct node *node = pop(&list{i});\n    \
         if (node) {{\n        assert(node->value > {i});\n        node->value = 0;\n    }}\n}}\n\n"
    )
}

/// A counter for each part, with a limit that it keeps to.
pub fn scalars(parts: usize) -> String {
    let mut text = String::from(HEADER);
    text.extend((0..parts).map(counter));
    with_threads(
        &mut text,
        parts,
        [
            |i| format!("enter{i}(__VERIFIER_nondet_int()); leave{i}();"),
            |i| format!("leave{i}(); enter{i}(__VERIFIER_nondet_int());"),
        ],
    );
    text
}

fn counter(i: usize) -> String {
    let limit = i + 3;
    format!(
        "static pthread_mutex_t lock{i} = PTHREAD_MUTEX_INITIALIZER;\n\
         static int used{i}, limit{i} = {limit};\n\n\
         static void enter{i}(int amount)\n{{\n    pthread_mutex_lock(&lock{i});\n    \
         if (amount > 0 && used{i} < limit{i})\n        used{i} = used{i} + 1;\n    \
         assert(used{i} <= limit{i});\n    pthread_mutex_unlock(&lock{i});\n}}\n\n\
         static void leave{i}(void)\n{{\n    pthread_mutex_lock(&lock{i});\n    \
         if (used{i} > 0)\n        used{i} = used{i} - 1;\n    assert(used{i} >= 0);\n    \
         pthread_mutex_unlock(&lock{i});\n}}\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_goes_through_every_part() {
        for (text, calls) in [
            (lists(12), ["    push11(11 + 1);", "    pop11();"]),
            (common(12), ["    produce11();", "    consume11();"]),
            (scalars(12), ["    enter11(", "    leave11(); enter11("]),
        ] {
            for call in calls {
                assert_eq!(text.matches(call).count(), 1, "{call}");
            }
        }
    }
}
