"use strict";
// The page: its head, the table of functions, and which function is shown.

const data = JSON.parse(byId("data").textContent);
const detail = new Detail(data);

function showFunction(number, line) {
  if (!(number >= 0 && number < data.functions.length)) return;
  detail.show(number, line);
  history.replaceState(null, "", "#function=" + number);
  byId("detail").scrollIntoView({ block: "start" });
}

function fillHead() {
  document.title = data.program + " – DynaCC report";
  byId("program").textContent = [data.program, ...data.arguments].join(" ");
  byId("outcome").textContent = data.outcome;
  byId("outcome").className = data.status === 0 ? "muted" : "bad";
  const sum = key => data.functions.reduce((total, each) => total + (each[key] || 0), 0);
  fillFacts(byId("facts"), [
    ["ran for", duration(data.microseconds * 1000)],
    ["functions captured", count(data.functions.filter(each => each.entries.length).length)],
    ["graphs", count(data.functions.reduce((total, each) => total + each.entries.length, 0))],
    ["tracing", duration(data.trace_us * 1000)],
    ["compiling", duration(data.compile_us * 1000)],
    ["won, as measured", duration(sum("won"))],
    ["graph breaks", count(data.functions.reduce((total, each) => total + each.breaks.length, 0))],
    ["memory, at most", bytes(Math.max(0, ...data.memory.map(each => each[1])))],
  ]);
}

function fillFunctions() {
  const columns = [
    { title: "function", key: row => row.name, node: row => make("button", { class: "link" }, row.name) },
    { title: "won", number: true, text: row => duration(row.won), key: row => row.won === null ? -1 : row.won },
    { title: "spent", number: true, text: row => duration(row.spent), key: row => row.spent },
    { title: "in kernels", number: true, text: row => row.runs ? duration(row.nanoseconds) : "–", key: row => row.nanoseconds },
    { title: "runs", number: true, text: row => count(row.hits), key: row => row.hits },
    { title: "graphs", number: true, text: row => count(row.entries.length), key: row => row.entries.length },
    { title: "breaks", number: true, text: row => count(row.breaks.length), key: row => row.breaks.length },
    { title: "recompiles", number: true, text: row => count(row.recompiles.length), key: row => row.recompiles.length },
    { title: "place", text: row => row.short + ":" + row.line, key: row => row.file + ":" + String(row.line).padStart(8) },
  ];
  if (data.functions.length === 0) {
    byId("function-table").replaceWith(make("p", { class: "muted" }, data.empty));
    return;
  }
  fillTable(byId("function-table"), columns, data.functions, row => showFunction(row.number), { column: 2, down: true });
}

fillHead();
const timeline = new Timeline(data, showFunction);
fillFunctions();
fillFacts(byId("counters"), Object.entries(data.counters).map(([name, value]) => [name.replaceAll("_", " "), name.startsWith("bytes") ? bytes(value) : count(value)]));
byId("counters-section").hidden = Object.keys(data.counters).length === 0;
byId("versions").textContent = data.versions;
const wanted = /^#function=(\d+)$/.exec(location.hash);
if (wanted) showFunction(Number(wanted[1]));
