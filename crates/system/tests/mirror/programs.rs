//! Programs that use what random ones use too seldom: memory that is freed, undefined, made in
//! loops or by threads of pools, arrays, results, blocks with loops.

pub const PROGRAMS: [&str; 10] = [
    // Freed while others still use it.
    "shared cell: ptr; shared x: i8;
    procedure worker() { local p: ptr; local t: i8;
        p := cell; if (p != null) { t := *p: i8; *p: i8 := t + 1; x := t; } }
    procedure main() { local p: ptr; local a: thread;
        p := alloc heap i8; *p: i8 := 5; a := spawn worker(); spawn worker();
        cell := p; join a; free heap p; }
    thread main;",
    // Freed twice, or not at all.
    "shared cell: ptr;
    procedure worker(q: ptr) { local p: ptr; p := cell; if (p != null) { free heap p; } cell := q; }
    procedure main() { local p: ptr; local q: ptr;
        p := alloc heap i8; q := alloc heap i8; cell := p; spawn worker(q); spawn worker(null);
        p := cell; if (p != null) { *p: i8 := 1; } }
    thread main;",
    // Undefined until written, by whom ever.
    "shared x: i8;
    procedure worker(p: ptr) { local c: bool; local t: i8;
        t := x; assert t != 1; havoc c; if (c) { *p: i8 := 3; } }
    procedure main() { local p: ptr; local t: i8; local u: i8; local a: thread;
        p := alloc stack i8; a := spawn worker(p); t := *p: i8; x := t; join a;
        u := *p: i8; x := u; assert u == 3; free stack p; u := *p: i8; }
    thread main;",
    // A list made in a loop, taken apart by a pool.
    "layout struct node = struct { value: i8; next: ptr; };
    shared head: ptr; shared m: thread; shared sum: i8;
    procedure worker() { local p: ptr; local n: ptr; local t: i8; local s: i8;
        lock m; p := head;
        if (p != null) { n := *(p + 8): ptr; head := n; }
        unlock m;
        if (p != null) { t := *p: i8; atomic { s := sum; sum := s + t; } free heap p; } }
    procedure main() { local p: ptr; local n: ptr; local i: i8;
        i := 0;
        while (i < 3) { p := alloc heap struct node; *p: i8 := i; n := head;
            *(p + 8): ptr := n; head := p; spawn worker(); i := i + 1; }
        n := head; if (n != null) { i := *n: i8; assert i == 2; } }
    thread main;",
    // Objects of each thread of a pool, reached by nobody else, but compared and freed.
    "shared x: i8;
    procedure worker(k: i8) { local p: ptr; local q: ptr; local t: i8;
        p := alloc heap i8; q := alloc stack i8; *p: i8 := k;
        assert p != q; t := x; *q: i8 := t; t := *p: i8; x := t; t := *q: i8;
        free heap p; free stack q; if (t == 2) { t := *p: i8; } }
    procedure main() { local i: i8; i := 0; while (i < 3) { spawn worker(i); i := i + 1; } }
    thread main;",
    // Arrays, small and large, in and out of bounds.
    "shared a: i8[3]; shared b: i16[40];
    procedure worker(i: i64) { local t: i8; local s: i16;
        t := a[i]; a[i] := t + 1; s := b[i + 30]; b[i * 3] := s + 2; }
    procedure main() { local i: i64; local t: i8; local s: i16;
        spawn worker(0); spawn worker(2); havoc i; assume i >= 0 && i < 14;
        b[i] := 7; s := b[6]; assert s != 2; t := a[i]; }
    thread main;",
    // A pointer to one of several, and into the middle.
    "layout struct pair = struct { a: i8; b: i8; };
    shared x: i8; shared y: i8; shared s: struct pair; shared cell: ptr;
    procedure worker() { local p: ptr; local t: i8;
        p := cell; t := *p: i8; *p: i8 := t + 1; }
    procedure main() { local c: bool; local t: i8; local a: thread;
        havoc c; if (c) { cell := &x; } else { cell := &y; }
        a := spawn worker(); havoc c; if (c) { cell := &s.b; } join a;
        t := s.b; assert t == 0; t := x; assert t == 0; s.a := t; }
    thread main;",
    // What threads return, of instances and of pools.
    "shared x: i8;
    procedure get() -> i8 { local t: i8; t := x; x := t + 1; return t; }
    procedure main() { local a: thread; local b: thread; local r: i8; local s: i8; local i: i8;
        a := spawn get(); r := join a; assert r == 0; i := 0;
        while (i < 2) { b := spawn get(); i := i + 1; }
        s := join b; assert s != 2; r := join b; assert r == s; r := join a; }
    thread main;",
    // A block with a loop that may block or fail in the middle.
    "shared x: i8; shared y: i8;
    procedure worker() { local i: i8; local t: i8;
        atomic { i := 0; while (i < 3) { t := x; x := t + 1; wait t != 5; i := i + 1; }
            t := y; assert t != 2; y := t + 1; }
        t := x; y := t; }
    procedure main() { local t: i8; spawn worker(); spawn worker(); t := x; x := t + 1;
        spawn worker(); t := y; assert t < 3; }
    thread main;",
    // A variable that each thread has, in instances and pools, and machine words that wrap.
    "per_thread own: u8; shared x: u8;
    procedure worker(k: u8) { local t: u8; own := k; t := x; x := t + k; t := own;
        assert t == k; x := t * 2 - 200; }
    procedure main() { local t: u8; own := 250; spawn worker(9); t := 0;
        while (t < 2) { spawn worker(t); t := t + 1; }
        t := own; t := t + 10; assert t == 4; x := t; }
    thread main;",
];
