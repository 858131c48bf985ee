/* Folders, what files are, and memory that is mapped. */

void __selvedge_set_errno(int number);
int close(int file);

/* struct dirent of 64-bit Linux; the name is any text. */
struct dirent {
  unsigned long d_ino;
  long d_off;
  unsigned short d_reclen;
  unsigned char d_type;
  char d_name[256];
};

struct __dirstream { char open; };

struct __dirstream *opendir(const char *path)
{
  if (close(0) < 0)
    return 0;
  return __selvedge_alloc(1, 1);
}

struct __dirstream *fdopendir(int file) { return opendir(""); }

struct dirent *readdir(struct __dirstream *folder)
{
  folder->open = 1;
  if (__VERIFIER_nondet_bool())
    return 0;
  struct dirent *entry = __selvedge_alloc(sizeof(struct dirent), 0);
  entry->d_name[255] = 0;
  return entry;
}

int closedir(struct __dirstream *folder)
{
  __selvedge_free(folder);
  return close(0);
}

struct timespec;

/* struct stat of 64-bit Linux. */
struct stat {
  unsigned long device, inode, links;
  unsigned int mode, user, group, unused;
  unsigned long special;
  long size, block_size, blocks;
  long accessed[2], modified[2], changed[2];
  long reserved[3];
};

static int any_stat(struct stat *result)
{
  if (sizeof(long) < 8)
    __selvedge_unsupported("struct stat of 32 bits");
  if (close(0) < 0)
    return -1;
  result->device = __VERIFIER_nondet_ulong();
  result->inode = __VERIFIER_nondet_ulong();
  result->links = __VERIFIER_nondet_ulong();
  result->mode = __VERIFIER_nondet_uint();
  result->user = __VERIFIER_nondet_uint();
  result->group = __VERIFIER_nondet_uint();
  result->special = __VERIFIER_nondet_ulong();
  long size = __VERIFIER_nondet_long();
  __VERIFIER_assume(size >= 0);
  result->size = size;
  result->block_size = 4096;
  long blocks = __VERIFIER_nondet_long();
  __VERIFIER_assume(blocks >= 0);
  result->blocks = blocks;
  for (int i = 0; i < 2; i++) {
    long accessed = __VERIFIER_nondet_long();
    long modified = __VERIFIER_nondet_long();
    long changed = __VERIFIER_nondet_long();
    __VERIFIER_assume(accessed >= 0 && modified >= 0 && changed >= 0);
    __VERIFIER_assume(i == 0 || (accessed < 1000000000 && modified < 1000000000 && changed < 1000000000));
    result->accessed[i] = accessed;
    result->modified[i] = modified;
    result->changed[i] = changed;
  }
  return 0;
}

int stat(const char *path, struct stat *result) { return any_stat(result); }
int lstat(const char *path, struct stat *result) { return any_stat(result); }
int fstat(int file, struct stat *result) { return any_stat(result); }

/* New memory: zero, or the content of a file. What is written to a file is not seen again. */
void *mmap(void *hint, unsigned long size, int protection, int flags, int file, long offset)
{
  if (flags & 16)
    __selvedge_unsupported("mmap at a fixed address");
  if (size == 0 || (__selvedge_may_fail("mmap") && __VERIFIER_nondet_bool())) {
    __selvedge_set_errno(size == 0 ? 22 : 12);
    return (void *)-1;
  }
  if (flags & 32)
    return __selvedge_alloc(size, 1);
  return __selvedge_alloc(size, 0);
}

int munmap(void *start, unsigned long size)
{
  __selvedge_free(start);
  return 0;
}

int mprotect(void *start, unsigned long size, int protection) { return close(0); }
int msync(void *start, unsigned long size, int flags) { return close(0); }
int madvise(void *start, unsigned long size, int advice) { return close(0); }
int mlock(const void *start, unsigned long size) { return close(0); }
int munlock(const void *start, unsigned long size) { return close(0); }
int mlockall(int flags) { return close(0); }
int munlockall(void) { return close(0); }
