"use strict";
// The timeline: a lane of bars for each depth of each thread, marks for breaks and recompiles, memory below.

const LANE = 20, AXIS = 22, MEMORY = 70, MOST_LANES = 24;
const COLOURS = { trace: "trace", compile: "compile", kernels: "load", autotune: "muted", candidate: "muted", run: "run", break: "warn", recompile: "bad" };
const NAMES = { trace: "trace", compile: "compile", kernels: "kernels made or loaded", autotune: "autotuning", candidate: "a candidate compiled", run: "run", break: "graph break", recompile: "trace again" };

class Timeline {
  constructor(data, choose) {
    this.data = data;
    this.choose = choose;
    this.canvas = byId("timeline");
    this.end = Math.max(data.microseconds, 1);
    this.lanes = this.placeLanes();
    this.height = AXIS + LANE * (this.lanes.length + 1) + MEMORY + 16;
    this.paint = painter(() => this.draw());
    this.showAll();
    watchPointer(this.canvas, {
      move: dx => this.shift(-dx / this.scale()),
      zoom: (factor, x) => this.zoom(factor, x),
      point: (x, y) => this.point(x, y),
      click: (x, y) => { const found = this.at(x, y); if (found && found.function >= 0) this.choose(found.function, found.line); },
    });
    byId("time-in").onclick = () => this.zoom(2, this.canvas.clientWidth / 2);
    byId("time-out").onclick = () => this.zoom(0.5, this.canvas.clientWidth / 2);
    byId("time-all").onclick = () => this.showAll();
    this.canvas.addEventListener("keydown", event => {
      const span = this.to - this.from;
      if (event.key === "ArrowLeft") this.shift(-span / 8);
      else if (event.key === "ArrowRight") this.shift(span / 8);
      else if (event.key === "+") this.zoom(2, this.canvas.clientWidth / 2);
      else if (event.key === "-") this.zoom(0.5, this.canvas.clientWidth / 2);
    });
    new ResizeObserver(this.paint).observe(this.canvas);
    const kinds = new Set([...data.spans, ...data.moments].map(each => each.kind));
    byId("time-legend").replaceChildren(...[...kinds].filter(kind => NAMES[kind]).map(kind =>
      make("span", null, make("i", { style: "background:var(--" + COLOURS[kind] + ")" }), NAMES[kind])));
  }

  // Spans of a thread nest: their depths are lanes.
  placeLanes() {
    const lanes = [], ofThread = new Map();
    for (const span of this.data.spans) {
      const key = span.thread + ":" + span.depth;
      if (!ofThread.has(key)) {
        if (lanes.length === MOST_LANES) continue;
        ofThread.set(key, lanes.length);
        lanes.push([]);
      }
      lanes[ofThread.get(key)].push(span);
    }
    return lanes;
  }

  scale() { return this.canvas.clientWidth / (this.to - this.from); }
  showAll() { this.from = 0; this.to = this.end; this.paint(); }
  shift(by) { this.look(this.from + by, this.to + by); }
  zoom(factor, x) {
    const at = this.from + x / this.scale(), span = Math.min(Math.max((this.to - this.from) / factor, 1), this.end);
    const from = at - (at - this.from) * span / (this.to - this.from);
    this.look(from, from + span);
  }
  look(from, to) {
    const span = to - from;
    this.from = Math.min(Math.max(from, 0), this.end - span);
    this.to = this.from + span;
    this.paint();
  }

  draw() {
    const context = prepareCanvas(this.canvas, this.height), width = this.canvas.clientWidth, scale = this.scale();
    this.drawAxis(context, width, scale);
    this.drawMemory(context, width, scale);
    this.lanes.forEach((lane, number) => this.drawLane(context, width, scale, lane, AXIS + LANE * (number + 1)));
    for (const moment of this.data.moments) {
      const x = (moment.at - this.from) * scale;
      if (x < 0 || x > width) continue;
      context.fillStyle = colour(COLOURS[moment.kind] || "muted");
      context.fillRect(x, AXIS + 4, 2, LANE - 6);
    }
  }

  drawAxis(context, width, scale) {
    const span = this.to - this.from, rough = span / Math.max(width / 110, 1), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find(each => each * power >= rough) * power;
    context.fillStyle = colour("muted");
    context.strokeStyle = colour("rule");
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = Math.round((at - this.from) * scale) + 0.5;
      context.beginPath(); context.moveTo(x, AXIS); context.lineTo(x, this.height); context.stroke();
      context.fillText(at === 0 ? "0" : duration(at * 1000), x + 4, 15);
    }
  }

  // Bars narrower than a pixel are drawn once for all that fall on it.
  drawLane(context, width, scale, lane, y) {
    const first = this.firstEnding(lane);
    let drawnTo = -1, drawnKind = null;
    for (let i = first; i < lane.length && lane[i].at <= this.to; ++i) {
      const span = lane[i], x = Math.max((span.at - this.from) * scale, 0);
      const end = Math.min((span.at + span.us - this.from) * scale, width);
      if (end < drawnTo + 0.5 && span.kind === drawnKind) continue;
      const wide = Math.max(end - x, 1);
      context.fillStyle = colour(COLOURS[span.kind] || "muted");
      context.fillRect(x, y + 2, wide, LANE - 4);
      drawnTo = x + wide; drawnKind = span.kind;
      if (wide > 60) {
        context.save();
        context.beginPath(); context.rect(x, y, wide - 4, LANE); context.clip();
        context.fillStyle = colour("paper");
        context.fillText(span.name, x + 5, y + 14);
        context.restore();
      }
    }
  }

  // Lanes are in the order of time: the first span that ends after `from`.
  firstEnding(lane) {
    let low = 0, high = lane.length;
    while (low < high) { const middle = (low + high) >> 1; if (lane[middle].at + lane[middle].us < this.from) low = middle + 1; else high = middle; }
    return low;
  }

  drawMemory(context, width, scale) {
    const samples = this.data.memory, bottom = this.height - 8, most = Math.max(...samples.map(each => each[1]), 1);
    if (samples.length === 0) return;
    context.fillStyle = colour("memory");
    context.beginPath();
    context.moveTo((samples[0][0] - this.from) * scale, bottom);
    for (const [at, amount] of samples) context.lineTo((at - this.from) * scale, bottom - (MEMORY - 20) * amount / most);
    context.lineTo((samples[samples.length - 1][0] - this.from) * scale, bottom);
    context.fill();
    context.fillStyle = colour("muted");
    context.fillText("memory, at most " + bytes(most), 6, bottom - MEMORY + 14);
  }

  at(x, y) {
    const time = this.from + x / this.scale(), lane = Math.floor((y - AXIS) / LANE) - 1, near = 4 / this.scale();
    if (lane === -1) return this.data.moments.find(each => Math.abs(each.at - time) <= near);
    if (lane < 0 || lane >= this.lanes.length) return undefined;
    return this.lanes[lane].find(each => each.at - near <= time && time <= each.at + each.us + near);
  }

  point(x, y) {
    const found = this.at(x, y);
    this.canvas.style.cursor = found && found.function >= 0 ? "pointer" : "grab";
    byId("time-hint").textContent = !found ? "" :
      NAMES[found.kind] + "  " + found.name + (found.us === undefined ? "" : "  " + duration(found.us * 1000)) + (found.text ? "  " + found.text : "");
  }
}
