// truth: rejected
// property: assert
// error: nest
// why: 20,000 parentheses: nobody nests so deep, and the parser must not fall over it
#define P2(x) ((x))
#define P8(x) P2(P2(P2(P2(x))))
#define P40(x) P8(P8(P8(P8(P8(x)))))
#define P200(x) P40(P40(P40(P40(P40(x)))))
#define P1000(x) P200(P200(P200(P200(P200(x)))))
#define P5000(x) P1000(P1000(P1000(P1000(P1000(x)))))
#define P20000(x) P5000(P5000(P5000(P5000(x))))
int main(void) {
  return P20000(1); // ERROR
}
