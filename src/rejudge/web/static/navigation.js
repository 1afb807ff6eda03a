// From task to task: what is missing, the tasks that follow, breaks, and the way back.
import { credit, resume, show, showFirst, watchActivity } from "./activity.js";
import { highlightInLayout, startLayout } from "./layout.js";
import { $, all, form, next, state, textFor } from "./page.js";
import { fault, missing, prepare, questionsOf, read } from "./questions.js";
import { afterSaving, handIn, isAllSaved, isSaving, restoreTask, save, startSaving } from "./saving.js";

const why = document.getElementById("why");
const body = document.getElementById("body");
let sections = []; // all tasks in their order, once they are fetched
let place = state.place ?? 0;
const pathOf = (at) => `${state.root}/task/${at}`;

function refresh() {
  if (!next || form.hasAttribute("data-done")) return;
  const unanswered = missing(form);
  next.setAttribute("aria-disabled", String(Boolean(unanswered)));
  if (state.mode === "list") {
    const tasks = all(".task", form), done = tasks.filter((task) => !missing(task)).length;
    document.getElementById("count").textContent = textFor("answered_of", { done, all: tasks.length });
    document.getElementById("progress").value = done;
  }
  const isAlone = unanswered && questionsOf(unanswered.closest(".task")).length === 1 && state.mode !== "list";
  const prompt = unanswered && ($(".prompt", unanswered).firstChild?.textContent ?? "").trim();
  const reason = unanswered && (isAlone ? textFor(read(unanswered)[1]) : textFor("not_yet", { what: prompt }));
  why.textContent = reason || "";
}

function highlight(question) {
  fault(question, textFor(read(question)[1]));
  if (highlightInLayout(question)) return;
  const control = all("input, select", question).find((each) => each.offsetParent !== null || each.type === "radio");
  control?.focus();
  question.scrollIntoView({ block: "center" });
}

async function fetchTasks() {
  try {
    const response = await fetch(`${state.root}/tasks`, { credentials: "same-origin" });
    if (response.status >= 500) throw new Error("unavailable");
    if (!response.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = all(".task", page).map((each) => document.adoptNode(each));
    const here = $(".task", body);
    if (found[place - 1]?.dataset.task !== here.dataset.task) return;
    found.forEach((each, at) => { if (at !== place - 1) { prepareTask(each); } });
    found[place - 1] = here;
    sections = found;
    form.dataset.tasks = "here";
  } catch { setTimeout(fetchTasks, 5000); }
}

function prepareTask(task, options) {
  restoreTask(task, options);
  prepare(task);
}

function showTask(to, { isNew = true } = {}) {
  credit(Number($(".task", body).dataset.task));
  place = to;
  const task = sections[to - 1];
  show(task.dataset.task);
  body.replaceChildren(task);
  form.action = pathOf(to);
  form.hidden = false;
  document.getElementById("rest").hidden = true;
  const count = textFor("number_of", { number: to, all: sections.length });
  document.getElementById("count").textContent = count;
  document.getElementById("progress").value = to - 1;
  document.title = `${count} · ${$(".study-title").textContent}`;
  const back = $(".back", form);
  if (back) back.hidden = to === 1;
  $(".next-word", next).textContent = textFor(to === sections.length ? "finish" : "next");
  all(".notice[role=alert]").forEach((each) => each.remove());
  if (isNew) history.pushState({ place: to }, "", pathOf(to));
  refresh();
  window.scrollTo(0, 0);
  $(".place", task).focus({ preventScroll: true });
}

function showBreak() {
  const card = document.getElementById("rest"), text = $("p[data-text]", card);
  text.textContent = text.dataset.text.replace("{done}", place).replace("{all}", sections.length);
  credit(Number($(".task", body).dataset.task));
  form.hidden = true;
  card.hidden = false;
  window.scrollTo(0, 0);
  $("h2", card).focus();
}

function goNext() {
  if (place === sections.length) {
    const at = sections.findIndex((task) => missing(task));
    if (at >= 0) { showTask(at + 1); highlight(missing(form)); return; }
    handIn();
  } else if (state.breakEvery && place % state.breakEvery === 0) showBreak();
  else showTask(place + 1);
}

function startOne() {
  history.replaceState({ place }, "");
  fetchTasks();
  document.getElementById("rested").addEventListener("click", () => { resume(); showTask(place + 1); });
  window.addEventListener("popstate", (event) => {
    const to = event.state?.place;
    if (!to || !sections.length) return;
    if (!state.back && to < place) { history.pushState({ place }, "", pathOf(place)); return; }
    showTask(to, { isNew: false });
  });
}

function onSubmit(event) {
  const button = event.submitter, isBack = button?.value === "back";
  const unanswered = isBack || form.hasAttribute("data-done") ? null : missing(form);
  const steps = isBack ? () => showTask(Math.max(1, place - 1)) : goNext;
  if (unanswered) highlight(unanswered);
  else if (state.mode === "list") handIn();
  else if (sections.length) steps();
  else if (!isAllSaved()) afterSaving(() => form.requestSubmit(button)); // no leaving with answers
  else return;
  event.preventDefault();
}

export function startTasks() {
  if (isSaving) {
    watchActivity();
    startSaving();
    const isSaved = !form.hasAttribute("data-unsaved");
    all(".task", form).forEach((task) => { showFirst(task.dataset.task); prepareTask(task, { isSaved }); });
    if (!isSaved) questionsOf(form).forEach(save);
  } else prepare(form);
  form.addEventListener("answer", (event) => { if (isSaving) save(event.target); refresh(); });
  form.addEventListener("submit", onSubmit);
  refresh();
  if (state.mode === "one") startOne();
  else {
    startLayout();
    form.dataset.tasks = "here";
  }
}
