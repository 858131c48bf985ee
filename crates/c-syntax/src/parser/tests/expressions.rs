//! Expressions and constants.

use super::{check, check_body};

#[test]
fn precedence_and_association() {
    check_body("a - b - c * d;", "(Sub (Sub a b) (Mul c d))");
    check_body(
        "a || b && c | d ^ e & f == g < h << i + j;",
        "(Or a (And b (BitOr c (BitXor d (BitAnd e (Eq f (Lt g (Shl h (Add i j)))))))))",
    );
    check_body("a = b += c, d;", "(, (= a (Add= b c)) d)");
    check_body("a ? b, c : d ? e : f;", "(? a (, b c) (? d e f))");
    check_body("a ?: b;", "(?: a b)");
    check_body("a < b > c != d >= e;", "(Ne (Gt (Lt a b) c) (Ge d e))");
}

#[test]
fn prefix_and_postfix() {
    check_body("-a++ + !*b--;", "(Add (Minus (PostIncrement a)) (Not (Deref (PostDecrement b))))");
    check_body("++a.b->c[1](2, 3);", "(PreIncrement (call ([] (-> (. a b) c) 1) 2 3))");
    check_body("~+a - --b;", "(Sub (BitNot (Plus a)) (PreDecrement b))");
    check_body("&a & b && c;", "(And (BitAnd (AddressOf a) b) c)");
    check_body("__extension__ __real__ z + __imag z;", "(Add (Extension (Real z)) (Imag z))");
}

#[test]
fn casts_and_literals() {
    check_body("(int) -a + (char *) b;", "(Add (cast int (Minus a)) (cast pointer to char b))");
    check_body("(struct p){ .x = 1 }.x;", "(. (literal struct p {.x=1}) x)");
    check_body("(int[]){1, 2}[0];", "([] (literal array[] of int {1, 2}) 0)");
    check_body("(void (*)(int)) f;", "(cast pointer to function(_: int) to void f)");
    check_body("(int (*)[2]) p;", "(cast pointer to array[2] of int p)");
}

#[test]
fn sizes() {
    check_body("sizeof a + 1;", "(Add (sizeof a) 1)");
    check_body("sizeof(int) * 2;", "(Mul (sizeof type int) 2)");
    check_body("sizeof (int){3};", "(sizeof (literal int {3}))");
    check_body("sizeof(a)[0];", "(sizeof ([] a 0))");
    check_body("_Alignof(long) + __alignof__(a);", "(Add (alignof type long) (alignof a))");
    check_body("__builtin_offsetof(struct s, a.b[2]);", "(offsetof struct s .a.b[2])");
}

#[test]
fn gnu_forms() {
    check_body("x = ({ int t = a; t + 1; });", "(= x ({t: int = a; (Add t 1)}))");
    check_body("p = &&l; l: ;", "(= p (label l)); l: empty");
    check_body("__builtin_choose_expr(1, a, b);", "(choose 1 a b)");
    check_body("__builtin_types_compatible_p(int, char *);", "(compatible int, pointer to char)");
    check_body("__builtin_va_arg(l, int);", "(va_arg l int)");
    check_body("__builtin_convertvector(v, float);", "(convert float v)");
    check_body("__builtin_bit_cast(int, v);", "(convert int v)");
    check_body(
        "_Generic(x, int: 1, default: 2, char *: 3);",
        "(generic x int: 1 default: 2 pointer to char: 3)",
    );
    check_body("__builtin_expect(a, 0);", "(call __builtin_expect a 0)");
}

#[test]
fn integer_constants() {
    check_body("1; 0x1fUL; 017; 0b101u; 5ll; 7LLU;", "1; 31ul; 15; 5u; 5ll; 7ull");
    check_body("0; 18446744073709551615u;", "0; 18446744073709551615u");
    check_body("0xe+1;", "(Add 14 1)");
    check("int a[] = { [1...5] = 1 };", "a: array[] of int = {[1...5]=1}");
}

#[test]
fn floating_constants() {
    check_body(
        "1.5; .5f; 1e10L; 0x1.8p-3; 1.0i; 010.5; 09e1;",
        "(1.5 Double); (.5 Float); (1e10 LongDouble); (0x1.8p-3 Double); (1.0 Double i); (010.5 Double); (09e1 Double)",
    );
    check_body(
        "1.0DD; 1.0F128; 1.0f64x; 1.0f16; 2.0if; 1.q;",
        "(1.0 Decimal); (1.0 Float128); (1.0 LongDouble); (1.0 Half); (2.0 Float i); (1. Float128)",
    );
    check_body("3i;", "(3 Double i)");
}

#[test]
fn character_constants() {
    check_body(
        r"'a'; '\n'; '\''; '\0'; '\e'; '\377'; '\x41'; '\\';",
        "'97; '10; '39; '0; '27; '-1; '65; '92",
    );
    check_body(
        r"'ab'; 'abcde'; L'é'; u'\u00e9'; U'\U0001F600';",
        "'24930; '1650680933; '233; '233; '128512",
    );
    check_body(r"'\xff'; L'\xffffffff'; u8'a'; '?'; '\?';", "'-1; '-1; '97; '63; '63");
}

#[test]
fn strings_are_joined_and_decoded() {
    check_body(r#"s = "a" "b\tc" "\x41" "1";"#, r#"(= s "ab\tcA1")"#);
    check_body(r#"s = "é";"#, "(= s \"\u{c3}\u{a9}\")");
    check_body(r#"s = L"é" "é";"#, "(= s \"éé\")");
    check_body("s = \"a\\\nb\";", r#"(= s "ab")"#);
    check_body(r#"s = "";"#, r#"(= s "")"#);
    check_body(r#"s = "/* no */" /* one */ "//";"#, r#"(= s "/* no *///")"#);
}

#[test]
fn lexical_details() {
    check("int a$b, $c, é, \\u00e8;", "a$b: int; $c: int; é: int; è: int");
    check("int a<:2:> = <% 1 %>;", "a: array[2] of int = {1}");
    check("in\\\nt x = 1 + \\\n 2; // comment \\\n goes on\nint y;", "x: int = (Add 1 2)\ny: int");
    check("/* a */ int /*@ b */ x; _Pragma(\"once\") int y;", "x: int\ny: int");
    check("# 3 \"x.c\" 2\n#pragma GCC poison q\n#ident \"v\"\n#\nint x;\r\n", "x: int");
    check("int x = a+++b;", "x: int = (Add (PostIncrement a) b)");
}
