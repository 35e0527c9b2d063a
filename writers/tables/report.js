// SPDX-License-Identifier: Apache-2.0
// The script of report.html: sorts and searches its tables, copies commands.
// Names of the recorded program are only ever set as text.
'use strict';
(() => {
const byId = (id) => document.getElementById(id);
document.documentElement.classList.add('scripted');

// --- Tables: a click on a column's head sorts by it.
const collator = new Intl.Collator('en', {numeric: true, sensitivity: 'base'});
function valueOf(row, column) {
  const cell = row.cells[column];
  if (!cell) return '';
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
}
function compare(a, b) {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
function sortBy(table, head, column) {
  const was = head.getAttribute('aria-sort');
  // Numbers begin with the largest, names with the first.
  const first = head.classList.contains('n') ? 'descending' : 'ascending';
  const second = first === 'ascending' ? 'descending' : 'ascending';
  const order = was === first ? second : first;
  for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', order);
  const sign = order === 'ascending' ? 1 : -1;
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => ({row, value: valueOf(row, column)}));
  keyed.sort((a, b) => sign * compare(a.value, b.value));
  body.append(...keyed.map((one) => one.row));
}
for (const table of document.querySelectorAll('table.data')) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', () => sortBy(table, head, column));
    head.replaceChildren(button);
  });
}

// --- Search: every word has to be in a row or a card.
const search = byId('search');
let searched = null;
function searchable() {
  const found = document.querySelectorAll('table.data tbody tr, .card');
  return Array.from(found, (element) => ({element, text: element.textContent.toLowerCase()}));
}
function filter() {
  searched = searched || searchable();
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  document.body.classList.toggle('searching', words.length > 0);
  let shown = 0;
  for (const {element, text} of searched) {
    const out = !words.every((word) => text.includes(word));
    element.classList.toggle('out', out);
    shown += out ? 0 : 1;
  }
  byId('found').textContent = words.length ? `${shown.toLocaleString('en')} found` : '';
}
let waiting = 0;
search.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, 60);
});
search.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  search.value = '';
  filter();
});
document.addEventListener('keydown', (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
});

// --- Commands to copy.
function copyBySelection(code) {
  const selection = getSelection();
  selection.selectAllChildren(code);
  const copied = document.execCommand('copy');
  if (copied) selection.removeAllRanges();
  return copied;
}
async function copy(button) {
  const code = button.parentNode.querySelector('code');
  let copied = false;
  try {
    await navigator.clipboard.writeText(code.textContent);
    copied = true;
  } catch {
    copied = copyBySelection(code);  // else it is selected, for Ctrl-C
  }
  button.textContent = copied ? 'Copied' : 'Ctrl-C';
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}
for (const button of document.querySelectorAll('.copy')) button.addEventListener('click', () => copy(button));
})();
