//! Declarations, declarators, specifiers, attributes, initialisers.

use super::check;

#[test]
fn integer_types_in_any_order() {
    check("long unsigned int long a;", "a: unsigned longlong");
    check("short b; signed char c; char d;", "b: short\nc: signed char\nd: char");
    check("unsigned __int128 e; __uint128_t g;", "e: unsigned int128\ng: unsigned int128");
    check("const int static volatile h;", "h: static const volatile int");
    check("_Bool i; unsigned j; __signed__ k;", "i: bool\nj: unsigned int\nk: signed int");
}

#[test]
fn floating_types() {
    check("long double a; double _Complex b;", "a: longdouble\nb: complex double");
    check("_Float32x a; _Float64x b; __float128 c;", "a: double\nb: longdouble\nc: float128");
    check("_Decimal64 a; _Float16 b; __complex__ c;", "a: decimal\nb: half\nc: complex double");
}

#[test]
fn declarators_inside_out() {
    check("int *a[3];", "a: array[3] of pointer to int");
    check("int (*a)[3];", "a: pointer to array[3] of int");
    check(
        "char *(*f(void))(int);",
        "f: function() to pointer to function(_: int) to pointer to char",
    );
    check("int * const * volatile p;", "p: volatile pointer to const pointer to int");
    check(
        "void (*signal(int n, void (*h)(int)))(int);",
        "signal: function(n: int, h: pointer to function(_: int) to void) to pointer to \
         function(_: int) to void",
    );
    check("int m[2][3], *q;", "m: array[2] of array[3] of int; q: pointer to int");
}

#[test]
fn parameters() {
    check("int f();", "f: function(?) to int");
    check("int f(void);", "f: function() to int");
    check("int f(const char *, ...);", "f: function(_: pointer to const char, ...) to int");
    check(
        "void f(int n, int a[static const 3], int b[*], int c[n], int d[]);",
        "f: function(n: int, a: const array[3] of int, b: array[*] of int, c: array[n] of int, \
         d: array[] of int) to void",
    );
    check("void f(register int x);", "f: function(x: register int) to void");
    check("void f(int n; int a[n], int n);", "f: function(a: array[n] of int, n: int) to void");
}

#[test]
fn parenthesised_typedef_names_in_parameters() {
    // A typedef name in parentheses is a parameter's type, another name is the parameter.
    check(
        "typedef int T; void f(int (T), int (x));",
        "T: typedef int\nf: function(_: function(_: <T>) to int, x: int) to void",
    );
    check(
        "typedef int T; int (T2), (*g)(T);",
        "T: typedef int\nT2: int; g: pointer to function(_: <T>) to int",
    );
}

#[test]
fn typedef_names_can_be_shadowed() {
    check(
        "typedef int T; void f(void) { T T = 1; T * T; } T x;",
        "T: typedef int\nf: function() to void {T: <T> = 1; (Mul T T)}\nx: <T>",
    );
    check(
        "typedef int T; void f(T T) { (T) + 1; } void g(void) { (T) + 1; }",
        "T: typedef int\nf: function(T: <T>) to void {(Add T 1)}\n\
         g: function() to void {(cast <T> (Plus 1))}",
    );
    check(
        "typedef int T; void f(void) { enum { T = 3 }; { typedef char T; T c; } T + 1; }",
        "T: typedef int\nf: function() to void {declare enum {T=3}; {T: typedef char; c: <T>}; \
         (Add T 1)}",
    );
    check(
        "typedef int T; struct s { T T; unsigned T2; }; T t; int f(int (*T)(void)) { return T(); }",
        "T: typedef int\ndeclare struct s {T: <T>; T2: unsigned int}\nt: <T>\n\
         f: function(T: pointer to function() to int) to int {return (call T)}",
    );
}

#[test]
fn a_name_is_declared_before_its_initialiser() {
    check(
        "typedef int T; void f(void) { int T = sizeof(T); }",
        "T: typedef int\nf: function() to void {T: int = (sizeof T)}",
    );
    check(
        "typedef int T; void f(void) { for (T T = 0; T < 3; T++) ; T x; T: ; }",
        "T: typedef int\nf: function() to void {for [T: <T> = 0] (Lt T 3) (PostIncrement T) empty; \
         x: <T>; T: empty}",
    );
}

#[test]
fn old_style_definitions() {
    check(
        "f(a, b) char *b; { return a; }",
        "f: function(names a b) to int [b: pointer to char] {return a}",
    );
    check("static x; extern g();", "x: static int\ng: function(?) to extern int");
    check("main() { }", "main: function(?) to int {}");
}

#[test]
fn records() {
    check(
        "struct s { int a, *b; unsigned c : 3, : 2; struct { int d; }; int e[]; } x;",
        "x: struct s {a: int, b: pointer to int; c: unsigned int : 3, _ : 2; struct {d: int}; \
         e: array[] of int}",
    );
    check("union u; struct e {};;", "declare union u\ndeclare struct e {}");
    check(
        "struct s { ; int a;; _Static_assert(1, \"\"); };",
        "declare struct s {a: int; static_assert}",
    );
    check("enum e { A, B = A + 2, };", "declare enum e {A B=(Add A 2)}");
}

#[test]
fn packing_pragmas() {
    check(
        "#pragma pack(push, 2)\nstruct a { int x; };\n#pragma pack(1)\nstruct b { int x; };\n\
         #pragma pack(pop)\nstruct c { int x; };\n",
        "declare struct a {x: int} @pragma_pack(2)\ndeclare struct b {x: int} @pragma_pack(1)\n\
         declare struct c {x: int}",
    );
}

#[test]
fn packing_is_saved_and_restored() {
    check(
        "#pragma pack(push, here, 4)\n#pragma pack(push)\n#pragma pack(1)\n#pragma pack(pop, here)\n\
         struct a { int x; };\n#pragma pack(2)\n#pragma pack()\nstruct b { int x; };\n\
         _Pragma(\"pack(8)\") struct c { int x; };\n#pragma pack(0)\nstruct d { int x; };\n",
        "declare struct a {x: int}\ndeclare struct b {x: int}\n\
         declare struct c {x: int} @pragma_pack(8)\ndeclare struct d {x: int}",
    );
}

#[test]
fn pragmas_that_are_not_understood_are_kept() {
    check(
        "#pragma GCC diagnostic push\n#pragma once\n#pragma STDC FP_CONTRACT ON\n\
         #pragma GCC optimize(\"O2\")\nint x;\n#pragma omp threadprivate(x)\n\
         _Pragma(\"acc data\") int y;\n",
        "x: int\nunsupported `#pragma omp threadprivate(x)`\nunsupported `#pragma acc data`\ny: int",
    );
}

#[test]
fn attributes_in_every_position() {
    check(
        "__attribute__((noinline, cold)) static int f(void);",
        "f: function() to static int @noinline @cold",
    );
    check("int a __attribute__((__aligned__(8)));", "a: int @aligned(8)");
    check("int * __attribute__((may_alias)) p;", "p: pointer @may_alias to int");
    check("int (__attribute__((unused)) f)(int);", "f: function(_: int) to int @unused");
    check(
        "struct __attribute__((packed)) s { int a; } __attribute__((aligned(4)));",
        "declare struct s {a: int} @packed @aligned(4)",
    );
    check(
        "struct s { int a : 3 __attribute__((x)), b __attribute__((y)); };",
        "declare struct s {a: int : 3 @x, b: int @y}",
    );
    check(
        "void f(int a __attribute__((unused)), [[maybe_unused]] int b);",
        "f: function(a: int @unused, b: int @maybe_unused) to void",
    );
    check("[[nodiscard]] int f [[gnu::cold]] (void);", "f: function() to int @nodiscard @cold");
    check("enum { A __attribute__((deprecated)) = 1, B [[deprecated]] };", "declare enum {A=1 B}");
    check(
        "int f(void) __asm__(\"g\") __attribute__((nothrow));",
        "f: function() to int @nothrow asm(g)",
    );
    check(
        "int x __attribute__(()), y __attribute__((const, format(printf, 1, 2), mode(DI)));",
        "x: int; y: int @const @format(printf 1 2) @mode(DI)",
    );
}

#[test]
fn attribute_arguments_that_are_no_expressions_are_dropped() {
    check("int x __attribute__((a(int), b(1, struct s *, 2), c(= [ ])));", "x: int @a @b(1 2) @c");
}

#[test]
fn storage_and_the_like() {
    check(
        "static _Thread_local int a; extern __thread int b;",
        "a: static thread_local int\nb: extern thread_local int",
    );
    check("_Noreturn static inline void f(void);", "f: function() to static inline noreturn void");
    check("_Alignas(16) _Alignas(double) char c;", "c: aligned char");
    check(
        "_Atomic int a; _Atomic(int *) b; int * _Atomic c;",
        "a: atomic int\nb: _Atomic(pointer to int)\nc: atomic pointer to int",
    );
    check("int __seg_gs *p;", "p: pointer to int");
    check(
        "__extension__ typedef long long ll; __extension__ ll x;",
        "ll: typedef longlong\nx: <ll>",
    );
}

#[test]
fn typeof_and_auto_types() {
    check(
        "int a; typeof(a) b; __typeof__(int[3]) c;",
        "a: int\nb: typeof(a)\nc: typeof(array[3] of int)",
    );
    check(
        "void f(void) { __auto_type x = 1; __builtin_va_list l; }",
        "f: function() to void {x: __auto_type = 1; l: va_list}",
    );
    check("__selvedge_thread t;", "t: <__selvedge_thread>");
}

#[test]
fn initialisers() {
    check("int a[] = { 1, [3] = 2, [5 ... 7] = 3, };", "a: array[] of int = {1, [3]=2, [5...7]=3}");
    check(
        "struct s x = { .a = 1, .b.c[2] = { 3 }, d: 4, {} };",
        "x: struct s = {.a=1, .b.c[2]={3}, .d=4, {}}",
    );
    check("int a[2] = { [0] 7 };", "a: array[2] of int = {[0]=7}");
}

#[test]
fn top_level_oddities() {
    check("; int a;;; asm(\".globl x\"); int b;", "a: int\nasm\nb: int");
    check(
        "_Static_assert(1); _Static_assert(2, \"a\" \"b\");",
        "static_assert 1 None\nstatic_assert 2 Some(\"ab\")",
    );
    check("int; struct s; ", "declare int\ndeclare struct s");
}
