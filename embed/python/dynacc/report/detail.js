"use strict";
// What is shown of one function: source, graph, fused groups and kernels, guards, breaks.

const TABS = [["source", "Source"], ["graph", "Graph"], ["groups", "Groups and kernels"], ["guards", "Guards"], ["breaks", "Breaks and recompiles"]];

class Detail {
  constructor(data) {
    this.data = data;
    this.tab = "source";
    this.entry = 0;
  }

  show(number, line) {
    this.f = this.data.functions[number];
    this.entry = 0;
    this.line = line || 0;
    if (line) this.tab = "source";
    byId("detail").hidden = false;
    byId("detail-title").textContent = this.f.name;
    byId("detail-place").textContent = this.f.file + ":" + this.f.line + (this.f.note ? "  " + this.f.note : "");
    this.fill();
  }

  fill() {
    byId("detail-tabs").replaceChildren(...TABS.map(([id, title]) => make("button",
      { role: "tab", id: "tab-" + id, "aria-selected": String(this.tab === id), onclick: () => { this.tab = id; this.line = 0; this.fill(); } }, title)));
    byId("detail-body").replaceChildren(...this[this.tab]());
    const chosen = document.querySelector(".source tr.chosen");
    if (chosen) chosen.scrollIntoView({ block: "center" });
  }

  nothing(text) { return [make("p", { class: "muted" }, text)]; }

  source() {
    let file = this.f.file;
    const rows = [];
    for (const line of this.f.lines) {
      if (line.file !== file) { file = line.file; rows.push(make("tr", null, make("td"), make("td", { class: "note", colspan: 2 }, "inlined from " + file))); }
      const chosen = this.line === line.number && (this.lineFile || this.f.file) === line.file;
      rows.push(make("tr", { class: [line.state, chosen ? "chosen" : ""].join(" ").trim() || null, "data-line": line.number },
        make("td", null, String(line.number)), make("td", null, line.text), make("td", { class: "note" }, line.notes.join("\n"))));
    }
    if (rows.length === 0) return this.nothing("There is no source of this function.");
    return [make("p", { class: "legend" }, ...[["good", "captured"], ["good-soft", "captured in part"], ["warn", "graph break"]].map(([name, text]) =>
      make("span", null, make("i", { style: "background:var(--" + name + ")" }), text))),
      make("div", { class: "source" }, make("table", null, make("tbody", null, ...rows)))];
  }

  // The buttons that choose an entry, above what is shown of it.
  entries() {
    return make("div", { class: "tabs" }, ...this.f.entries.map((entry, at) => make("button",
      { "aria-selected": String(at === this.entry), onclick: () => { this.entry = at; this.fill(); } },
      "line " + entry.start_line + ", " + entry.end + ", " + count(entry.hits) + " hits")));
  }

  graph() {
    const entry = this.f.entries[this.entry];
    if (!entry) return this.nothing("Nothing of this function was captured.");
    const canvas = make("canvas", { role: "img", id: "graph", "aria-label": "The graph after the passes" });
    const hint = make("p", { class: "hint", "aria-live": "polite", id: "graph-hint" });
    const place = make("button", { class: "link", hidden: "" });
    queueMicrotask(() => {
      this.view = new GraphView(canvas, entry.graph, node => {
        hint.textContent = node.title;
        place.hidden = !node.line;
        place.textContent = node.file + ":" + node.line;
        place.onclick = () => { this.tab = "source"; this.lineFile = node.file; this.line = node.line; this.fill(); };
      });
    });
    return [this.entries(), make("p", { class: "muted" }, count(entry.graph.nodes.length) + " nodes, a colour for each fused group; click one for its line.",
      make("span", { class: "tools" },
        make("button", { title: "Zoom in", onclick: () => this.view.zoomMiddle(1.6) }, "+"),
        make("button", { title: "Zoom out", onclick: () => this.view.zoomMiddle(1 / 1.6) }, "−"),
        make("button", { onclick: () => this.view.fit() }, "all"))), canvas, hint, place];
  }

  groups() {
    const entry = this.f.entries[this.entry];
    if (!entry) return this.nothing("Nothing of this function was captured.");
    const table = make("table"), measured = entry.groups.some(group => group.runs > 0);
    const rate = row => (row.bytes_read + row.bytes_written) / Math.max(row.nanoseconds, 1);
    const arithmetic = row => (row.arithmetic / this.data.arithmetic_rate + row.functions / this.data.function_rate) / Math.max(row.nanoseconds, 1);
    const share = (row, of) => row.runs && row.nanoseconds ? Math.round(100 * of) + " %" : "–";
    fillTable(table, [
      { title: "group", node: row => make("span", null, make("i", { class: "swatch", style: "background:" + groupColour(row.number) }), " " + row.number + " " + row.kind) },
      { title: "nodes", number: true, text: row => count(row.nodes), key: row => row.nodes },
      { title: "runs", number: true, text: row => count(row.runs), key: row => row.runs },
      { title: "time", number: true, text: row => row.runs ? duration(row.nanoseconds) : row.within >= 0 ? "in " + row.within : "–", key: row => row.nanoseconds },
      { title: "a run", number: true, text: row => row.runs ? duration(row.nanoseconds / row.runs) : "–", key: row => row.nanoseconds / Math.max(row.runs, 1) },
      { title: "read", number: true, text: row => row.runs ? bytes(row.bytes_read) : "–", key: row => row.bytes_read },
      { title: "written", number: true, text: row => row.runs ? bytes(row.bytes_written) : "–", key: row => row.bytes_written },
      { title: "GB/s", number: true, text: row => row.runs && row.nanoseconds ? rate(row).toFixed(1) : "–", key: rate },
      { title: "of a copy", number: true, text: row => share(row, rate(row) / this.data.copy_rate), key: rate },
      { title: "of arithmetic", number: true, text: row => share(row, arithmetic(row)), key: arithmetic },
    ], entry.groups);
    const note = measured ? "A copy in memory by one thread reads and writes " + this.data.copy_rate.toFixed(1) + " GB/s here; what lies in a cache, or runs on several threads, may be quicker. Of arithmetic: the time that the group's operations take one thread at best, with all elements at hand: " + this.data.arithmetic_rate.toFixed(0) + " GB/s of operands of products and sums, and " + this.data.function_rate.toFixed(1) + " GB/s of exponentials, for which other functions count, too." : "No run of these kernels was measured.";
    return [this.entries(), make("div", { class: "scroll" }, table), make("p", { class: "muted" }, note),
      ...entry.kernels.map(kernel => make("details", null, make("summary", null, kernel.name + "  " + kernel.lines), make("pre", null, kernel.source))),
      make("details", null, make("summary", null, "schedule"), make("pre", null, entry.schedule)),
      make("details", null, make("summary", null, "graph after the passes"), make("pre", null, entry.optimized))];
  }

  guards() {
    if (!this.f.entries.length) return this.nothing("Nothing of this function was captured.");
    const entry = this.f.entries[this.entry];
    return [this.entries(), make("p", null, "The entry runs while all of these hold:"), make("pre", null, entry.guards.join("\n") || "nothing"),
      make("p", null, count(entry.hits) + " hits, " + count(entry.misses) + " misses")];
  }

  breaks() {
    const parts = [];
    for (const each of this.f.breaks) {
      parts.push(make("h3", { class: "warn" }, each.file + ":" + each.line + "  " + each.reason), make("pre", null, each.source || " "));
      if (each.callers.length) parts.push(make("p", { class: "muted" }, "in " + each.function + ", called by " + each.callers.map(at => at.function + " (" + at.file + ":" + at.line + ")").join(", by ")));
      parts.push(make("p", null, "hint: " + each.hint));
    }
    for (const each of this.f.recompiles) parts.push(make("h3", { class: "bad" }, "traced again at line " + each.line), make("p", null, "did not hold: " + each.reason));
    return parts.length ? parts : this.nothing("No graph break, and no guard failed.");
  }
}
