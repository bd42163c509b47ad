#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The page of `tact bench`: that it holds what results.json holds, and that a browser shows it and runs its script.

usage: page.py numbers|browser TACT WORK
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

HTML = "{http://www.w3.org/1999/xhtml}"


def bench(tact, out, *more):
    command = [tact, "bench", "--quick", "--most", "100", "--repeat", "2", "--quiet", "--out", out, *more]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, "results.json"), encoding="utf-8") as f:
        results = json.load(f)
    page = os.path.join(out, "report.html")
    return results, ElementTree.parse(page).getroot(), page


def equal(a, b, what):
    assert a == b, f"{what}: {a} on the page, {b} in results.json"


def close(a, b, what):
    assert math.isclose(float(a), b, rel_tol=2e-5), f"{what}: {a} on the page, {b} in results.json"


def text_of(element):
    return "".join(element.itertext())


def by_of(row):
    return row.get("peer") or row["backend"]


def series_of(results):
    series = {}
    for row in results["rows"]:
        series.setdefault((row["query"], row["set"], row.get("mesh", "")), []).append(row)
    return series


def shown_ratio(text):
    if text.startswith("even"):
        return None
    number, way = re.match(r"([\d,.]+)\u00d7 (faster|slower)", text).groups()
    number = float(number.replace(",", ""))
    return number if way == "faster" else 1 / number


def overlap(a, b):
    a, b = a["time_ms"]["total"], b["time_ms"]["total"]
    return a["min"] <= b["max"] and b["min"] <= a["max"]


def check_ratio(cell, ratio, unclear, what):
    close(cell.get("data-v"), ratio, what)
    text, way = text_of(cell), cell.get("class")[0]
    shown = shown_ratio(text)
    if shown is None:
        assert 1 / 1.0501 < ratio < 1.0501, f"{what}: {ratio} is not even"
        assert way == "e"
        return
    assert abs(shown / ratio - 1) < 0.06, f"{what}: {text} is shown for {ratio}"
    equal(way, "u" if unclear else "f" if ratio > 1 else "s", what)
    equal("unclear" in text, unclear, what)


def check_matrix(page, results):
    """Every series has a row, and each device and the fastest peer a cell with the ratio of the largest common size."""
    series = series_of(results)
    rows = page.findall(f".//{HTML}table[@class='matrix']/{HTML}tbody/{HTML}tr")
    assert len(rows) == len(series), f"{len(rows)} rows of the matrix for {len(series)} series"
    ratios = 0
    for line in rows:
        key = (line.get("data-query"), line.get("data-set"), line.get("data-mesh"))
        measured = series.pop(key)
        timed = [r for r in measured if "time_ms" in r]
        rows_of_cpu = {r["size"]: r for r in timed if by_of(r) == "cpu"}
        cpu = {size: r["time_ms"]["total"]["median"] for size, r in rows_of_cpu.items()}
        cells = {c.get("data-by"): c for c in line if c.get("data-by")}
        if cpu:
            close(cells["cpu"].get("data-v"), cpu[max(cpu)], f"{key}, cpu")
        for device in ("gl", "cl"):
            mine = [r for r in timed if by_of(r) == device and r["size"] in cpu]
            if mine:
                row = max(mine, key=lambda r: r["size"])
                check_ratio(cells[device], row["speed_up"], overlap(row, rows_of_cpu[row["size"]]), f"{key}, {device}")
                ratios += 1
            elif any(by_of(r) == device for r in measured):
                assert "left out: slow" in text_of(cells[device]), f"{key}, {device}: left out, and not said"
        peers = [r for r in timed if r.get("peer") and r["size"] in cpu]
        if peers:
            largest = max(r["size"] for r in peers)
            least = min((r for r in peers if r["size"] == largest), key=lambda r: r["time_ms"]["total"]["median"])
            check_ratio(cells["peer"], least["time_ms"]["total"]["median"] / cpu[largest],
                        overlap(least, rows_of_cpu[largest]), f"{key}, peer")
            assert least["peer"] in text_of(cells["peer"])
            ratios += 1
        left_out = {by_of(r) for r in measured if r["result"] == "left out: slow"}
        for device in left_out:
            assert "left out: slow" in text_of(cells[device]), f"{key}, {device}: left out, and not said"
    assert not series
    return ratios


def check_lead(page, results):
    """How many queries each device is the quickest at, as the first sentence says."""
    wins = {}
    for rows in series_of(results).values():
        timed = [r for r in rows if "time_ms" in r and not r.get("peer")]
        answering = {by_of(r) for r in timed}
        common = [s for s in {r["size"] for r in timed} if {by_of(r) for r in timed if r["size"] == s} == answering]
        if not common:
            continue
        first, *rest = sorted((r for r in timed if r["size"] == max(common)), key=lambda r: r["time_ms"]["total"]["median"])
        name = "unclear" if any(overlap(first, r) for r in rest) else by_of(first)
        wins[name] = wins.get(name, 0) + 1
    lead = [text_of(p) for p in page.iter(f"{HTML}p") if p.get("class") == "lead"]
    equal(len(lead), 1 if wins else 0, "first sentences")
    for name, said in (("cpu", "the CPU is quickest"), ("gl", "OpenGL is quickest"), ("cl", "OpenCL is quickest"), ("unclear", "unclear")):
        found = re.search(f"{said} at (\\d+)", lead[0]) if lead else None
        equal(int(found[1]) if found else 0, wins.get(name, 0), said)


def check_charts(page, results):
    """A chart for each series, with a point for each time, whose title has the size."""
    series = list(series_of(results).values())
    figures = page.findall(f".//{HTML}figure")
    assert len(figures) == len(series)
    for figure, rows in zip(figures, series):
        timed = [r for r in rows if "time_ms" in r]
        titles = [text_of(t) for t in figure.findall(".//{http://www.w3.org/2000/svg}circle/{http://www.w3.org/2000/svg}title")]
        assert len(titles) == len(timed), f"{len(titles)} points for {len(timed)} times"
        for row in timed:
            start = f"{by_of(row)}: {row['size']:,} {row['unit']} in "
            assert any(t.startswith(start) for t in titles), f"no point says {start}"
        legend = text_of(figure.find(f"{HTML}ul[@class='legend']"))
        for row in rows:
            assert by_of(row) in legend
            assert row["result"] != "left out: slow" or "left out: slow" in legend
        command = text_of(figure.find(f"{HTML}div/{HTML}code"))
        assert f"={rows[0]['query']},{rows[0]['set']}" in command, command


def check_table(page, results):
    rows = page.findall(f".//{HTML}div[@class='wide']//{HTML}tbody/{HTML}tr")
    assert len(rows) == len(results["rows"])
    for line, row in zip(rows, results["rows"]):
        cells = list(line)
        equal(text_of(cells[0]), row["query"], "query")
        equal(float(cells[3].get("data-v")), row["size"], "size")
        equal(text_of(cells[4]), by_of(row), "by")
        assert text_of(cells[16]).startswith(row["result"])
        if "time_ms" not in row:
            continue
        total = row["time_ms"]["total"]
        for cell, value in zip(cells[5:9], [total["median"], total["min"], total["max"], row["per_second"]]):
            close(cell.get("data-v"), value, row["query"])
        shown = float(text_of(cells[5]).replace(",", ""))
        assert abs(shown - total["median"]) <= 0.006 * total["median"], f"{shown} is shown for {total['median']}"
        if "speed_up" in row:
            close(cells[9].get("data-v"), row["speed_up"], row["query"])


def check_alone(path):
    """Nothing is fetched: no address but the names of XML's spaces."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for address in re.findall(r"[a-z]+://[^\s\"'<>)]+", text):
        assert address.startswith("http://www.w3.org/"), f"the page names {address}"
    assert not re.search(r"\b(src|srcset)=|@import|url\(|<link|fetch\(|XMLHttpRequest", text)


def numbers(tact, work):
    # All queries on the CPU beside peers; those of two on all devices, of which some may be missing.
    runs = [("all", ["--budget", "5", "--backend", "cpu", "--peers", "--threads", "1"]),
            ("devices", ["--only", "cull", "--budget", "30"]), ("short", ["--budget", "1", "--backend", "cpu"])]
    for name, more in runs:
        results, page, path = bench(tact, os.path.join(work, name), *more)
        ratios = check_matrix(page, results)
        check_lead(page, results)
        check_charts(page, results)
        check_table(page, results)
        check_alone(path)
        left_out = [text_of(i) for i in page.iter(f"{HTML}li") if text_of(i).startswith("Incomplete")]
        assert len(left_out) == (results["left_out"] > 0)
        assert not left_out or f"for {results['left_out']} sizes" in left_out[0]
        print(f"{name}: {len(results['rows'])} rows, {ratios} ratios, left out {results['left_out']}")


# What a person does: sort by time, choose rows, point at a chart. What came of it is left as attributes of the body.
ACTS = """
const result = {};
const heads = [...document.querySelectorAll(".wide th")];
const column = heads.findIndex((h) => h.textContent === "total, ms");
const values = () => [...document.querySelectorAll(".wide tbody tr")].map((r) => r.cells[column].dataset.v);
heads[column].click();
result.down = values();
heads[column].click();
result.up = values();
const matrix = document.querySelector(".matrix");
matrix.tHead.rows[0].cells[1].click();
result.matrix = [...matrix.tBodies[0].rows].map((r) => r.cells[1].dataset.v);
const word = document.querySelector("input");
word.value = "ray_any cpu";
word.dispatchEvent(new Event("input"));
result.chosen = [...document.querySelectorAll(".wide tbody tr")].filter((r) => !r.hidden).map((r) => r.cells[0].textContent);
const chart = document.querySelector("figure > svg");
const point = [...chart.querySelectorAll("circle")].at(-1);
point.scrollIntoView();
const at = point.getBoundingClientRect();
chart.dispatchEvent(new PointerEvent("pointermove", { clientX: at.left + 5, clientY: at.top + 5 }));
result.tip = document.querySelector(".tip").textContent;
result.shown = !document.querySelector(".tip").hidden;
result.buttons = document.querySelectorAll(".command button").length;
result.commands = document.querySelectorAll(".command").length;
result.width = document.documentElement.scrollWidth;
result.window = innerWidth;
result.grid = getComputedStyle(document.querySelector(".grid")).gridTemplateColumns.split(" ").length;
document.body.dataset.result = JSON.stringify(result);
"""


def browse(chromium, work, path, width):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    acted = os.path.join(work, "acted.html")
    with open(acted, "w", encoding="utf-8") as f:
        f.write(text.replace("</body>", f"<script>{ACTS}</script></body>"))
    # A window is at least some 500 pixels wide, a frame is as wide as it is told to be.
    frame = os.path.join(work, "frame.html")
    with open(frame, "w", encoding="utf-8") as f:
        f.write(f"<!DOCTYPE html><iframe id='f' src='acted.html' style='width:{width}px;height:900px;border:0'></iframe>"
                "<script>f.onload=()=>{document.body.dataset.result=f.contentDocument.body.dataset.result}</script>")
    command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
               f"--user-data-dir={work}/profile", "--window-size=1600,1000", "--dump-dom", "file://" + os.path.abspath(frame)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    found = re.search(r'data-result="([^"]*)"', done.stdout)
    assert found, f"the script did not run: {done.stderr[-2000:]}"
    return json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&"))


def browser(tact, work):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("TACT_SKIP: no browser (Debian: chromium)")
        return
    results, _, path = bench(tact, os.path.join(work, "shown"), "--only", "ray_", "--budget", "5", "--backend", "cpu")
    times = [r["time_ms"]["total"]["median"] for r in results["rows"] if "time_ms" in r]
    for width, columns in ((1280, 3), (420, 1)):
        seen = browse(chromium, work, path, width)
        for way, order in (("down", sorted(times, reverse=True)), ("up", sorted(times))):
            for a, b in zip(seen[way], order):
                close(a, b, f"sorted {way}")
        assert len(seen["down"]) == len(results["rows"])
        matrix = [float(v) for v in seen["matrix"]]
        assert matrix == sorted(matrix, reverse=True) and len(set(matrix)) > 1
        assert set(seen["chosen"]) == {"ray_any"}, seen["chosen"]
        assert seen["shown"] and re.match(r"cpu: \d[\d,]* rays in [\d.]+ ms .*a second$", seen["tip"]), seen["tip"]
        assert seen["buttons"] == seen["commands"] > 3
        equal(seen["window"], width, "the frame's width")
        assert seen["width"] <= width, f"{width} pixels wide, the page scrolls sideways: {seen['width']}"
        equal(seen["grid"], columns, f"charts beside each other at {width}")
    print(f"two widths, {len(times)} times")


if __name__ == "__main__":
    what, tool, folder = sys.argv[1:4]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    {"numbers": numbers, "browser": browser}[what](os.path.abspath(tool), folder)
