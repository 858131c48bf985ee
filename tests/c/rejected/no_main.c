// truth: rejected
// property: assert
// error: main
// why: there is nowhere to start
int x;
