#!/usr/bin/env python3
"""Makes a wheel self-contained: the libraries it is linked with go inside, with their licences.

    tools/bundle.py WHEEL FOLDER [PAGE]

Every library that manylinux (PEP 600) does not promise everywhere is copied to sonde.libs/ under a
name of its own, so that it never meets another copy in the same process, and what needs it is told
by patchelf to look there. The tag of the new wheel in FOLDER names the newest glibc that any of the
files asks for. PAGE is the page that `make` builds, which goes inside with the notices of what
others wrote of it. Licences are those that Debian keeps of each package. The tools are Debian's
wheel, patchelf, binutils and dpkg.
"""
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# what PEP 600 promises on every Linux of the tag
EVERYWHERE = re.compile(r"(libc|libm|libdl|librt|libpthread)\.so\.|ld-linux|linux-vdso")


def out(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True).stdout


def programs(folder):
    """The files that are machine code."""
    return [path for path in sorted(folder.rglob("*"))
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


def needed(program):
    """The libraries that it asks for by itself and others lack, as {name: where it lies here}."""
    asked = set(out("patchelf", "--print-needed", program).split())
    found = dict(re.findall(r"(\S+) => (/\S+)", out("ldd", program)))
    return {name: found[name] for name in asked if not EVERYWHERE.match(name)}


def copy_library(name, source, libs):
    """A copy with a name by its contents: libz.so.1 becomes libz-1a2b3c4d.so.1."""
    digest = hashlib.sha256(pathlib.Path(source).read_bytes()).hexdigest()[:8]
    target = libs / name.replace(".so", f"-{digest}.so", 1)
    if not target.exists():
        libs.mkdir(exist_ok=True)
        shutil.copy(source, target)
        out("patchelf", "--set-soname", target.name, target)
        keep_licence(source, libs)
    return target


def keep_licence(source, libs):
    """What Debian says of the package that the library is from; /lib is /usr/lib by now, and
    some packages name the one, some the other."""
    real = str(pathlib.Path(source).resolve())
    told = subprocess.run(["dpkg", "-S", real, real.removeprefix("/usr")], capture_output=True,
                          text=True).stdout
    package = told.split(":")[0]
    shutil.copy(f"/usr/share/doc/{package}/copyright", libs / f"LICENSE.{package}.txt")


def bundle(root):
    """Copies libraries until nobody asks for one that is not there."""
    libs = root / "sonde.libs"
    waiting = programs(root)
    while waiting:
        program = waiting.pop()
        program.chmod(0o755)    # unpacking forgets it
        for name, source in needed(program).items():
            before = set(libs.glob("*.so*")) if libs.exists() else set()
            copy = copy_library(name, source, libs)
            out("patchelf", "--replace-needed", name, copy.name, program)
            if copy not in before:
                waiting.append(copy)
        up = "/".join([".."] * (len(program.relative_to(root).parts) - 1))
        here = "$ORIGIN" if program.parent == libs else f"$ORIGIN/{up}/sonde.libs"
        out("patchelf", "--force-rpath", "--set-rpath", here, program)


def newest_glibc(root):
    asked = {tuple(map(int, pair)) for program in programs(root)
             for pair in re.findall(r"GLIBC_(\d+)\.(\d+)", out("objdump", "-T", program))}
    return max(asked)


def add_page(page, root):
    """Puts the page where the command and the package look for it."""
    place = root / "sonde/share/sonde"
    place.mkdir(parents=True)
    shutil.copy(page, place / "page.html")
    shutil.copy(ROOT / "web/NOTICE", place / "NOTICE")


def main(wheel, folder, page=None):
    with tempfile.TemporaryDirectory() as work:
        out(sys.executable, "-m", "wheel", "unpack", "-d", work, wheel)
        root = next(pathlib.Path(work).iterdir())
        bundle(root)
        if page is not None:
            add_page(page, root)
        machine = platform.machine()
        tag = "manylinux_{}_{}_{}".format(*newest_glibc(root), machine)
        about = next(root.glob("*.dist-info")) / "WHEEL"
        shutil.copy(ROOT / "LICENSE", about.with_name("LICENSE"))
        about.write_text(about.read_text().replace(f"linux_{machine}", tag))
        out(sys.executable, "-m", "wheel", "pack", "-d", folder, root)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
