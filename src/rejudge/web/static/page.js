// What every part of the script stands on: the page, its words, and the form with the tasks.
const node = document.getElementById("state");

export const $ = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const state = node ? JSON.parse(node.dataset.state) : { mode: "plain" };
const words = node ? JSON.parse(node.dataset.words) : {};
export const textFor = (key, given = {}) =>
  (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => given[name] ?? whole);

export const form = $("form[data-answers]");
export const next = form && $(".next", form);
const status = form && $(".status", form);

export function setStatus(text, kind = "") {
  if (!status) return;
  status.textContent = text;
  status.className = `status ${kind}`;
}
