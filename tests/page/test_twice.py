"""The page is the same bytes wherever it is built; a program of its own, which compiles all of it
again while the others look at the page."""
# page
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["SONDE_COMMAND"]).parent


def built(folder):
    """The engine and the page, made anew in another place."""
    cache = (BUILD / "engine/CMakeCache.txt").read_text()
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", cache, re.M))
    env = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
    subprocess.run(["cmake", "-S", ROOT / "web", "-B", folder, f"-DSOURCES={cache['SOURCES']}",
                    f"-DCMAKE_TOOLCHAIN_FILE={cache['CMAKE_TOOLCHAIN_FILE']}"], check=True, env=env)
    subprocess.run(["cmake", "--build", folder, "-j", str(os.cpu_count())], check=True, env=env)
    subprocess.run([ROOT / "web/build.sh", folder / "page.html", folder], check=True)
    return folder


def test_built_twice_the_page_is_the_same_bytes(tmp_path):
    folder = built(tmp_path)
    for name in ("engine/engine.wasm", "engine/engine.js", "page.html"):
        assert (folder / Path(name).name).read_bytes() == (BUILD / name).read_bytes(), name
