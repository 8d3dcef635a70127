"""Builds the extension and the command from the C sources, with setuptools alone.

The sources lie beside this folder (../src, ../lab, ../cli, ../include) in a checkout, and in
native/ in a source distribution. Environment:

    SONDE_LIBRARY   a folder (as seen from the project's) with libsonde.a, libsonde_lab.a and sonde
                    that CMake has built: they are used as they are, instead of compiling the
                    sources again
    SONDE_SANITIZE  "address": everything is compiled with AddressSanitizer
    SONDE_JOBS      how many files are compiled at once (default: one for each core)
"""
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:
    from setuptools.command.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
NATIVE = HERE / "native" if (HERE / "native").is_dir() else HERE.parent
PACKAGES = ["jansson", "zlib", "sqlite3"]
CARRIED = ["CMakeLists.txt", "LICENSE", "include", "src", "lab", "cli"]
# documents that are built in, as (kind, name, path)
TEXTS = [line.split() for line in (NATIVE / "lab/TEXTS").read_text().splitlines()]

VERSION = re.search(r"project\(sonde VERSION ([0-9.]+)",
                    (NATIVE / "CMakeLists.txt").read_text())[1]


def pkg_config(what):
    """The answer of pkg-config, or the usual flags where it is not installed."""
    try:
        answer = subprocess.run(["pkg-config", what, *PACKAGES], check=True, text=True,
                                capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError):
        answer = "-ljansson -lz -lsqlite3" if what == "--libs" else ""
    return answer.split()


def flags():
    """As in cmake/flags.cmake: the same inputs give the same bytes on every machine."""
    all_of_them = ["-std=c11", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden",
                   "-ffp-contract=off", "-D_XOPEN_SOURCE=700", "-D_DARWIN_C_SOURCE",
                   "-Wall", "-Wextra",
                   *(f"-I{NATIVE / folder}" for folder in ("include", "src", "lab")),
                   *pkg_config("--cflags")]
    return all_of_them + hardened() + sanitizers()


def hardened():
    """As in cmake/flags.cmake: what makes a mistake in memory harder to use."""
    if sys.platform == "darwin" or sanitizers():
        return []
    control = {"x86_64": ["-fcf-protection=full"], "aarch64": ["-mbranch-protection=standard"]}
    return ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
            *control.get(platform.machine(), [])]


def bound():
    """How everything is linked: what the loader fills in is there at once, and then constant."""
    return [] if sys.platform == "darwin" or sanitizers() else ["-Wl,-z,relro,-z,now"]


def shared():
    """How a library with one name for everybody is linked."""
    if sys.platform == "darwin":
        return ["-bundle", "-undefined", "dynamic_lookup", "-Wl,-exported_symbol,_PyInit__sonde"]
    return ["-shared", f"-Wl,--version-script={HERE / 'src' / 'exports.map'}"]


def sanitizers():
    if os.environ.get("SONDE_SANITIZE") == "address":
        return ["-fsanitize=address,undefined", "-fno-omit-frame-pointer", "-g", "-O1"]
    return []


def write_texts(target):
    """As cmake/texts.cmake: the documents of lab/TEXTS as arrays of bytes, in a C file."""
    arrays = rows = ""
    for n, (kind, name, path) in enumerate(TEXTS):
        numbers = ",".join(map(str, (NATIVE / path).read_bytes()))
        arrays += f"static const unsigned char text_{n}[] = {{{numbers},0}};\n"
        rows += f'    {{"{kind}", "{name}", (const char *)text_{n}}},\n'
    text = ('#include "study/study_internal.h"\n' + arrays
            + f"const sonde__text_row sonde__texts[] = {{\n{rows}    {{0, 0, 0}},\n}};\n")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text() != text:
        target.write_text(text)
    return target


class BuildExt(build_ext):
    """Compiles the library once, then links the extension and the command with it."""

    def compiler_name(self):
        return os.environ.get("CC") or "cc"

    def compile(self, sources, more=()):
        """Object files of C sources; those that are newer than everything are left alone."""
        headers = [*(header for where in ("include/*.h", "src/*/*.h", "lab/*/*.h", "cli/*.h")
                     for header in NATIVE.glob(where)),
                   *(HERE / "src").glob("*.h"), Path(__file__)]
        newest = max(header.stat().st_mtime for header in headers)
        root = Path(self.build_temp) / ("address" if sanitizers() else "plain")

        def one(source):
            target = root / next((source.relative_to(folder) for folder in (HERE, NATIVE)
                                  if folder in source.parents), source.name)
            target = target.with_suffix(".o")
            if target.exists() and target.stat().st_mtime > max(newest, source.stat().st_mtime):
                return str(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.compiler_name(), *flags(), *more, "-c", str(source), "-o",
                            str(target)], check=True)
            return str(target)

        jobs = int(os.environ.get("SONDE_JOBS", os.cpu_count() or 1))
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, sources))

    def build_extension(self, ext):
        prepared = os.environ.get("SONDE_LIBRARY")
        if prepared:
            prepared = NATIVE / prepared
        libraries = [*pkg_config("--libs"), "-lpthread", "-lm"]
        if prepared:
            library = [str(prepared / "libsonde_lab.a"), str(prepared / "libsonde.a")]
        else:
            texts = write_texts(Path(self.build_temp) / "lab_texts.c")
            library = self.compile([*sorted(NATIVE.glob("src/*/*.c")),
                                    *sorted(NATIVE.glob("lab/*/*.c")), texts])
        python = [f"-I{directory}" for directory in self.include_dirs]
        objects = self.compile([HERE / source for source in sorted(ext.sources)],
                               [*python, "-D_DEFAULT_SOURCE"])
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.link(target, [*objects, *library], [*libraries, *shared()])
        self.build_command(target.parent / "bin" / "sonde", library, libraries, prepared)

    def build_command(self, target, library, libraries, prepared):
        target.parent.mkdir(parents=True, exist_ok=True)
        if prepared and (prepared / "sonde").exists():
            shutil.copy2(prepared / "sonde", target)
            return
        objects = self.compile(sorted(NATIVE.glob("cli/*.c")), [f"-I{NATIVE / 'cli'}"])
        self.link(target, [*objects, *library], libraries)

    def link(self, target, objects, options):
        subprocess.run([self.compiler_name(), "-o", str(target), *objects, *options, *bound(),
                        *sanitizers()],
                       check=True)


class SDist(sdist):
    """Carries the C sources, in native/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in dict.fromkeys([*CARRIED, *(path for _, _, path in TEXTS)]):
            source = NATIVE / name
            target = Path(base_dir) / "native" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target)


class BdistWheel(bdist_wheel):
    """One wheel for every Python from 3.11 on."""

    def finalize_options(self):
        self.py_limited_api = "cp311"
        super().finalize_options()


setup(
    version=VERSION,
    ext_modules=[Extension("sonde._sonde", sorted(f"src/{path.name}"
                                                  for path in (HERE / "src").glob("*.c")),
                           depends=["src/binding.h"], py_limited_api=True)],
    cmdclass={"build_ext": BuildExt, "sdist": SDist, "bdist_wheel": BdistWheel},
)
