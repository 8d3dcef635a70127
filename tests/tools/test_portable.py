"""What one system alone has is asked for in one file of the library, and in one of the command."""
# once
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOMES = {"src/base/draft.c", "cli/platform.c"}
# files of /proc and /sys, and calls and headers of Linux, glibc or macOS
SPECIAL = re.compile(r"/proc/|/sys/(?:devices|fs)|\bO_TMPFILE\b|\bSYS_\w+|"
                     r"<(?:sys/(?:syscall|epoll|eventfd|"
                     r"sysinfo|prctl|auxv|random|inotify)|linux/\w+|malloc|sched|execinfo|link|"
                     r"mach[\w/-]*)\.h>|\b(?:gettid|sched_\w+affinity|getrandom|secure_getenv|"
                     r"malloc_trim|qsort_r|asprintf|get_nprocs|pipe2|accept4|_NSGet\w+)\b|"
                     r"_GNU_SOURCE|pthread_\w+_np\b")


def found(text):
    """What is special in code, comments left out."""
    return SPECIAL.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def test_calls_of_one_system_are_in_two_files():
    files = [path for folder in ("src", "lab", "cli", "python/src", "include")
             for path in sorted((ROOT / folder).rglob("*.[ch]"))]
    assert len(files) > 100
    special = {str(path.relative_to(ROOT)): found(path.read_text()) for path in files}
    assert {path for path, names in special.items() if names} == HOMES, special


def test_what_is_special_is_seen_in_code_and_not_in_comments():
    assert found('readlink("/proc/self/exe", path, size);') == ["/proc/"]
    assert found("#include <sys/syscall.h>\n/* no /proc/ here */ syscall(SYS_gettid);") == [
        "<sys/syscall.h>", "SYS_gettid"]
