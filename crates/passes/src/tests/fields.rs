//! Regions by fields.

use super::*;

fn by_fields() -> Options {
    Options { fields: true, ..Options::default() }
}

#[track_caller]
fn expect_regions(text: &str, name: &str, expected: &[&str]) {
    let program = after(text, Stage::Regions, &by_fields());
    assert_eq!(regions_of(&program, name), expected);
}

/// Start, length and stride of all memory, in order.
fn extents(text: &str) -> Vec<(i64, i64, i64)> {
    let prepared = crate::prepare(&parsed(text), &by_fields());
    let all = prepared.program.regions.keys().flat_map(|r| prepared.regions.extents[&r].clone());
    let mut found: Vec<(i64, i64, i64)> = all.map(|e| (e.start, e.length, e.stride)).collect();
    found.sort_unstable();
    found
}

/// A list through two kinds of structures: a device's queue, and requests.
const QUEUE: &str = "
    layout struct link = struct { next: ptr; prev: ptr; };
    layout struct device = struct { state: i32; queue: struct link; length: i32; };
    layout struct request = struct { link: struct link; done: i32; };
    shared device: struct device; shared request: struct request;";

#[test]
fn a_list_keeps_the_structures_around_it_apart() {
    expect_regions(
        &format!(
            "{QUEUE} procedure main() {{
               local p: ptr;
               device.queue.next := &device.queue;
               request.link.next := &device.queue;
               device.queue.next := &request.link;
               p := device.queue.next;
               *p: ptr := null;
               *(p + 16): i32 := 1;
               request.done := 0;
               device.length := 1;
             }}
             procedure other() {{ device.state := 1; }}
             thread main main; thread other;"
        ),
        "main",
        &[
            "device.queue.next...",
            "device.queue.next...",
            "device.queue.next...",
            "device.queue.next...",
            "device.queue.next...",
            "request.done",
            "request.done",
            "device.length",
        ],
    );
}

#[test]
fn an_index_stays_in_its_array() {
    let text = "layout struct ring = struct { first: i32; bytes: u8[4]; count: i32; };
         shared ring: struct ring;
         procedure main() {
           local i: i64; havoc i;
           ring.bytes[i] := 1; ring.first := 2; ring.count := 3;
         }
         thread main main;";
    expect_regions(text, "main", &["ring.bytes[0]", "ring.first", "ring.count"]);
    assert_eq!(extents(text), [(0, 4, 0), (4, 4, 0), (8, 4, 0)]);
    let prepared = crate::prepare(&parsed(text), &by_fields());
    assert!(prepared.regions.assumed);
    assert_eq!(prepared.regions.exact.len(), 2);
}

#[test]
fn arrays_inside_arrays() {
    let text = "layout struct line = struct { key: i32; bytes: u8[3]; };
         shared lines: struct line[2];
         procedure main() {
           local i: i64; local j: i64; havoc i; havoc j;
           lines[i].bytes[j] := 1; lines[i].key := 2;
         }
         thread main main;";
    assert_eq!(extents(text), [(0, 4, 0), (4, 3, 0), (8, 4, 0), (12, 3, 0)]);
}

/// A pointer to a structure is also one to the array that it begins with. As far on as the array is long
/// there is no element any more.
#[test]
fn what_stands_behind_an_array_is_not_one_of_its_elements() {
    let text = "layout struct entry = struct { tick: i32; value: i32; };
         layout struct history = struct { entries: struct entry[2]; next: i32; };
         layout struct device = struct { open: i32; history: struct history; };
         shared device: struct device;
         procedure main() {
           local i: i64; local h: ptr; local e: ptr;
           havoc i; h := &device.history;
           e := h + i * 8;
           *e: i32 := 1; *(e + 4): i32 := 2;
           *(h + 16): i32 := 3;
         }
         thread main main;";
    let names = [
        "device.history.entries[0].tick",
        "device.history.entries[0].value",
        "device.history.next",
    ];
    expect_regions(text, "main", &names);
    assert_eq!(extents(text), [(4, 4, 0), (8, 4, 0), (12, 4, 0), (16, 4, 0), (20, 4, 0)]);
}

#[test]
fn memory_without_a_shape_has_that_of_its_accesses() {
    let text = "shared p: ptr;
         procedure main() {
           local n: u64; local i: i64; local q: ptr; havoc n; havoc i;
           q := alloc bytes size n; p := q;
           *(q + i * 8): i64 := 1;
         }
         thread main main;";
    let text = &format!("layout bytes = bytes size 1; {text}");
    assert_eq!(extents(text), [(0, 8, 0), (0, 8, 8)]);
}

#[test]
fn accesses_of_several_sizes_know_nothing_of_offsets() {
    let text = "layout buffer = bytes size 64; shared buffer: buffer;
         procedure main() {
           local i: i64; havoc i;
           *(&buffer + i * 4): i32 := 1; *(&buffer + i * 8): i64 := 1;
         }
         thread main main;";
    assert_eq!(extents(text), [(0, 64, 0)]);
    let program = after(text, Stage::Regions, &by_fields());
    assert_eq!(program.regions.len(), 1);
    assert!(program.regions.values().all(|region| region.ty.is_none()));
}

#[test]
fn pointers_know_what_they_point_to() {
    let text = "shared x: i32; shared p: ptr; shared q: ptr;
         procedure main() {
           local n: i64; havoc n;
           p := &x; q := ptr(n);
         }
         thread main main;";
    let prepared = crate::prepare(&parsed(text), &by_fields());
    let known = |name: &str| {
        let mut regions = prepared.program.regions.iter();
        let (id, _) = regions.find(|(_, region)| region.name == name).expect("a region");
        prepared.regions.pointees.get(&id).map(Vec::len)
    };
    assert_eq!(known("p"), Some(1));
    assert_eq!(known("q"), None);
}
