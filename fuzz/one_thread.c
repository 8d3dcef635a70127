/* one_thread.c: in the place of the C library's sysconf: a machine with one core. Threads are for
 * large work, making them for small work costs the most, and asking the kernel how many cores there
 * are costs as much as reading a small document. */
#include <unistd.h>

long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name) {
    return name == _SC_NPROCESSORS_ONLN ? 1 : __real_sysconf(name);
}
