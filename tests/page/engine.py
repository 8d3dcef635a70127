"""The page's engine in node, as tests and the campaign ask it."""
import json
import os
import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODE = """import { createRequire } from "module"; import { fileURLToPath } from "url";
const require = createRequire(import.meta.url); const __filename = fileURLToPath(import.meta.url);
const __dirname = __filename.replace(/[/][^/]*$/, "");"""


class Engine:
    """The engine in node, asked line by line."""

    def __init__(self, folder, build):
        script = folder / "engine.mjs"
        subprocess.run(["esbuild", "--bundle", "--platform=node", "--format=esm", "--target=es2022",
                        "--log-level=warning", f"--banner:js={NODE}", f"--outfile={script}",
                        ROOT / "tests/page/engine_node.js"], check=True,
                       env={**os.environ, "NODE_PATH": str(build / "engine")})
        self.node = subprocess.Popen(["node", script, build / "engine"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)

    def ask(self, call, **request):
        self.node.stdin.write(json.dumps({"call": call, **request}) + "\n")
        self.node.stdin.flush()
        return json.loads(self.node.stdout.readline())

    def run(self, command, **more):
        ran = self.ask("run", words=shlex.split(command), **more)
        return ran["status"], ran["out"], ran["err"]

    def close(self):
        self.node.stdin.close()
        self.node.wait()
