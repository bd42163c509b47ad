// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What the page of `tact bench` can do besides being read: values at a chart's nearest point, tables sorted by a click,
// rows chosen by a word, commands copied. Without it nothing is missing but this.
"use strict";
(() => {
  const make = (name, text, className) => {
    const element = document.createElement(name);
    element.textContent = text;
    element.className = className;
    return element;
  };

  // The values of the point nearest to the pointer. Each point has them as its title, which browsers without this show.
  const tip = document.body.appendChild(make("div", "", "tip"));
  tip.hidden = true;
  let near = null;
  const leave = () => {
    if (near) near.classList.remove("near");
    near = null;
    tip.hidden = true;
  };
  const show = (point) => {
    leave();
    near = point;
    near.classList.add("near");
    tip.textContent = near.dataset.values;
    tip.hidden = false;
    const at = near.getBoundingClientRect();
    const right = document.documentElement.clientWidth - tip.offsetWidth - 4;
    const left = Math.max(4, Math.min(right, at.left + at.width / 2 - tip.offsetWidth / 2));
    const above = at.top - tip.offsetHeight - 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(above > 0 ? above : at.bottom + 8) + scrollY}px`;
  };
  for (const chart of document.querySelectorAll("figure > svg")) {
    const points = [...chart.querySelectorAll("circle")];
    for (const point of points) {
      const title = point.querySelector("title");
      point.dataset.values = title.textContent;
      title.remove();
    }
    const follow = (event) => {
      const distance = (point) => {
        const box = point.getBoundingClientRect();
        return Math.hypot(box.left + box.width / 2 - event.clientX, box.top + box.height / 2 - event.clientY);
      };
      if (points.length) show(points.reduce((a, b) => (distance(b) < distance(a) ? b : a)));
    };
    chart.addEventListener("pointermove", follow);
    chart.addEventListener("pointerdown", follow);
    chart.addEventListener("pointerleave", leave);
  }

  // Tables are sorted by a click on a head: numbers from the greatest down at first, and what has none comes last.
  const value_of = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    if (text === "" || cell.classList.contains("none") || cell.classList.contains("out")) return null;
    return cell.classList.contains("l") || Number.isNaN(Number(text.replaceAll(",", ""))) ? text
                                                                                         : Number(text.replaceAll(",", ""));
  };
  const compare = (a, b) => (typeof a === typeof b && typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
  const sort = (table, head) => {
    const column = [...head.parentNode.cells].indexOf(head);
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, value: value_of(row, column) }));
    const numbers = rows.some((entry) => typeof entry.value === "number");
    const before = head.getAttribute("aria-sort");
    const up = before ? before === "descending" : !numbers;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    rows.sort((a, b) => {
      if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
      return up ? compare(a.value, b.value) : compare(b.value, a.value);
    });
    body.append(...rows.map((entry) => entry.row));
  };
  for (const table of document.querySelectorAll("table")) {
    for (const head of table.tHead.rows[0].cells) {
      head.dataset.sort = "";
      head.tabIndex = 0;
      head.title = "sort by this";
      head.addEventListener("click", () => sort(table, head));
      head.addEventListener("keydown", (event) => event.key === "Enter" && sort(table, head));
    }
  }

  // Rows of the table of all numbers that have a word.
  const box = document.querySelector(".wide");
  const word = make("input", "", "");
  word.type = "search";
  word.placeholder = "only rows with all these words";
  word.setAttribute("aria-label", word.placeholder);
  const choose = () => {
    const words = word.value.toLowerCase().split(/\s+/);
    for (const row of box.querySelectorAll("tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((w) => text.includes(w));
    }
  };
  word.addEventListener("input", choose);
  box.before(word);

  // Commands to be copied. Where a page may not write to the clipboard, the command is selected.
  for (const line of document.querySelectorAll(".command")) {
    const button = line.appendChild(make("button", "copy", ""));
    button.type = "button";
    button.addEventListener("click", async () => {
      const code = line.querySelector("code");
      const done = navigator.clipboard &&
        await navigator.clipboard.writeText(code.textContent).then(() => true, () => false);
      if (!done) getSelection().selectAllChildren(code);
      button.textContent = done ? "copied" : "selected";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
  }
})();
