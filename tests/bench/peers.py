# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""bench/peers runs all it names with this build's tool, reads what that writes, and tells met bars from others.

usage: peers.py SOURCE PROGRAM FOLDER
"""
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys

SOURCE, PROGRAM, FOLDER = sys.argv[1:]
SCRIPT = os.path.join(SOURCE, "bench", "peers")
sys.dont_write_bytecode = True


def load():
    """The script as a module, for its tables."""
    sys.path.insert(0, os.path.dirname(SCRIPT))
    loader = importlib.machinery.SourceFileLoader("peers_script", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("peers_script", loader))
    loader.exec_module(module)
    return module


def run(*arguments, code=0, program=PROGRAM):
    """The rows of the table: {column: cell}."""
    done = subprocess.run([sys.executable, SCRIPT, FOLDER, "--tiny", *arguments], capture_output=True, text=True,
                          env={**os.environ, "TACT": program})
    assert done.returncode == code, (done.returncode, done.stderr)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()
             if line.startswith("|")]
    return [dict(zip(lines[0], cells)) for cells in lines[2:]]


def documents():
    for name in sorted(os.listdir(FOLDER)):
        path = os.path.join(FOLDER, name, "bench.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                yield name, path, json.load(file)


def is_peer(name, row):
    return row.get("peer") or name.startswith("particles") and row["by"] != "cpu"


def fake(name, row, times):
    """A peer that takes so many times as long, or as much memory, as a row of ours."""
    new = {**row, "by": "fake", "peer": True, "rounds_ms": [times * ms for ms in row.get("rounds_ms", [])]}
    if name == "builds":
        new["builder"] = "fake, fast, " + ("high" if "high" in row["builder"] else "medium")
    elif name.startswith("pairs"):
        new.pop("method")
        new["peer"] = "fake"
    elif name == "memory":
        new["bytes_each"] = times * row["bytes_each"]
        new["by"] = "fake, " + ("high" if "high" in row["by"] else "medium")
    elif name.startswith("particles"):
        new["by"] = "plain C"
    return new


def is_ours(name, row):
    """Whether a row is one of those that peers are compared with."""
    by = row.get("by", "")
    ours = {"builds": row.get("builder") in ("tact", "tact, high quality"), "pairs": row.get("method") == "auto",
            "memory": by in ("tact", "tact, high quality", "tact, auto"), "particles": by == "cpu",
            "overlap": by == "cpu"}
    return ours.get(name.split("-")[0], True)


def give_peers(peers, times):
    """In place of all peers one that takes so many times as long, and a slower one; None: there are none."""
    for name, path, document in documents():
        if name in peers.TURNS:
            continue
        for row in document["rows"] if name == "rays" else []:
            row["forms"] = row["forms"][:1]
            row.pop("embree_best", None)
            if times:
                row.update(embree_best="fake", over_embree_single=times)
                ours = row["forms"][0]
                row["forms"].append({**ours, "form": "fake", "peer": True,
                                     "rounds_ms": [times * ms for ms in ours["rounds_ms"]]})
        key = "builds" if name == "builds" else "rows"
        if name != "rays":
            rows = [row for row in document[key] if not is_peer(name, row)]
            document[key] = rows + [fake(name, row, slower * times) for slower in (2.0, 1.0) for row in rows
                                    if times and is_ours(name, row)]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)


def bar_of(row):
    return float(row["bar"].split()[2])


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    peers = load()

    # Each section runs and is read: it has its rows, and each bar one at least.
    rows = run()
    assert not [row for row in rows if row["ours"] == "failed"], rows
    queries = {row["query"].removesuffix(", with a front") for row in rows if row["bar"] != "-"}
    wanted = {"ray casts", "build, medium", "build, high", "pairs, new", "pairs, frame", "pairs, auto",
              "dynamic tree, 1 % moved", "pairs once, sorted", "pairs once, shuffled", "lists, sorted",
              "lists, shuffled", "overlap, all pairs", "overlap, yes or no", "separation, random", "closest points, surface",
              "closest points, box", "sphere casts", "contacts, box, box", "contacts, bodies in motion",
              "bytes a triangle, medium", "bytes a box", "bytes a particle"}
    wanted |= {f"one answer, {query}" for query, _ in peers.SUITE}
    wanted |= {f"scaling, {query}" for query, _ in peers.SUITE + peers.MORE}
    assert wanted <= queries, wanted - queries
    assert all(row["ours"] not in ("", "left out: slow") for row in rows), rows
    # What no peer has a part in is always measured.
    alone = {"pairs, auto", "dynamic tree, 1 % moved", "bvh, 1 % moved", "pairs once, sorted", "pairs once, shuffled"}
    alone |= {query for query in queries if query.startswith(("one answer", "scaling"))}
    assert all(row["met"] in ("yes", "no") for row in rows if row["query"] in alone and row["bar"] != "-"), rows

    # Slower methods than the one that `auto` took are no matter, and faster ones are.
    def auto_with(times):
        for name, path, document in documents():
            for row in document["rows"] if name.startswith("pairs") else []:
                others = [one for one in document["rows"] if "chosen" in one and
                          all(one.get(key) == row.get(key) for key in ("parameter", "count", "what"))]
                if others and row.get("method") not in (None, "auto"):
                    mine = times if row["method"] == others[0]["chosen"] else 1.0
                    row["rounds_ms"] = [mine * ms for ms in others[0]["rounds_ms"]]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
        (auto,) = [row for row in run("--again", "--only", "pairs") if row["query"] == "pairs, auto"]
        return auto["ratio"], auto["met"]
    assert auto_with(1.2) == ("0.00 %", "no")
    assert auto_with(0.5) == ("100.0 %", "yes")

    # A build that takes a tenth less time; one that finds another number of things.
    ((path, document),) = [(path, document) for name, path, document in documents() if name == "price"]
    for found, code in ((1.1, 1), (1.0, 0)):
        for row in document["rows"]:
            row["loose"] = {"rounds_ms": [ms / 1.1 for ms in row["strict"]["rounds_ms"]],
                            "results": found * row["strict"]["results"] + (found > 1.0)}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        for row in run("--again", "--only", "price", code=code):
            assert (row["ratio"], row["met"]) == ("10.00 %", "no"), row

    # Two threads that take half as long, and that give another answer.
    ((path, document),) = [(path, document) for name, path, document in documents() if name == "scaling"]
    for digest, code in (("other", 1), ("", 0)):
        for row in document["rows"]:
            more = str(peers.THREADS)
            row["1"] = {**row["1"], "digest": ""}
            row[more] = {"rounds_ms": [ms / 2.0 for ms in row["1"]["rounds_ms"]], "digest": digest}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        if peers.THREADS > 1:
            for row in run("--again", "--only", "scaling", code=code):
                assert (row["ratio"], row["met"]) == ("2.00", "yes"), row

    # Without peers no bar is met, and none is missed.
    give_peers(peers, None)
    bare = run("--again")
    assert len(bare) >= len(rows) - 7, (len(bare), len(rows))  # the slowest ray casts are not there
    for row in bare:
        if row["query"] not in alone and row["bar"] != "-":
            assert row["met"] == "left out" and row["ratio"] == "-", row

    # As often as long everywhere: below all bars, below 3, 5 and 10, below 5 and 10, and above all.
    for times in (0.5, 2.0, 4.0, 12.0):
        give_peers(peers, times)
        told = run("--again")
        for row in told:
            if row["query"] in alone or row["bar"] == "-" or "TreeNSearch" in row["best peer"]:
                continue
            if row["query"].startswith("separation"):  # it is ours that has the least time, by a front or without
                assert row["met"] == ("yes" if float(row["ratio"]) >= bar_of(row) else "no"), row
                continue
            assert row["ratio"] == f"{times:.2f}", row
            assert row["met"] == ("yes" if times >= bar_of(row) else "no"), row
        assert {row["met"] for row in told if row["query"] == "lists, sorted"} == {"-", "left out"}, told

    # What was not written, and a command that fails, are said.
    os.remove(os.path.join(FOLDER, "near", "bench.json"))
    assert [row["ours"] for row in run("--again", "--only", "near", code=1)] == ["failed"]
    run("--only", "near", code=1, program=shutil.which("false"))
    assert set(peers.SECTIONS) == {name.split("-")[0] for name, *_ in documents()} | {"near"}


main()
