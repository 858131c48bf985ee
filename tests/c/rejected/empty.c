// truth: rejected
// property: assert
// error: main
// why: the file has no declaration at all

