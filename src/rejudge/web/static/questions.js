// Questions: what each says, and the controls that need more than HTML gives.
import { $, all, textFor } from "./page.js";

export const chosen = (within) => $("input[type=radio]:checked", within)?.value ?? null;
export const pick = (question, part) => $(`.${part} input:checked`, question)?.value ?? null;
export const cards = (question) => all(".ranked", question);
export const placeOf = (card) => Number($("select", card).value) || 0;
const ranked = (question) =>
  cards(question).filter(placeOf).sort((a, b) => placeOf(a) - placeOf(b));

// by kind: the raw answer, or null and why
const readers = {
  slider(question) {
    const text = $("input[type=number]", question).value.trim();
    const number = Number(text);
    return [text !== "" && number >= 0 && number <= 100 ? String(number) : null, "fault_slider"];
  },
  "best-worst"(question) {
    const best = pick(question, "best"), worst = pick(question, "worst");
    if (best && worst && best !== worst) return [`${best},${worst}`, ""];
    return [null, best && !worst ? "fault_worst" : "best_worst_hint"];
  },
  ranking(question) {
    const order = ranked(question);
    const isWhole = order.length === cards(question).length
      && order.every((card, at) => placeOf(card) === at + 1);
    return [isWhole ? order.map((card) => card.dataset.letter).join(",") : null, "fault_ranking"];
  },
  segments(question) {
    const points = all("li", question).map(chosen);
    return [points.includes(null) ? null : points.join(","), "fault_segments"];
  },
};
// a kind without a reader of its own has one control, or a group of radio buttons
const readAny = (question) =>
  [chosen(question) ?? ($("input:not([type=radio]), textarea, select", question)?.value.trim() || null), "fault_choose"];
export const read = (question) => (readers[question.dataset.kind] ?? readAny)(question);
const isRequired = (question) => question.dataset.required === "yes";
export const questionsOf = (within) => all(".question[data-kind]", within);
export const missing = (within) =>
  questionsOf(within).find((question) => isRequired(question) && read(question)[0] === null);
export const open = (within) => questionsOf(within).find((question) => read(question)[0] === null);
export const fault = (question, text) => { $(".fault", question).textContent = text; };

// ── controls that need more than HTML gives ─────────────────────────────────────────────────

export const changed = (question) => question.dispatchEvent(new CustomEvent("answer", { bubbles: true }));

function makeSlider(question) {
  const line = $("input[type=range]", question), number = $("input[type=number]", question);
  const touch = () => { line.classList.remove("untouched"); line.removeAttribute("aria-valuetext"); };
  const fromLine = () => { touch(); number.value = line.value; };
  const fromNumber = () => {
    if (read(question)[0] === null) return;
    line.value = number.value;
    touch();
  };
  fromNumber();
  line.addEventListener("input", fromLine);
  line.addEventListener("click", () => { fromLine(); changed(question); });
  line.addEventListener("change", () => changed(question));
  number.addEventListener("input", fromNumber);
  number.addEventListener("change", () => changed(question));
}

function makeBestWorst(question) {
  question.addEventListener("change", (event) => {
    const isBest = event.target.closest(".pick").classList.contains("best");
    const other = $(`.${isBest ? "worst" : "best"} input:checked`, question);
    fault(question, "");
    if (other && other.value === event.target.value) {
      other.checked = false;
      fault(question, textFor("worst_cleared", { what: other.value.toUpperCase() }));
    }
    changed(question);
  });
}

function makeRanking(question) {
  const list = $(".ranking", question), first = cards(question);
  const selectOf = (card) => $("select", card);
  const arrange = () => { // show the cards in the order of their places, the others after them
    const order = ranked(question), rest = first.filter((card) => !placeOf(card));
    const focused = document.activeElement;
    list.append(...order, ...rest);
    if (focused && list.contains(focused)) focused.focus();
    first.forEach((card) => {
      card.classList.toggle("placed", placeOf(card) > 0);
      card.classList.toggle("marked", card === rest[0]);
    });
  };
  const applyOrder = (order) => {
    order.forEach((card, at) => { selectOf(card).value = String(at + 1); });
    arrange();
    fault(question, "");
    changed(question);
  };
  const insert = (order, card, at) => [...order.slice(0, at), card, ...order.slice(at)];
  const assignPlace = (card, place) => {
    const others = first.filter((each) => each !== card);
    if (place && placeOf(card) && others.every(placeOf)) {
      applyOrder(insert(ranked(question).filter((each) => each !== card), card, place - 1));
      return;
    }
    others.filter((each) => placeOf(each) === place).forEach((each) => { selectOf(each).value = ""; });
    selectOf(card).value = place ? String(place) : "";
    const left = first.filter((each) => !placeOf(each));
    if (left.length === 1 && place) { // one place for one text: nothing is left to decide
      const taken = first.map(placeOf);
      selectOf(left[0]).value = String(first.findIndex((_, at) => !taken.includes(at + 1)) + 1);
    }
    applyOrder(first.every(placeOf) ? ranked(question) : []);
  };
  const move = (card, to) => {
    const order = cards(question).filter((each) => each !== card);
    applyOrder(insert(order, card, Math.max(0, Math.min(to, order.length))));
  };
  question.assignPlace = assignPlace;
  question.addEventListener("change", (event) => {
    const wanted = Number(event.target.value) || 0;
    const card = event.target.closest(".ranked"), taken = first.map((each) => each !== card && placeOf(each));
    const before = first.findIndex((_, at) => !taken.includes(at + 1)) + 1;
    const wasWhole = first.filter((each) => each !== card).every(placeOf);
    event.target.value = wasWhole ? String(before) : "";
    assignPlace(card, wanted);
  });
  question.addEventListener("click", (event) => {
    const button = event.target.closest(".move");
    if (!button) return;
    const card = button.closest(".ranked"), at = cards(question).indexOf(card);
    move(card, at + (button.classList.contains("up") ? -1 : 1));
  });
  makeDraggable(question, move);
  arrange();
}

function makeDraggable(question, move) {
  let card = null;
  const target = (y) => cards(question).filter((each) => each !== card)
    .findIndex((each) => { const box = each.getBoundingClientRect(); return y < box.top + box.height / 2; });
  const mark = (at) => {
    const others = cards(question).filter((each) => each !== card);
    others.forEach((each, place) => each.classList.toggle("over", place === at));
  };
  question.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".grip") || event.button) return;
    card = event.target.closest(".ranked");
    card.classList.add("dragged");
    event.target.closest(".grip").setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  question.addEventListener("pointermove", (event) => { if (card) mark(target(event.clientY)); });
  question.addEventListener("pointerup", (event) => {
    if (!card) return;
    const at = target(event.clientY), moved = card;
    card.classList.remove("dragged");
    mark(-2);
    card = null;
    move(moved, at < 0 ? cards(question).length : at);
  });
  question.addEventListener("pointercancel", () => { card?.classList.remove("dragged"); mark(-2); card = null; });
}

const makers = { slider: makeSlider, "best-worst": makeBestWorst, ranking: makeRanking };
export function prepare(within) {
  for (const question of questionsOf(within)) {
    const make = makers[question.dataset.kind];
    if (make) make(question);
    else question.addEventListener("change", () => { fault(question, ""); changed(question); });
  }
}

// ── controls as they stand, also of an answer that is not whole yet ──

const controls = (question) => all("[name]", question);

export const draftOf = (question) => controls(question)
  .filter((each) => (each.type === "radio" ? each.checked : each.value !== ""))
  .map((each) => [each.name, each.value]);

export function restore(question, draft) {
  const isIn = (each) => draft.some(([name, value]) => name === each.name && value === each.value);
  for (const each of controls(question)) {
    if (each.type === "radio") each.checked = isIn(each);
    else each.value = draft.find(([name]) => name === each.name)?.[1] ?? "";
  }
}
