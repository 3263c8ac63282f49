"use strict";
// A graph on a canvas: what is in sight is drawn, and of what is small only as much as can be seen.

const NODE = 30, MOST_EDGES = 6000;

class GraphView {
  // `choose(node)` is called with what is clicked.
  constructor(canvas, graph, choose) {
    this.canvas = canvas;
    this.graph = graph;
    this.chosen = -1;
    this.height = Math.min(Math.max(graph.height + 40, 160), 560);
    this.paint = painter(() => this.draw());
    watchPointer(canvas, {
      move: (dx, dy) => { this.x += dx; this.y += dy; this.paint(); },
      zoom: (factor, x, y) => this.zoom(factor, x, y),
      point: (x, y) => { const found = this.at(x, y); canvas.title = found < 0 ? "" : graph.nodes[found].title; canvas.style.cursor = found < 0 ? "grab" : "pointer"; },
      click: (x, y) => { const found = this.at(x, y); if (found >= 0) { this.chosen = found; this.paint(); choose(graph.nodes[found]); } },
    });
    new ResizeObserver(this.paint).observe(canvas);
    this.fit();
  }

  fit() {
    const width = this.canvas.clientWidth || 800;
    this.scale = Math.min(width / this.graph.width, this.height / this.graph.height, 1);
    this.x = (width - this.graph.width * this.scale) / 2;
    this.y = (this.height - this.graph.height * this.scale) / 2;
    this.paint();
  }
  zoom(factor, x, y) {
    const scale = Math.min(Math.max(this.scale * factor, 0.002), 3);
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.paint();
  }
  zoomMiddle(factor) { this.zoom(factor, this.canvas.clientWidth / 2, this.height / 2); }

  at(x, y) {
    const gx = (x - this.x) / this.scale, gy = (y - this.y) / this.scale;
    return this.graph.nodes.findIndex(node => Math.abs(node.x - gx) <= node.width / 2 && Math.abs(node.y - gy) <= NODE / 2);
  }

  // The centre of a node on the canvas, for tests and for the keyboard.
  placeOf(number) { const node = this.graph.nodes[number]; return [this.x + node.x * this.scale, this.y + node.y * this.scale]; }

  draw() {
    const context = prepareCanvas(this.canvas, this.height), width = this.canvas.clientWidth;
    context.translate(this.x, this.y);
    context.scale(this.scale, this.scale);
    const sight = [-this.x / this.scale, -this.y / this.scale, (width - this.x) / this.scale, (this.height - this.y) / this.scale];
    this.drawEdges(context, sight);
    this.drawNodes(context, sight);
  }

  drawEdges(context, [left, top, right, bottom]) {
    const nodes = this.graph.nodes, edges = this.graph.edges;
    const every = this.scale < 0.1 ? Math.ceil(edges.length / MOST_EDGES) : 1;
    context.strokeStyle = colour("muted");
    context.globalAlpha = 0.45;
    context.lineWidth = Math.max(1, 0.6 / this.scale);
    context.beginPath();
    for (let i = 0; i < edges.length; i += every) {
      const a = nodes[edges[i][0]], b = nodes[edges[i][1]];
      if (Math.max(a.x, b.x) < left || Math.min(a.x, b.x) > right || b.y < top || a.y > bottom) continue;
      const start = a.y + NODE / 2, end = b.y - NODE / 2, bend = (start + end) / 2;
      context.moveTo(a.x, start);
      if (this.scale < 0.2) context.lineTo(b.x, end); else context.bezierCurveTo(a.x, bend, b.x, bend, b.x, end);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  drawNodes(context, [left, top, right, bottom]) {
    const labels = this.scale > 0.35, ink = colour("ink"), raised = colour("raised"), rule = colour("muted");
    context.textAlign = "center";
    context.lineWidth = 1;
    this.graph.nodes.forEach((node, number) => {
      const x = node.x - node.width / 2, y = node.y - NODE / 2;
      if (x > right || x + node.width < left || y > bottom || y + NODE < top) return;
      context.fillStyle = node.group < 0 ? raised : groupColour(node.group);
      context.fillRect(x, y, node.width, NODE);
      if (number === this.chosen) { context.strokeStyle = colour("warn"); context.lineWidth = 3; context.strokeRect(x, y, node.width, NODE); context.lineWidth = 1; }
      if (!labels) return;
      context.strokeStyle = rule;
      if (number !== this.chosen) context.strokeRect(x, y, node.width, NODE);
      context.fillStyle = ink;
      context.fillText(node.label, node.x, node.y + 4, node.width - 8);
    });
  }
}

// The same colour for a fusion group in the graph and in the table of groups.
function groupColour(group) { return "hsl(" + (210 + 47 * group) % 360 + " 45% 60% / .38)"; }
