/* Sockets: every result that the functions' contracts allow. Addresses that come from outside are any
   bytes. */

long read(int file, void *to, unsigned long size);
long write(int file, const void *from, unsigned long size);
int close(int file);
int dup(int file);

int socket(int domain, int type, int protocol) { return dup(0); }
int listen(int socket, int backlog) { return close(socket); }
int shutdown(int socket, int how) { return close(socket); }

static void read_bytes(const void *from, unsigned long size)
{
  const char *p = from;
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    for (unsigned long i = 0; i < size; i++) {
      char read = p[i];
    }
}

int bind(int socket, const void *address, unsigned int size)
{
  read_bytes(address, size);
  return close(socket);
}

int connect(int socket, const void *address, unsigned int size) { return bind(socket, address, size); }

int setsockopt(int socket, int level, int name, const void *value, unsigned int size)
{
  read_bytes(value, size);
  return close(socket);
}

/* As many bytes as there is room for; `size` then says how many there were. */
static int any_bytes(int status, void *to, unsigned int *size)
{
  if (status >= 0 && to) {
    unsigned int room = *size;
    unsigned int length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(length <= 128);
    for (unsigned int i = 0; i < room && i < length; i++)
      ((char *)to)[i] = __VERIFIER_nondet_char();
    *size = length;
  }
  return status;
}

int accept(int socket, void *address, unsigned int *size) { return any_bytes(dup(socket), address, size); }
int accept4(int socket, void *address, unsigned int *size, int flags) { return accept(socket, address, size); }
int getsockname(int socket, void *address, unsigned int *size) { return any_bytes(close(socket), address, size); }
int getpeername(int socket, void *address, unsigned int *size) { return any_bytes(close(socket), address, size); }

int getsockopt(int socket, int level, int name, void *value, unsigned int *size)
{
  int status = close(socket);
  if (status == 0) {
    unsigned int length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(length <= *size);
    for (unsigned int i = 0; i < length; i++)
      ((char *)value)[i] = __VERIFIER_nondet_char();
    *size = length;
  }
  return status;
}

long send(int socket, const void *from, unsigned long size, int flags) { return write(socket, from, size); }
long recv(int socket, void *to, unsigned long size, int flags) { return read(socket, to, size); }

long sendto(int socket, const void *from, unsigned long size, int flags, const void *address, unsigned int address_size)
{
  if (address)
    read_bytes(address, address_size);
  return write(socket, from, size);
}

long recvfrom(int socket, void *to, unsigned long size, int flags, void *address, unsigned int *address_size)
{
  long got = read(socket, to, size);
  any_bytes((int)(got >= 0) - 1, address, address_size);
  return got;
}
