/* Addresses and byte order of the network. x86 is little-endian. */

unsigned short htons(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
unsigned short ntohs(unsigned short x) { return htons(x); }

unsigned int htonl(unsigned int x)
{
  return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

unsigned int ntohl(unsigned int x) { return htonl(x); }

/* The number that a part of an address says, 256 for none. */
static unsigned int part(const char **text)
{
  unsigned int value = 0;
  int digits = 0;
  while (**text >= '0' && **text <= '9' && digits < 3) {
    value = value * 10 + (unsigned int)(**text - '0');
    (*text)++;
    digits++;
  }
  return digits > 0 && value < 256 ? value : 256;
}

static _Bool dotted(const char *text, unsigned int *address)
{
  unsigned int value = 0;
  for (int i = 0; i < 4; i++) {
    unsigned int byte = part(&text);
    if (byte > 255 || *text != (i < 3 ? '.' : 0))
      return 0;
    value |= byte << (8 * i);
    text++;
  }
  *address = value;
  return 1;
}

struct in_addr { unsigned int s_addr; };

int inet_pton(int family, const char *text, void *to)
{
  unsigned int address;
  if (family != 2)
    __selvedge_unsupported("inet_pton for other addresses than AF_INET");
  if (!dotted(text, &address))
    return 0;
  *(unsigned int *)to = address;
  return 1;
}

/* Forms with fewer than four parts are not modelled. */
unsigned int inet_addr(const char *text)
{
  unsigned int address;
  if (!dotted(text, &address))
    __selvedge_unsupported("inet_addr of a text that is not four numbers");
  return address;
}

int inet_aton(const char *text, struct in_addr *to)
{
  unsigned int address;
  if (!dotted(text, &address))
    __selvedge_unsupported("inet_aton of a text that is not four numbers");
  to->s_addr = address;
  return 1;
}
