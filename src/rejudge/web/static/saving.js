// Every answer is sent as it is given, and again until the server has it. What waits, and what is
// begun, is kept in the browser meanwhile, so that a reload loses nothing.
import { activityAt, credit } from "./activity.js";
import { $, form, next, setStatus, state, textFor } from "./page.js";
import { draftOf, questionsOf, read, restore } from "./questions.js";

export const isSaving = state.mode === "one" || state.mode === "list";
const storageKey = `rejudge:${state.batch}`;
const stamp = form && $("input[name=stamp]", form)?.value;
const csrf = form && $("input[name=csrf]", form)?.value;
const changes = {}, latest = {}; // by task; by task and question
let queue = []; // answers that the server has not received
let drafts = {}; // by task and question: the controls of answers that wait or are not whole
let number = 0, isSending = false, failures = 0, timer = 0, afterwards = null;

const nameOf = (question) => `${question.closest(".task").dataset.task}:${question.dataset.question}`;

// Asks before the page is left, while something waits; never else, for asking slows every leaving.
const confirmLeaving = (event) => event.preventDefault();

function storeQueue() {
  if (queue.length) window.addEventListener("beforeunload", confirmLeaving);
  else window.removeEventListener("beforeunload", confirmLeaving);
  try { sessionStorage.setItem(storageKey, JSON.stringify({ queue, drafts })); } catch { /* full or forbidden: it stays in memory */ }
}

function loadQueue() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(storageKey)); } catch { /* forbidden: nothing is kept */ }
  queue = kept?.queue ?? [];
  drafts = kept?.drafts ?? {};
}

// A task as it was left. What its page shows as answered is saved, but where the page says it is not.
export function restoreTask(task, { isSaved = true } = {}) {
  for (const question of questionsOf(task)) {
    const name = nameOf(question), draft = drafts[name];
    if (draft) restore(question, draft);
    const [raw] = read(question);
    if (raw !== null && (isSaved || isWaiting(name))) latest[name] = raw;
  }
}

export function save(question) {
  const [raw] = read(question), name = nameOf(question);
  const task = Number(question.closest(".task").dataset.task);
  drafts[name] = draftOf(question);
  if (raw !== null && latest[name] !== raw) {
    credit(task);
    changes[task] = (changes[task] ?? 0) + (name in latest ? 1 : 0);
    latest[name] = raw;
    const activity = { ...activityAt(task), changes: changes[task] };
    queue.push({ stamp, task, question: question.dataset.question, raw, number: number++, ...activity });
  } else if (raw !== null && !isWaiting(name)) delete drafts[name];
  storeQueue();
  send();
}

const isWaiting = (name) => queue.some((each) => `${each.task}:${each.question}` === name);

function dropFirst() { // remove the first answer that waits
  const first = queue.shift(), name = `${first.task}:${first.question}`;
  if (first.raw === latest[name]) delete drafts[name];
  storeQueue();
  return name;
}

async function post(path, body, type) {
  const headers = { "Content-Type": type, "X-CSRF": csrf };
  return fetch(state.root + path, {
    method: "POST", headers, body, credentials: "same-origin", signal: AbortSignal.timeout(20000),
  });
}

async function send() {
  if (isSending || !queue.length) return;
  isSending = true;
  clearTimeout(timer);
  const slow = setTimeout(() => setStatus(textFor("saving")), 700);
  let isDelivered = false, response = null;
  try {
    response = await post("/save", JSON.stringify(queue[0]), "application/json");
    const reply = response.status === 200 || response.status === 403 ? await response.json() : {};
    isDelivered = handleReply(response.status, reply);
  } catch { isDelivered = false; }
  clearTimeout(slow);
  isSending = false;
  if (isDelivered) {
    failures = 0;
    if (queue.length) send();
    else if (afterwards) afterwards();
  } else if (isDelivered === false) retryLater(send);
}

const clock = (moment) => moment.toLocaleTimeString(state.language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function handleReply(status, reply) { // true: finished with it; false: try again; null: give up
  if (status === 200 && reply.outcome !== "closed") {
    dropFirst();
    if (!queue.length) setStatus(textFor("saved_at", { time: clock(new Date()) }), "is-saved");
    return true;
  }
  if (status === 200) {
    queue = [];
    drafts = {};
    storeQueue();
    setStatus(textFor("closed"), "is-late");
    location.assign(`${state.root}/`);
    return null;
  }
  if (status === 403) {
    setStatus("", "is-late");
    const link = document.createElement("a");
    link.href = `${state.root}/`;
    link.textContent = textFor("gone_title");
    $(".status", form).append(link);
    return null;
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    delete latest[dropFirst()];
    setStatus(textFor("not_saved"), "is-late");
    return true;
  }
  return false;
}

function retryLater(again) {
  failures += 1;
  setStatus(textFor("not_saved"), "is-late");
  clearTimeout(timer);
  timer = setTimeout(again, Math.min(30, 2 ** Math.min(failures - 1, 5)) * 1000 * (0.75 + Math.random() / 2));
}

export const isAllSaved = () => !queue.length;

export function afterSaving(then) { // at once where nothing waits
  if (isAllSaved()) { then(); return; }
  afterwards = () => { afterwards = null; then(); };
  setStatus(textFor(failures ? "not_saved" : "sending"), failures ? "is-late" : "");
  send();
}

export const handIn = () => afterSaving(submit);

async function submit() {
  afterwards = submit;
  setStatus(textFor("sending"));
  next.setAttribute("aria-disabled", "true");
  const sheet = new URLSearchParams(new FormData(document.getElementById("hand-in")));
  try {
    const response = await post("/submit", sheet, "application/x-www-form-urlencoded");
    if (response.status >= 500) throw new Error("unavailable");
    afterwards = null;
    location.assign(response.url.endsWith("/submit") ? `${state.root}/` : response.url);
  } catch { retryLater(submit); }
}

function retryNow() { // what is on its way may still fail, and is then tried again soon
  failures = 0;
  clearTimeout(timer);
  if (queue.length) send();
  else if (afterwards) afterwards();
}

export function startSaving() {
  loadQueue();
  window.addEventListener("online", retryNow);
  if (queue.length) { storeQueue(); send(); }
}
