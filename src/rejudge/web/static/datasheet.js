/* The datasheet editor works without this script; with it, each answer is saved as it is given. */
"use strict";

document.body.classList.add("scripted");

const form = document.getElementById("sheet");
const saved = document.getElementById("saved");
let latest = Promise.resolve(); // answers are saved one after another, in the order given
let unsaved = 0;

if (form) {
  form.addEventListener("change", (event) => {
    const entry = event.target.closest(".entry");
    if (entry && !event.target.dataset.filter) save(entry);
  });
  form.addEventListener("input", (event) => {
    const entry = event.target.closest(".entry");
    if (!entry || !event.target.matches("textarea, input[type='text']")) return;
    clearTimeout(entry.pause);
    entry.pause = setTimeout(() => save(entry), 800);
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[name='confirm']");
    if (!button) return;
    event.preventDefault();
    save(button.closest(".entry"), { confirm: button.value });
  });
}

window.addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
  event.preventDefault(); // there is nothing else to save
  const entry = document.activeElement && document.activeElement.closest(".entry");
  if (entry) save(entry);
});

for (const box of document.querySelectorAll("[data-filter]")) {
  box.addEventListener("input", () => {
    const wanted = box.value.trim().toLowerCase();
    for (const option of document.getElementById(box.dataset.filter).children) {
      const isChosen = option.querySelector("input").checked;
      option.hidden = !isChosen && !option.textContent.toLowerCase().includes(wanted);
    }
  });
}

function save(entry, more = {}) {
  clearTimeout(entry.pause);
  unsaved += 1;
  say("Saving …");
  latest = latest.then(() => send(entry, more)).finally(() => { unsaved -= 1; });
}

async function send(entry, more) {
  const fields = new URLSearchParams();
  for (const name of ["section", "criterion"]) fields.set(name, form.elements[name].value);
  fields.set("questions", entry.dataset.number);
  for (const control of entry.querySelectorAll("input[name], textarea[name]")) {
    if (!control.matches("[type='radio'], [type='checkbox']") || control.checked) fields.set(control.name, control.value);
  }
  for (const [name, value] of Object.entries(more)) fields.set(name, value);
  let reply;
  try {
    const response = await fetch(form.action, { method: "POST", body: fields, headers: { "x-script": "1" } });
    reply = await response.json();
  } catch {
    say("Not saved: the editor does not answer. Is `rejudge heds edit` still running?", true);
    return;
  }
  if (reply.outcome !== "saved") {
    say(reply.says || "Not saved.", true);
    return;
  }
  show(entry, reply, "confirm" in more);
}

function show(entry, reply, isConfirmed) {
  say("Saved.");
  document.getElementById("undo").disabled = false;
  document.getElementById("progress").value = reply.done;
  document.getElementById("count").textContent = `${reply.done} of ${reply.total}`;
  for (const [number, [done, whole]] of Object.entries(reply.sections)) {
    const place = document.querySelector(`[data-section="${number}"]`);
    if (place) place.textContent = `${done} of ${whole}`;
  }
  const faults = (reply.findings[entry.dataset.number] || []).map((says) => {
    const item = document.createElement("li");
    item.textContent = says;
    return item;
  });
  entry.querySelector(".faults").replaceChildren(...faults);
  const isAnswered = [...entry.querySelectorAll("textarea, input[type='text']")].some((each) => each.value.trim()) || entry.querySelector("input:checked");
  entry.classList.toggle("open", !isAnswered);
  if (!reply.filled.includes(entry.dataset.number)) {  // confirmed, or no longer what was filled in
    entry.querySelectorAll(".origin, .draft").forEach((each) => each.remove());
  }
  if (isConfirmed) entry.querySelector("input, textarea").focus();
}

function say(words, isBad = false) {
  saved.textContent = words;
  saved.classList.toggle("bad", isBad);
}
