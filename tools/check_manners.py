#!/usr/bin/env python3
"""Checks on object files that the library behaves in another's program.

    tools/check_manners.py BUILD    prints what is wrong with the libraries there, and fails

The shared library and both static ones keep no data that changes (nothing of theirs is in a section
that can be written once relocations are done). The libraries call only what is in the lists below:
they never end the process, touch signals or the locale of the process, read the environment, print,
start programs, open connections, or use functions that keep something between calls. Of jansson
they use only what has no assertion that can be reached.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

# what a library must not do, by what it would call
FORBIDDEN = {
    "ends the process": "exit _exit _Exit quick_exit abort __assert_fail __assert_perror_fail "
                        "atexit on_exit __cxa_atexit err errx verr verrx error",
    "touches signals": "signal sigaction sigprocmask pthread_sigmask raise kill pthread_kill alarm "
                       "setitimer sigsetjmp siglongjmp longjmp _setjmp __longjmp_chk pause sigwait",
    "changes the locale of the process": "setlocale",
    "reads or writes the environment": "getenv secure_getenv __secure_getenv setenv unsetenv "
                                       "putenv clearenv environ __environ",
    "prints, or reads what others read": "printf __printf_chk vprintf __vprintf_chk puts putchar "
                                         "perror stdout stderr getchar gets psignal warn warnx",
    "changes the process": "chdir fchdir umask setuid setgid setrlimit nice chroot daemon setsid "
                           "mlockall fesetround fesetenv feenableexcept",
    "starts programs": "system popen fork vfork execve execv execvp execl execlp posix_spawn "
                       "posix_spawnp dlopen dlsym",
    "opens connections": "socket connect bind listen accept getaddrinfo gethostbyname",
    "keeps something between calls": "strtok rand srand random srandom drand48 localtime gmtime "
                                     "asctime ctime readdir ttyname getlogin getpwnam getpwuid "
                                     "tmpnam tempnam setbuf lgamma signgam basename dirname",
}
# what one object may do all the same: a library that need not be there is opened by its name
ALLOWED = {"fit_bobyqa.c.o": {"dlopen", "dlsym"}}
# what the libraries use of jansson; none of it parses, packs or sorts
JANSSON = set("jansson_version_str json_array json_array_append_new json_array_get "
              "json_array_set_new json_array_size json_delete json_dump_callback json_false "
              "json_integer json_integer_value json_null "
              "json_number_value json_object json_object_del json_object_get json_object_iter "
              "json_object_iter_key json_object_iter_next json_object_iter_value "
              "json_object_key_to_iter json_object_set_new_nocheck json_object_size json_real "
              "json_real_value json_string_nocheck json_string_value json_true".split())
# sections that nobody writes once the program runs
CONSTANT = re.compile(r"\.(rodata|data\.rel\.ro|text|init_array|fini_array|eh_frame|comment|note)")


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def undefined(path):
    """What an archive or a library asks of others, as (name, objects that do)."""
    wanted, member = collections.defaultdict(set), path.name
    options = ["-D"] if path.suffix == ".so" else []
    for line in lines("nm", "-u", *options, str(path)):
        if line.endswith(":"):
            member = line[:-1]
        elif line.strip():
            wanted[line.split()[-1].split("@")[0]].add(member)
    return wanted


def changing(path):
    """Data that can be written, as (object, section, name)."""
    member = path.name
    for line in lines("objdump", "-t", str(path)):
        match = re.match(r"(\S+\.o):\s+file format", line)
        if match:
            member = match.group(1)
        match = re.match(r"[0-9a-f]+ .{5}(.)(.) (\S+)\s+([0-9a-f]+)\s+(?:\.hidden )?(\S+)$", line)
        # neither the name of a section, nor a function
        if not match or match.group(1) == "d" or match.group(2) == "F" or \
                int(match.group(4), 16) == 0:
            continue
        if match.group(3) not in ("*UND*", "*ABS*") and not CONSTANT.match(match.group(3)):
            yield member, match.group(3), match.group(5)


def wrong_with(path):
    """Sentences on one library."""
    for member, section, name in changing(path):
        yield f"{path.name}: {member} keeps {name}, which can change, in {section}"
    why = {name: reason for reason, names in FORBIDDEN.items() for name in names.split()}
    for name, members in sorted(undefined(path).items()):
        members = {member for member in members if name not in ALLOWED.get(member, ())}
        who = ", ".join(sorted(members))
        if not members:
            continue
        if name in why:
            yield f"{path.name}: {who} {why[name]}: {name}"
        elif name.startswith("json") and name not in JANSSON:
            yield f"{path.name}: {who} uses {name} of jansson, which is not known to be harmless"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build
    libraries = [build / "libsonde.a", build / "libsonde_lab.a"]
    found = [sentence for path in libraries for sentence in wrong_with(path)]
    shared = build / "libsonde.so"
    # what the compiler itself puts into a shared library: which processor this is, found once
    own = re.compile(r" keeps (completed\.\d+|__dso_handle|__TMC_END__|__cpu_\w+),")
    found += [sentence for sentence in wrong_with(shared) if not own.search(sentence)]
    print("\n".join(found) if found else f"{len(undefined(shared))} functions of others are used")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
