// The participants' pages, improved. Everything works without this script; with it people go on
// while the network is away, every answer is saved as it is given, and keys do what buttons do.
"use strict";
(() => {
  const html = document.documentElement;
  html.classList.add("scripted");
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const node = document.getElementById("state");
  const state = node ? JSON.parse(node.dataset.state) : { mode: "plain" };
  const words = node ? JSON.parse(node.dataset.words) : {};
  const say = (key, given = {}) =>
    (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => given[name] ?? whole);

  // ── what a question says ────────────────────────────────────────────────────────────────────

  const chosen = (within) => $("input[type=radio]:checked", within)?.value ?? null;
  const pick = (question, part) => $(`.${part} input:checked`, question)?.value ?? null;
  const cards = (question) => all(".ranked", question);
  const placeOf = (card) => Number($("select", card).value) || 0;
  const ranked = (question) =>
    cards(question).filter(placeOf).sort((a, b) => placeOf(a) - placeOf(b));

  // by kind: the raw answer, or null and why
  const readers = {
    pairwise: (question) => [chosen(question), "fault_choose"],
    rating: (question) => [chosen(question), "fault_choose"],
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
  const read = (question) => readers[question.dataset.kind](question);
  const isRequired = (question) => question.dataset.required === "yes";
  const questionsOf = (within) => all(".question[data-kind]", within);
  const missing = (within) =>
    questionsOf(within).find((question) => isRequired(question) && read(question)[0] === null);
  const open = (within) => questionsOf(within).find((question) => read(question)[0] === null);
  const fault = (question, text) => { $(".fault", question).textContent = text; };

  // ── controls that need more than HTML gives ─────────────────────────────────────────────────

  const changed = (question) => question.dispatchEvent(new CustomEvent("answer", { bubbles: true }));

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

  function makeContest(question) {
    question.addEventListener("change", (event) => {
      const isBest = event.target.closest(".pick").classList.contains("best");
      const other = $(`.${isBest ? "worst" : "best"} input:checked`, question);
      fault(question, "");
      if (other && other.value === event.target.value) {
        other.checked = false;
        fault(question, say("worst_cleared", { what: other.value.toUpperCase() }));
      }
      changed(question);
    });
  }

  function makeRanking(question) {
    const list = $(".ranking", question), first = cards(question);
    const selectOf = (card) => $("select", card);
    const settle = () => { // show the cards in the order of their places, the others after them
      const order = ranked(question), rest = first.filter((card) => !placeOf(card));
      const focused = document.activeElement;
      list.append(...order, ...rest);
      if (focused && list.contains(focused)) focused.focus();
      first.forEach((card) => {
        card.classList.toggle("placed", placeOf(card) > 0);
        card.classList.toggle("marked", card === rest[0]);
      });
    };
    const lay = (order) => {
      order.forEach((card, at) => { selectOf(card).value = String(at + 1); });
      settle();
      fault(question, "");
      changed(question);
    };
    const insert = (order, card, at) => [...order.slice(0, at), card, ...order.slice(at)];
    const give = (card, place) => {
      const others = first.filter((each) => each !== card);
      if (place && placeOf(card) && others.every(placeOf)) {
        lay(insert(ranked(question).filter((each) => each !== card), card, place - 1));
        return;
      }
      others.filter((each) => placeOf(each) === place).forEach((each) => { selectOf(each).value = ""; });
      selectOf(card).value = place ? String(place) : "";
      const left = first.filter((each) => !placeOf(each));
      if (left.length === 1 && place) { // one place for one text: nothing is left to decide
        const taken = first.map(placeOf);
        selectOf(left[0]).value = String(first.findIndex((_, at) => !taken.includes(at + 1)) + 1);
      }
      lay(first.every(placeOf) ? ranked(question) : []);
    };
    const move = (card, to) => {
      const order = cards(question).filter((each) => each !== card);
      lay(insert(order, card, Math.max(0, Math.min(to, order.length))));
    };
    question.give = give;
    question.addEventListener("change", (event) => {
      const wanted = Number(event.target.value) || 0;
      const card = event.target.closest(".ranked"), taken = first.map((each) => each !== card && placeOf(each));
      const before = first.findIndex((_, at) => !taken.includes(at + 1)) + 1;
      const wasWhole = first.filter((each) => each !== card).every(placeOf);
      event.target.value = wasWhole ? String(before) : "";
      give(card, wanted);
    });
    question.addEventListener("click", (event) => {
      const button = event.target.closest(".move");
      if (!button) return;
      const card = button.closest(".ranked"), at = cards(question).indexOf(card);
      move(card, at + (button.classList.contains("up") ? -1 : 1));
    });
    makeDraggable(question, move);
    settle();
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

  const makers = { slider: makeSlider, "best-worst": makeContest, ranking: makeRanking };
  function prepare(within) {
    for (const question of questionsOf(within)) {
      const make = makers[question.dataset.kind];
      if (make) make(question);
      else question.addEventListener("change", () => { fault(question, ""); changed(question); });
    }
  }

  function put(question, raw) { // an answer that the server has not heard of yet
    const parts = raw.split(",");
    const check = (selector) => { const found = $(selector, question); if (found) found.checked = true; };
    if (question.dataset.kind === "slider") {
      $("input[type=number]", question).value = raw;
      $("input[type=number]", question).dispatchEvent(new Event("input"));
    } else if (question.dataset.kind === "best-worst") {
      check(`.best input[value="${parts[0]}"]`);
      check(`.worst input[value="${parts[1]}"]`);
    } else if (question.dataset.kind === "ranking") {
      parts.forEach((letter, at) => { $(`[data-letter="${letter}"] select`, question).value = String(at + 1); });
    } else if (question.dataset.kind === "segments") {
      all("li", question).forEach((line, at) => { const found = $(`input[value="${parts[at]}"]`, line); if (found) found.checked = true; });
    } else check(`input[value="${raw}"]`);
  }

  // ── going on ────────────────────────────────────────────────────────────────────────────────

  const form = $("form[data-answers]");
  const status = form && $(".status", form);
  const next = form && $(".next", form);
  const why = document.getElementById("why");
  const tell = (text, kind = "") => {
    if (!status) return;
    status.textContent = text;
    status.className = `status ${kind}`;
  };

  function refresh() {
    if (!next || form.hasAttribute("data-done")) return;
    const lacking = missing(form);
    next.setAttribute("aria-disabled", String(Boolean(lacking)));
    if (state.mode === "list") {
      const tasks = all(".task", form), done = tasks.filter((task) => !missing(task)).length;
      document.getElementById("count").textContent = say("answered_of", { done, all: tasks.length });
      document.getElementById("progress").value = done;
    }
    const isAlone = lacking && questionsOf(lacking.closest(".task")).length === 1 && state.mode !== "list";
    const prompt = lacking && ($(".prompt", lacking).firstChild?.textContent ?? "").trim();
    why.textContent = lacking ? say("not_yet", { what: isAlone ? say(read(lacking)[1]) : prompt }) : "";
  }

  function pointOut(question) {
    fault(question, say(read(question)[1]));
    const control = all("input, select", question).find((each) => each.offsetParent !== null || each.type === "radio");
    control?.focus();
    question.scrollIntoView({ block: "center" });
  }

  // ── keys ────────────────────────────────────────────────────────────────────────────────────

  function activeQuestion() {
    const here = document.activeElement?.closest?.(".question[data-kind]");
    if (here && form.contains(here)) return here;
    const asked = questionsOf(form);
    return open(form) ?? (asked.length === 1 ? asked[0] : null);
  }

  function press(question, digit) {
    const kind = question.dataset.kind;
    if (kind === "ranking") return pressRanking(question, Number(digit));
    if (kind === "best-worst") return pressContest(question, Number(digit));
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
    goToOpen(question);
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
    question.give(card, place);
    if (left) $("select", left).focus(); // also when its place was clear: its key may still come
    else goToOpen(question);
    return true;
  }

  function pressContest(question, digit) {
    const line = all(".contest li", question)[digit - 1];
    if (!line) return false;
    const best = pick(question, "best"), worst = pick(question, "worst");
    if (best && worst) all("input:checked", question).forEach((each) => { each.checked = false; });
    const part = best && !worst ? "worst" : "best";
    choose($(`.${part} input`, line));
    if (read(question)[0] !== null) goToOpen(question);
    return true;
  }

  function goToOpen(question) { // the next that is not answered, so that keys go on there
    const asked = questionsOf(form), from = asked.indexOf(question);
    const left = [...asked.slice(from + 1), ...asked.slice(0, from)].find((each) => read(each)[0] === null);
    if (!left) return;
    $("input:not([type=hidden]), select", left)?.focus();
    left.scrollIntoView({ block: "nearest" });
  }

  if (form) document.addEventListener("keydown", (event) => {
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
  });

  // ── saving ──────────────────────────────────────────────────────────────────────────────────

  const isSaving = state.mode === "one" || state.mode === "list";
  const box = `rejudge:${state.batch}`;
  const stamp = form && $("input[name=stamp]", form)?.value;
  const csrf = form && $("input[name=csrf]", form)?.value;
  let queue = [];
  let number = 0, isSending = false, failures = 0, timer = 0, afterwards = null;

  const remember = () => {
    try { sessionStorage.setItem(box, JSON.stringify(queue)); } catch { /* full or forbidden: it stays in memory */ }
  };
  const recall = () => {
    try { return JSON.parse(sessionStorage.getItem(box) ?? "[]"); } catch { return []; }
  };

  // time that somebody was active, by task; a pause counts 30 seconds at most
  const IDLE = 30, began = performance.now();
  const spent = {}, changes = {}, blurs = {}, shownAfter = {}, latest = {};
  let last = performance.now(), pool = 0, pooledBlurs = 0;
  const tick = () => {
    const moment = performance.now();
    pool += Math.min((moment - last) / 1000, IDLE);
    last = moment;
  };
  const credit = (task) => {
    tick();
    spent[task] = (spent[task] ?? 0) + pool;
    blurs[task] = (blurs[task] ?? 0) + pooledBlurs;
    pool = pooledBlurs = 0;
  };
  if (isSaving) {
    for (const kind of ["pointerdown", "pointermove", "keydown", "scroll", "touchmove"])
      window.addEventListener(kind, tick, { passive: true });
    window.addEventListener("blur", () => { tick(); pooledBlurs += 1; });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) tick();
      else last = performance.now();
    });
  }

  function save(question) {
    const [raw] = read(question);
    const task = Number(question.closest(".task").dataset.task), name = `${task}:${question.dataset.question}`;
    if (raw === null || latest[name] === raw) return;
    credit(task);
    changes[task] = (changes[task] ?? 0) + (name in latest ? 1 : 0);
    latest[name] = raw;
    queue.push({
      stamp, task, question: question.dataset.question, raw, number: number++,
      shown: Math.round((shownAfter[task] ?? 0) / 100) / 10, active: Math.round(spent[task] * 10) / 10,
      changes: changes[task], blurs: blurs[task] ?? 0,
    });
    remember();
    send();
  }

  const clock = (moment) => moment.toLocaleTimeString(state.language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

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
    const slow = setTimeout(() => tell(say("saving")), 700);
    let isTold = false, response = null;
    try {
      response = await post("/save", JSON.stringify(queue[0]), "application/json");
      const said = response.status === 200 || response.status === 403 ? await response.json() : {};
      isTold = heard(response.status, said);
    } catch { isTold = false; }
    clearTimeout(slow);
    isSending = false;
    if (isTold) {
      failures = 0;
      if (queue.length) send();
      else if (afterwards) afterwards();
    } else if (isTold === false) later(send);
  }

  function heard(status, said) { // true: done with it; false: try again; null: give up
    if (status === 200 && said.outcome !== "closed") {
      queue.shift();
      remember();
      if (!queue.length) tell(say("saved_at", { time: clock(new Date()) }), "is-saved");
      return true;
    }
    if (status === 200) {
      queue = [];
      remember();
      tell(say("closed"), "is-late");
      location.assign(`${state.root}/`);
      return null;
    }
    if (status === 403) {
      tell("", "is-late");
      const link = document.createElement("a");
      link.href = `${state.root}/`;
      link.textContent = say("gone_title");
      $(".status", form).append(link);
      return null;
    }
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      const bad = queue.shift();
      delete latest[`${bad.task}:${bad.question}`];
      remember();
      tell(say("not_saved"), "is-late");
      return true;
    }
    return false;
  }


  function later(again) {
    failures += 1;
    tell(say("not_saved"), "is-late");
    clearTimeout(timer);
    timer = setTimeout(again, Math.min(30, 2 ** Math.min(failures - 1, 5)) * 1000 * (0.75 + Math.random() / 2));
  }
  window.addEventListener("online", () => { if (queue.length) { clearTimeout(timer); send(); } else if (afterwards) afterwards(); });
  window.addEventListener("beforeunload", (event) => { if (queue.length && isSaving) event.preventDefault(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  async function handIn() {
    if (queue.length) { afterwards = handIn; tell(say(failures ? "not_saved" : "sending"), failures ? "is-late" : ""); send(); return; }
    afterwards = handIn;
    tell(say("sending"));
    next.setAttribute("aria-disabled", "true");
    const sheet = new URLSearchParams(new FormData(document.getElementById("hand-in")));
    try {
      const response = await post("/submit", sheet, "application/x-www-form-urlencoded");
      if (response.status >= 500) throw new Error("unavailable");
      afterwards = null;
      location.assign(response.url.endsWith("/submit") ? `${state.root}/` : response.url);
    } catch { later(handIn); }
  }

  // ── one task after another ──────────────────────────────────────────────────────────────────

  const body = document.getElementById("body");
  let sections = [], place = state.place ?? 0;
  const pathOf = (at) => `${state.root}/task/${at}`;

  async function fetchTasks() {
    try {
      const response = await fetch(`${state.root}/tasks`, { credentials: "same-origin" });
      if (!response.ok || response.redirected) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const found = all(".task", page).map((each) => document.adoptNode(each));
      const here = $(".task", body);
      if (found[place - 1]?.dataset.task !== here.dataset.task) return;
      found.forEach((each, at) => { if (at !== place - 1) { prepareTask(each); } });
      found[place - 1] = here;
      sections = found;
    } catch { setTimeout(fetchTasks, 5000); }
  }

  function prepareTask(task) {
    for (const waiting of queue.filter((each) => String(each.task) === task.dataset.task)) {
      const question = $(`[data-question="${CSS.escape(waiting.question)}"]`, task);
      if (question) put(question, waiting.raw);
    }
    prepare(task);
    for (const question of questionsOf(task)) {
      const [raw] = read(question);
      if (raw !== null) latest[`${task.dataset.task}:${question.dataset.question}`] = raw;
    }
  }

  function turnTo(to, { isNew = true } = {}) {
    credit(Number($(".task", body).dataset.task));
    place = to;
    const task = sections[to - 1];
    shownAfter[task.dataset.task] ??= performance.now() - began;
    body.replaceChildren(task);
    form.action = pathOf(to);
    form.hidden = false;
    document.getElementById("rest").hidden = true;
    const count = say("number_of", { number: to, all: sections.length });
    document.getElementById("count").textContent = count;
    document.getElementById("progress").value = to - 1;
    document.title = `${count} · ${$(".study-title").textContent}`;
    const back = $(".back", form);
    if (back) back.hidden = to === 1;
    $(".next-word", next).textContent = say(to === sections.length ? "finish" : "next");
    all(".notice[role=alert]").forEach((each) => each.remove());
    if (isNew) history.pushState({ place: to }, "", pathOf(to));
    refresh();
    window.scrollTo(0, 0);
    $(".place", task).focus({ preventScroll: true });
  }

  function rest() {
    const card = document.getElementById("rest"), text = $("p[data-text]", card);
    text.textContent = text.dataset.text.replace("{done}", place).replace("{all}", sections.length);
    credit(Number($(".task", body).dataset.task));
    form.hidden = true;
    card.hidden = false;
    window.scrollTo(0, 0);
    $("h2", card).focus();
  }

  function goOn() {
    if (place === sections.length) {
      const at = sections.findIndex((task) => missing(task));
      if (at >= 0) { turnTo(at + 1); pointOut(missing(form)); return; }
      handIn();
    } else if (state.breakEvery && place % state.breakEvery === 0) rest();
    else turnTo(place + 1);
  }

  function startOne() {
    history.replaceState({ place }, "");
    fetchTasks();
    document.getElementById("rested").addEventListener("click", () => { last = performance.now(); turnTo(place + 1); });
    window.addEventListener("popstate", (event) => {
      const to = event.state?.place;
      if (!to || !sections.length) return;
      if (!state.back && to < place) { history.pushState({ place }, "", pathOf(place)); return; }
      turnTo(to, { isNew: false });
    });
  }

  if (form) {
    if (isSaving) {
      queue = recall();
      all(".task", form).forEach((task) => { shownAfter[task.dataset.task] = 0; prepareTask(task); });
      if (queue.length) send();
    } else prepare(form);
    form.addEventListener("answer", (event) => { if (isSaving) save(event.target); refresh(); });
    form.addEventListener("submit", (event) => {
      const isBack = event.submitter?.value === "back";
      const lacking = form.hasAttribute("data-done") ? null : missing(form);
      if (isBack && sections.length) { event.preventDefault(); turnTo(Math.max(1, place - 1)); return; }
      if (isBack) return;
      if (lacking) { event.preventDefault(); pointOut(lacking); return; }
      if (state.mode === "one" && sections.length) { event.preventDefault(); goOn(); }
      if (state.mode === "list") { event.preventDefault(); handIn(); }
    });
    refresh();
    if (state.mode === "one") startOne();
  }

  // ── around the tasks ────────────────────────────────────────────────────────────────────────

  const help = $(".help");
  if (help) {
    const close = () => { help.open = false; $("summary", help).focus(); };
    $("[data-close]", help).addEventListener("click", close);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape" && help.open) close(); });
    document.addEventListener("click", (event) => { if (help.open && !help.contains(event.target)) help.open = false; });
  }

  const client = $("form[data-client]");
  if (client) {
    const isCoarse = matchMedia("(pointer: coarse)").matches, short = Math.min(screen.width, screen.height);
    client.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
    client.elements.offset.value = String(-new Date().getTimezoneOffset());
    client.elements.device.value = !isCoarse ? "desktop" : short < 600 ? "phone" : "tablet";
  }

  const copy = $("[data-copy]");
  if (copy) copy.addEventListener("click", async () => {
    const code = document.getElementById(copy.dataset.copy);
    try { await navigator.clipboard.writeText(code.textContent); } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy"); // where the clipboard is forbidden, as on plain http
    }
    copy.textContent = say("copied");
  });

  const follow = $("[data-follow]");
  if (follow) {
    $(".follow").hidden = false;
    const leaving = setTimeout(() => location.assign(follow.href), 15000);
    $("[data-stay]").addEventListener("click", () => { clearTimeout(leaving); $(".follow").hidden = true; });
  }
})();
