// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the network has the most significant byte first
#include <arpa/inet.h>
#include <assert.h>
int main(void) {
  struct in_addr address;
  assert(htons(80) == 0x5000 && ntohl(htonl(0x01020304)) == 0x01020304);
  assert(htonl(0x01020304) == 0x04030201);
  assert(inet_pton(AF_INET, "127.0.0.1", &address) == 1 && address.s_addr == htonl(INADDR_LOOPBACK));
}
