// SPDX-License-Identifier: Apache-2.0
// The script of report.html: draws ranks and steps, a cell for each.
'use strict';
(() => {
const byId = (id) => document.getElementById(id);
const data = byId('map-data');
if (!data) return;
const NONE = 4095;
const LEFT = 96, BOTTOM = 24, TOP = 6, RIGHT = 10;
const canvas = byId('map'), tip = byId('map-tip');
const maps = JSON.parse(data.textContent).maps;
const digitOf = new Uint8Array(128);
Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_').forEach(
    (digit, value) => { digitOf[digit.charCodeAt(0)] = value; });
function cellsOf(text) {
  const cells = new Uint16Array(text.length / 2);
  for (let i = 0; i < cells.length; ++i)
    cells[i] = digitOf[text.charCodeAt(2 * i)] * 64 + digitOf[text.charCodeAt(2 * i + 1)];
  return cells;
}
function duration(ns) {
  const three = (value) => value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 999.5e3) return `${three(ns / 1e3)} \u00b5s`;
  if (ns < 999.5e6) return `${three(ns / 1e6)} ms`;
  return `${three(ns / 1e9)} s`;
}
const ready = new Map();
// The map, its cells, and what colours they have: the median is neutral, and as far above as below it all colours are used that
// nine tenths of the cells need, and at least 5 %.
function prepare(index, value) {
  const key = index + value;
  if (ready.has(key)) return ready.get(key);
  const map = maps[index];
  const mean = cellsOf(map.mean), longest = map.longest ? cellsOf(map.longest) : mean;
  const cells = value === 'longest' ? longest : mean;
  const sorted = cells.filter((cell) => cell !== NONE).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * (sorted.length - 1)))];
  const unit = Math.log(map.high / map.low) / (NONE - 1) || 1e-9;
  const middle = at(0.5);
  const least = Math.max(1, Math.log(1.05) / unit);
  const reach = Math.max(least, at(0.95) - middle, middle - at(0.05));
  const ns = (cell) => map.low * Math.exp(unit * cell);
  const prepared = {map, mean, longest, cells, middle, reach, ns};
  ready.set(key, prepared);
  return prepared;
}

let shown = null, view = null, cursor = null, drag = null, colours = null, ramp = null;
const whole = () => ({x0: 0, x1: shown.map.columns, y0: 0, y1: shown.map.rows.length});
function rgb(name) {
  const hexadecimal = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(hexadecimal.slice(i, i + 2), 16));
}
// 256 colours from -1 (short) over 0 (median) to 1 (longest).
function makeRamp() {
  colours = {ink: rgb('--ink'), soft: rgb('--soft'), line: rgb('--line'), card: rgb('--card'), absent: rgb('--absent'), accent: rgb('--accent')};
  const stops = [[-1, rgb('--short')], [0, rgb('--median')], [0.5, rgb('--long')], [1, rgb('--longest')]];
  ramp = [];
  for (let i = 0; i < 256; ++i) {
    const at = i / 127.5 - 1;
    const k = Math.max(1, stops.findIndex(([stop]) => stop >= at));
    const [a, from] = stops[k - 1], [b, to] = stops[k];
    ramp.push(from.map((value, j) => Math.round(value + (to[j] - value) * (at - a) / (b - a))));
  }
}
const css = (colour, alpha = 1) => `rgba(${colour.join(',')},${alpha})`;
function colourOf(cell) {
  if (cell === NONE) return colours.absent;
  const part = Math.max(-1, Math.min(1, (cell - shown.middle) / shown.reach));
  return ramp[Math.round((part + 1) * 127.5)];
}
const plot = () => ({x: LEFT, y: TOP, width: canvas.clientWidth - LEFT - RIGHT, height: canvas.clientHeight - TOP - BOTTOM});

// Each pixel is the longest of the cells beneath it.
function paint(context, scale, area) {
  const width = Math.max(1, Math.round(area.width * scale)), height = Math.max(1, Math.round(area.height * scale));
  const image = new ImageData(width, height);
  const {map, cells} = shown;
  const spanX = view.x1 - view.x0, spanY = view.y1 - view.y0;
  const gapX = width / spanX > 7 * scale ? 1 : 0, gapY = height / spanY > 7 * scale ? 1 : 0;
  const columns = new Int32Array(width + 1), edges = new Uint8Array(width);
  for (let x = 0; x <= width; ++x) columns[x] = Math.floor(view.x0 + spanX * x / width + 1e-9);
  for (let x = 0; x < width; ++x) edges[x] = gapX && columns[x + 1] > columns[x] ? 1 : 0;
  for (let y = 0; y < height; ++y) {
    const from = Math.floor(view.y0 + spanY * y / height + 1e-9), next = Math.floor(view.y0 + spanY * (y + 1) / height + 1e-9);
    const edge = gapY && next > from;
    const to = Math.min(map.rows.length, Math.max(next, from + 1));
    for (let x = 0; x < width; ++x) {
      const begin = columns[x], end = Math.min(map.columns, Math.max(columns[x + 1], begin + 1));
      let most = -1;
      for (let row = from; row < to; ++row) {
        for (let column = begin; column < end; ++column) {
          const cell = cells[row * map.columns + column];
          if (cell !== NONE && cell > most) most = cell;
        }
      }
      const colour = edge || edges[x] ? colours.card : colourOf(most < 0 ? NONE : most);
      const at = 4 * (y * width + x);
      image.data[at] = colour[0];
      image.data[at + 1] = colour[1];
      image.data[at + 2] = colour[2];
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, Math.round(area.x * scale), Math.round(area.y * scale));
}
function stepName(column) {
  const from = BigInt(shown.map.first) + BigInt(column) * BigInt(shown.map.per);
  const last = BigInt(shown.map.first) + BigInt(shown.map.steps) - 1n;
  const to = from + BigInt(shown.map.per) - 1n;
  return shown.map.per === 1 ? `${from}` : `${from} to ${to < last ? to : last}`;
}
function labels(context, area) {
  const {map} = shown;
  context.font = '12px system-ui, "DejaVu Sans", sans-serif';
  context.fillStyle = css(colours.soft);
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const rowHeight = area.height / (view.y1 - view.y0);
  const every = Math.max(1, Math.ceil(16 / rowHeight));
  for (let row = Math.ceil(view.y0 / every) * every; row < view.y1; row += every) {
    const y = area.y + (row + 0.5 - view.y0) * rowHeight;
    if (y < area.y + 5 || y > area.y + area.height) continue;
    context.fillText(map.rows[row].length > 14 ? map.rows[row].slice(0, 13) + '\u2026' : map.rows[row], LEFT - 8, y);
  }
  context.textAlign = 'center';
  const columnWidth = area.width / (view.x1 - view.x0);
  const wanted = Math.max(1, 90 / columnWidth), power = 10 ** Math.floor(Math.log10(wanted));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted));
  for (let column = Math.ceil(view.x0 / step) * step; column < view.x1; column += step) {
    const x = area.x + (column + 0.5 - view.x0) * columnWidth;
    if (x < area.x || x > area.x + area.width - 10) continue;
    context.fillText(`${BigInt(map.first) + BigInt(Math.round(column)) * BigInt(map.per)}`, x, area.y + area.height + 13);
  }
  context.textAlign = 'right';
  context.fillText('step', LEFT - 8, area.y + area.height + 13);
}
function outline(context, area) {
  const place = (column, row) => [area.x + (column - view.x0) * area.width / (view.x1 - view.x0), area.y + (row - view.y0) * area.height / (view.y1 - view.y0)];
  context.save();
  context.beginPath();
  context.rect(area.x, area.y, area.width, area.height);
  context.clip();
  if (drag && drag.moved) {
    const left = Math.min(drag.x, drag.toX), top = Math.min(drag.y, drag.toY);
    context.fillStyle = css(colours.accent, 0.18);
    context.strokeStyle = css(colours.accent);
    context.fillRect(left, top, Math.abs(drag.toX - drag.x), Math.abs(drag.toY - drag.y));
    context.strokeRect(left, top, Math.abs(drag.toX - drag.x), Math.abs(drag.toY - drag.y));
  } else if (cursor) {
    const [x, y] = place(cursor.column, cursor.row), [right, bottom] = place(cursor.column + 1, cursor.row + 1);
    context.strokeStyle = css(colours.ink);
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, Math.max(4, right - x + 1), Math.max(4, bottom - y + 1));
  }
  context.restore();
}
let drawing = false;
function draw() {
  drawing = false;
  if (!canvas.clientWidth) return;
  const scale = devicePixelRatio || 1, area = plot();
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  const context = canvas.getContext('2d');
  paint(context, scale, area);
  context.scale(scale, scale);
  labels(context, area);
  outline(context, area);
}
function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(draw);
}
function clampView(next) {
  const {map} = shown;
  const width = Math.min(map.columns, Math.max(next.x1 - next.x0, Math.min(4, map.columns)));
  const height = Math.min(map.rows.length, Math.max(next.y1 - next.y0, 1));
  const x0 = Math.max(0, Math.min(next.x0, map.columns - width)), y0 = Math.max(0, Math.min(next.y0, map.rows.length - height));
  view = {x0, x1: x0 + width, y0, y1: y0 + height};
  canvas.dataset.columns = `${view.x0.toFixed(1)} ${view.x1.toFixed(1)}`;
  redraw();
}
function zoom(factor, column, row) {
  const {map} = shown;
  const rows = map.rows.length > 16 ? factor : 1;  // few rows are seen well as they are
  clampView({
    x0: column - (column - view.x0) * factor, x1: column + (view.x1 - column) * factor,
    y0: row - (row - view.y0) * rows, y1: row + (view.y1 - row) * rows,
  });
}
const middleOf = () => cursor ? [cursor.column + 0.5, cursor.row + 0.5] : [(view.x0 + view.x1) / 2, (view.y0 + view.y1) / 2];
function placeOf(x, y) {
  const area = plot();
  return [view.x0 + (x - area.x) * (view.x1 - view.x0) / area.width, view.y0 + (y - area.y) * (view.y1 - view.y0) / area.height];
}
function tell() {
  tip.classList.toggle('shown', cursor !== null);
  if (!cursor) return;
  const {map, mean, longest, middle, ns} = shown;
  const at = cursor.row * map.columns + cursor.column, area = plot();
  const off = 100 * (ns(mean[at]) / ns(middle) - 1);
  const value = mean[at] === NONE ? 'no step' :
      map.per === 1 ? duration(ns(mean[at])) : `mean ${duration(ns(mean[at]))}, longest ${duration(ns(longest[at]))}`;
  const against = mean[at] === NONE ? '' : `\n${off < 0 ? '\u2212' : '+'}${Math.abs(off).toFixed(1)} % against the median`;
  tip.textContent = `${map.rows[cursor.row]}, ${map.per === 1 ? 'step' : 'steps'} ${stepName(cursor.column)}\n${value}${against}`;
  const x = area.x + (cursor.column + 0.5 - view.x0) * area.width / (view.x1 - view.x0);
  const y = area.y + (cursor.row + 0.5 - view.y0) * area.height / (view.y1 - view.y0);
  const left = x + 16 + tip.offsetWidth > canvas.clientWidth ? x - 16 - tip.offsetWidth : x + 16;
  const top = Math.max(4, Math.min(y - tip.offsetHeight / 2, canvas.clientHeight - tip.offsetHeight - 4));
  tip.style.transform = `translate(${Math.max(4, left)}px, ${top}px)`;
}
function point(x, y) {
  const [column, row] = placeOf(x, y).map(Math.floor);
  const inside = column >= view.x0 - 1 && column < view.x1 && row >= view.y0 - 1 && row < view.y1 && x >= LEFT && y >= TOP;
  cursor = inside && shown.map.rows[row] !== undefined && column >= 0 && column < shown.map.columns ? {column, row} : null;
  tell();
  redraw();
}
function choose() {
  shown = prepare(Number(byId('map-name').value), byId('map-value').value);
  cursor = null;
  tell();
  byId('scale-low').textContent = `\u2264 ${duration(shown.ns(shown.middle - shown.reach))}`;
  byId('scale-middle').textContent = duration(shown.ns(shown.middle));
  byId('scale-high').textContent = `\u2265 ${duration(shown.ns(shown.middle + shown.reach))}`;
  clampView(whole());
}

canvas.addEventListener('pointerdown', (event) => {
  drag = {x: event.offsetX, y: event.offsetY, toX: event.offsetX, toY: event.offsetY, moved: false};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener('pointermove', (event) => {
  if (drag) {
    drag.toX = event.offsetX;
    drag.toY = event.offsetY;
    drag.moved = drag.moved || Math.abs(drag.toX - drag.x) > 5;
  }
  point(event.offsetX, event.offsetY);
});
canvas.addEventListener('pointerup', () => {
  const done = drag;
  drag = null;
  if (!done || !done.moved) return redraw();
  const [x0, y0] = placeOf(Math.min(done.x, done.toX), Math.min(done.y, done.toY));
  const [x1, y1] = placeOf(Math.max(done.x, done.toX), Math.max(done.y, done.toY));
  // A flat stroke chooses steps, not ranks.
  const flat = Math.abs(done.toY - done.y) < 20 || shown.map.rows.length <= 16;
  clampView(flat ? {...view, x0: Math.max(x0, view.x0), x1: Math.min(x1, view.x1)} : {x0, x1, y0: Math.floor(y0), y1: Math.ceil(y1)});
});
canvas.addEventListener('pointercancel', () => { drag = null; redraw(); });
canvas.addEventListener('pointerleave', () => { if (!drag) { cursor = null; tell(); redraw(); } });
canvas.addEventListener('dblclick', () => clampView(whole()));
// The wheel is the page's until the map was clicked.
canvas.addEventListener('wheel', (event) => {
  if (document.activeElement !== canvas && !event.ctrlKey) return;
  event.preventDefault();
  const lines = event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
  zoom(1.25 ** Math.max(-3, Math.min(3, lines)), ...placeOf(event.offsetX, event.offsetY));
}, {passive: false});
const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
canvas.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const move = moves[event.key];
  if (move) {
    const [column, row] = middleOf().map(Math.floor);
    const next = cursor ? {column: column + move[0], row: row + move[1]} : {column, row};
    cursor = {
      column: Math.max(0, Math.min(shown.map.columns - 1, next.column)),
      row: Math.max(0, Math.min(shown.map.rows.length - 1, next.row)),
    };
    const x = Math.min(0, cursor.column - view.x0) + Math.max(0, cursor.column + 1 - view.x1);
    const y = Math.min(0, cursor.row - view.y0) + Math.max(0, cursor.row + 1 - view.y1);
    clampView({x0: view.x0 + x, x1: view.x1 + x, y0: view.y0 + y, y1: view.y1 + y});
    tell();
  } else if (event.key === '+' || event.key === '=') {
    zoom(0.7, ...middleOf());
  } else if (event.key === '-') {
    zoom(1 / 0.7, ...middleOf());
  } else if (event.key === 'Escape' || event.key === '0') {
    clampView(whole());
  } else {
    return;
  }
  event.preventDefault();
});
byId('map-in').addEventListener('click', () => zoom(0.6, ...middleOf()));
byId('map-out').addEventListener('click', () => zoom(1 / 0.6, ...middleOf()));
byId('map-all').addEventListener('click', () => clampView(whole()));
byId('map-name').addEventListener('change', choose);
byId('map-value').addEventListener('change', choose);
new ResizeObserver(redraw).observe(canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { makeRamp(); redraw(); });
makeRamp();
choose();
})();
