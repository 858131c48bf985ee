/* The program's arguments and its environment: any texts of the lengths that Linux allows. A variable
   of the environment is chosen when it is first asked for and stays the same until it is set. */

unsigned long strlen(const char *text);
int strcmp(const char *a, const char *b);
char *strcpy(char *to, const char *from);
void __selvedge_set_errno(int number);

/* Memory that nothing was written to is any text, as long as it ends. */
static char *text_in(unsigned long size)
{
  char *text = __selvedge_alloc(size, 0);
  text[size - 1] = 0;
  return text;
}

/* Texts of all lengths fit into the longest memory; that reading goes too far is noticed in the
   shorter ones. */
static char *long_text(void) { return text_in(131072); }

static char *short_text(void)
{
  int size = __VERIFIER_nondet_int();
  __VERIFIER_assume(size >= 1 && size <= 3);
  return size == 1 ? text_in(1) : size == 2 ? text_in(2) : text_in(3);
}

static char *any_text(void) { return __VERIFIER_nondet_bool() ? long_text() : short_text(); }

/* The second parameter of main. One text at most has no room for others than the shortest: what goes
   wrong with one of them does so whatever the others are. */
char **__selvedge_arguments(int count)
{
  char **arguments = __selvedge_alloc(((unsigned long)count + 1) * sizeof(char *), 0);
  int chosen = __VERIFIER_nondet_int();
  __VERIFIER_assume(chosen >= 0 && chosen <= count);
  for (int i = 0; i < count; i++)
    arguments[i] = i == chosen ? short_text() : long_text();
  arguments[count] = 0;
  return arguments;
}

static const char *names[16];
static char *values[16];
static int known;

/* Reading the environment conflicts with changing it. */
static char environment;

static int variable(const char *name)
{
  int i = 0;
  while (i < known && strcmp(names[i], name) != 0)
    i++;
  if (i == 16)
    __selvedge_unsupported("more than sixteen variables of the environment");
  if (i == known) {
    names[i] = name;
    values[i] = __VERIFIER_nondet_bool() ? any_text() : 0;
    known++;
  }
  return i;
}

static char *value_of(const char *name)
{
  __VERIFIER_atomic_begin();
  char *value = values[variable(name)];
  __VERIFIER_atomic_end();
  return value;
}

char *getenv(const char *name)
{
  if (__selvedge_checks("race")) {
    char read = environment;
  }
  return value_of(name);
}

char *secure_getenv(const char *name) { return getenv(name); }

static char *copied(const char *text)
{
  return strcpy(__selvedge_alloc(strlen(text) + 1, 0), text);
}

static void set_value(const char *name, char *value)
{
  if (__selvedge_checks("race"))
    environment = 0;
  __VERIFIER_atomic_begin();
  values[variable(name)] = value;
  __VERIFIER_atomic_end();
}

static _Bool is_name(const char *name)
{
  if (!name || !*name)
    return 0;
  while (*name && *name != '=')
    name++;
  return *name == 0;
}

int setenv(const char *name, const char *value, int overwrite)
{
  if (!is_name(name)) {
    __selvedge_set_errno(22);
    return -1;
  }
  char *copy = copied(name);
  if (overwrite || !value_of(copy))
    set_value(copy, copied(value));
  return 0;
}

int unsetenv(const char *name)
{
  if (!is_name(name)) {
    __selvedge_set_errno(22);
    return -1;
  }
  set_value(copied(name), 0);
  return 0;
}

/* The text itself becomes part of the environment. */
int putenv(char *text)
{
  char *name = copied(text);
  char *end = name;
  while (*end && *end != '=')
    end++;
  if (*end) {
    *end = 0;
    set_value(name, text + (end - name) + 1);
  } else {
    set_value(name, 0);
  }
  return 0;
}

static char state_of_system;

/* What the command does is outside of the program. */
int system(const char *command)
{
  if (__selvedge_checks("race"))
    state_of_system = 0;
  return __VERIFIER_nondet_int();
}
