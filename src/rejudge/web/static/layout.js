// The page of an original study, in a frame over the usual form. What the frame says is taken for
// what it is: a field of this form and a value that the field offers, or the height of the frame.
import { noteActivity } from "./activity.js";
import { all, form } from "./page.js";
import { fault, questionsOf } from "./questions.js";

const TALLEST = 400000, MOST_STEPS = 60, PATIENCE = 8000;
const frame = document.getElementById("layout");
let steps = 0; // how often the frame grew since the window was resized; some pages never stop

const controlsOf = (name) => all("[name]", form).filter((each) => each.name === name && each.closest(".question"));
const nameOf = (question) => question.id;
const isHere = () => form?.dataset.layout === "here";
const ask = (kind, more) => frame.contentWindow.postMessage({ rejudge: kind, ...more }, "*"); // it has no origin

function values() {
  const found = {};
  for (const question of questionsOf(form)) {
    const given = controlsOf(nameOf(question)).find((each) => (each.type === "radio" ? each.checked : each.value !== ""));
    if (given) found[nameOf(question)] = given.value;
  }
  return found;
}

function ready(fields) {
  const asked = questionsOf(form).map(nameOf);
  if (!Array.isArray(fields) || fields.length !== asked.length || !asked.every((each) => fields.includes(each))) {
    if (!isHere()) form.dataset.layout = "absent"; // somebody could not answer there, but can in the list
    return;
  }
  form.dataset.layout = "here";
  ask("values", { values: values() });
}

function take(field, value) {
  if (!isHere() || typeof field !== "string" || typeof value !== "string" || value.length > 100) return;
  const controls = controlsOf(field), question = controls[0]?.closest(".question");
  if (!question) return;
  const isSame = (each) => each.value === value || (value.trim() !== "" && Number(each.value) === Number(value));
  const control = controls[0].type === "radio" ? controls.find(isSame) : controls[0];
  if (!control) return;
  if (control.type === "radio") control.checked = true;
  else control.value = value;
  fault(question, "");
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

function grow(height) {
  if (!Number.isFinite(height) || height <= 0 || height > TALLEST || steps >= MOST_STEPS) return;
  steps += 1;
  frame.style.height = `${Math.ceil(height) + 2}px`; // with its border
}

function scrollTo(top) {
  if (!Number.isFinite(top)) return;
  const at = frame.getBoundingClientRect().top + window.scrollY + top;
  window.scrollTo({ top: Math.max(0, at - window.innerHeight / 3) });
}

export function highlightInLayout(question) { // whether the original page shows where
  if (!isHere()) return false;
  frame.focus({ preventScroll: true });
  ask("point", { field: nameOf(question) });
  return true;
}

export function startLayout() {
  if (!frame || !form) return;
  form.dataset.layout = "waiting";
  setTimeout(() => { if (!isHere()) form.dataset.layout = "absent"; }, PATIENCE);
  window.addEventListener("resize", () => { steps = 0; });
  window.addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.origin !== "null") return;
    if (typeof event.data !== "object" || event.data === null) return;
    const { rejudge: kind, fields, field, value, height, top } = event.data;
    if (kind === "ready") ready(fields);
    else if (kind === "answer") take(field, value);
    else if (kind === "height") grow(height);
    else if (kind === "place") scrollTo(top);
    else if (kind === "active") noteActivity();
  });
  frame.src = frame.dataset.src; // after this script listens
}
