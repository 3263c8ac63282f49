"use strict";
// Elements and numbers as text. What a program controls comes into the page as text nodes only.

function byId(id) { return document.getElementById(id); }

// An element with attributes, and strings or elements in it; null for none.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }

function withUnit(value, units, step) {
  let at = 0;
  while (Math.abs(value) >= step * 0.9995 && at < units.length - 1) { value /= step; ++at; }
  const digits = at === 0 && Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toFixed(digits) + " " + units[at];
}
function duration(nanoseconds) { return nanoseconds === null ? "–" : withUnit(nanoseconds, ["ns", "µs", "ms", "s"], 1000); }
function bytes(count) { return withUnit(count, ["B", "kB", "MB", "GB", "TB"], 1000); }
function count(number) { return number.toLocaleString("en"); }

// A list of terms: pairs of name and text.
function fillFacts(list, pairs) {
  list.replaceChildren(...pairs.map(([name, text]) => make("div", null, make("dt", null, name), make("dd", null, text))));
}

// A table. `columns`: {title, text(row) or node(row), key(row) to sort by, number, wide}. `choose(row)`: on click.
function fillTable(table, columns, rows, choose, sorted) {
  const order = sorted || { column: -1, down: true };
  const shown = [...rows];
  if (order.column >= 0) {
    const key = columns[order.column].key;
    shown.sort((a, b) => { const x = key(a), y = key(b); return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1); });
  }
  const sortBy = column => fillTable(table, columns, rows, choose, { column, down: order.column === column ? !order.down : true });
  const head = columns.map((column, at) => {
    const arrow = order.column === at ? (order.down ? " ↓" : " ↑") : "";
    return make("th", { scope: "col", class: column.number ? "number" : null },
      column.key ? make("button", { onclick: () => sortBy(at) }, column.title + arrow) : column.title);
  });
  const body = shown.map(row => make("tr", choose ? { class: "link", onclick: () => choose(row) } : null,
    ...columns.map(column => make("td", { class: column.number ? "number" : column.wide ? "wide" : null },
      column.node ? column.node(row) : column.text(row)))));
  table.replaceChildren(make("thead", null, make("tr", null, ...head)), make("tbody", null, ...body));
}

// Sizes a canvas to its box at the screen's resolution; its context, in CSS pixels.
function prepareCanvas(canvas, height) {
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.body);
  context.font = "12px " + style.fontFamily;
  return context;
}

// Pointer gestures on a canvas: move(dx, dy), zoom(factor, x, y), point(x, y), click(x, y).
function watchPointer(canvas, handlers) {
  const down = new Map();
  let moved = 0;
  const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const spread = () => { const [a, b] = [...down.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); down.set(event.pointerId, place(event)); moved = 0; });
  canvas.addEventListener("pointermove", event => {
    const at = place(event), before = down.get(event.pointerId);
    if (!before) return handlers.point(...at);
    if (down.size === 2) {
      const width = spread();
      down.set(event.pointerId, at);
      handlers.zoom(spread() / Math.max(width, 1), ...at);
    } else {
      down.set(event.pointerId, at);
      handlers.move(at[0] - before[0], at[1] - before[1]);
    }
    moved += Math.abs(at[0] - before[0]) + Math.abs(at[1] - before[1]);
  });
  const up = event => { if (down.delete(event.pointerId) && moved < 4 && event.type === "pointerup") handlers.click(...place(event)); };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) handlers.zoom(Math.exp(-event.deltaY / 150), ...place(event));
    else handlers.move(-event.deltaX, -event.deltaY);
  }, { passive: false });
}

// Calls `draw` once before the next picture, however often it is asked for.
function painter(draw) {
  let waits = false;
  return () => { if (!waits) { waits = true; requestAnimationFrame(() => { waits = false; draw(); }); } };
}
