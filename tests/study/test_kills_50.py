"""Killed at fifty random moments, a study ends with the rows of one that was not."""
# slow
import os
import random
import sqlite3
import subprocess
import contextlib

SONDE = os.environ["SONDE_COMMAND"]
COLUMNS = ("condition, size, graph, optimal, failure, reached, walked, policies, steps, k, valid, "
           "path")


def rows(db):
    with contextlib.closing(sqlite3.connect(db)) as connection:
        return connection.execute(f"SELECT {COLUMNS} FROM run ORDER BY 1, 2, 3").fetchall()


def test_fifty_kills_lose_nothing(tmp_path):
    whole = tmp_path / "whole.sqlite"
    killed = tmp_path / "killed.sqlite"
    command = [SONDE, "study", "table", "--quiet", "--db"]
    subprocess.run([*command, whole], check=True)
    moments = random.Random(11)
    for _ in range(50):
        process = subprocess.Popen([*command, killed], stdout=subprocess.DEVNULL)
        try:
            process.wait(timeout=moments.uniform(0.05, 1.5))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    subprocess.run([*command, killed], check=True)
    assert rows(killed) == rows(whole)
