// truth: rejected
// property: assert
// error: comment
// why: the comment has no end
int main(void) { return 0; }
/* and so on // ERROR
