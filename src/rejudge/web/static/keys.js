// Keys do what buttons do: digits choose, Enter goes on.
import { $, all, form, next } from "./page.js";
import { cards, changed, chosen, open, pick, placeOf, questionsOf, read } from "./questions.js";

function activeQuestion() {
  const here = document.activeElement?.closest?.(".question[data-kind]");
  if (here && form.contains(here)) return here;
  const asked = questionsOf(form);
  return open(form) ?? (asked.length === 1 ? asked[0] : null);
}

function press(question, digit) {
  const kind = question.dataset.kind;
  if (kind === "ranking") return pressRanking(question, Number(digit));
  if (kind === "best-worst") return pressBestWorst(question, Number(digit));
  const line = kind === "segments"
    ? document.activeElement?.closest?.(".segments li") ?? all("li", question).find((each) => chosen(each) === null)
    : question;
  const input = line && $(`input[data-key="${digit}"]`, line);
  if (!input) return false;
  choose(input);
  if (kind === "segments") {
    const left = all("li", question).find((each) => chosen(each) === null);
    if (left) { $("input", left).focus(); return true; }
  }
  focusNextOpen(question);
  return true;
}

function choose(input) {
  input.checked = true;
  input.focus({ preventScroll: true });
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function pressRanking(question, place) {
  if (place < 1 || place > cards(question).length) return false;
  const card = document.activeElement?.closest?.(".ranked") ?? $(".ranked.marked", question);
  if (!card) return false;
  const left = cards(question).find((each) => each !== card && !placeOf(each));
  question.assignPlace(card, place);
  if (left) $("select", left).focus(); // also when its place was clear: its key may still come
  else focusNextOpen(question);
  return true;
}

function pressBestWorst(question, digit) {
  const line = all(".contest li", question)[digit - 1];
  if (!line) return false;
  const best = pick(question, "best"), worst = pick(question, "worst");
  if (best && worst) all("input:checked", question).forEach((each) => { each.checked = false; });
  const part = best && !worst ? "worst" : "best";
  choose($(`.${part} input`, line));
  if (read(question)[0] !== null) focusNextOpen(question);
  return true;
}

function focusNextOpen(question) { // the next that is not answered, so that keys go on there
  const asked = questionsOf(form), from = asked.indexOf(question);
  const left = [...asked.slice(from + 1), ...asked.slice(0, from)].find((each) => read(each)[0] === null);
  if (!left) return;
  $("input:not([type=hidden]), select", left)?.focus();
  left.scrollIntoView({ block: "nearest" });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if ($(".help[open]") || form.hidden) return;
  const target = event.target, kind = target.tagName;
  const isWriting = kind === "TEXTAREA" || (kind === "INPUT" && !["radio", "range"].includes(target.type));
  if (/^[0-9]$/.test(event.key) && !isWriting) {
    const question = activeQuestion();
    if (question && !form.hasAttribute("data-done") && press(question, event.key)) event.preventDefault();
  } else if (event.key === "Enter" && !["BUTTON", "A", "SUMMARY", "TEXTAREA"].includes(kind)) {
    event.preventDefault();
    if (kind === "INPUT" && target.type === "number") changed(target.closest(".question"));
    next.click();
  }
}

export const startKeys = () => document.addEventListener("keydown", onKey);
