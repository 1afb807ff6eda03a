// In the frame of an original page: tells what was answered and how tall the page is, shows what
// was answered before, and points at a field. Its messages are all that can leave the frame.
"use strict";
{
  const tell = (kind, more = {}) => parent.postMessage({ rejudge: kind, ...more }, "*");
  const controls = () => [...document.querySelectorAll("input, select, textarea")].filter((each) => each.name);
  const named = (name) => controls().filter((each) => each.name === name);
  const answerOf = (control, value) => {
    const answers = JSON.parse(control.dataset.answers ?? "{}");
    return Object.hasOwn(answers, value) ? answers[value] : value;
  };
  const isSame = (one, other) => one === other || (other !== "" && Number(one) === Number(other));

  function removeEmpty() { // the parts of the page for items that this batch does not have
    const marks = () => [...document.querySelectorAll("[data-empty], [name]:not([name=''])")];
    for (let mark = document.querySelector("[data-empty]"); mark; mark = document.querySelector("[data-empty]")) {
      const own = mark.dataset.empty, others = marks().filter((each) => each.dataset.empty !== own);
      let part = mark;
      while (part.parentElement !== document.body && !others.some((each) => part.parentElement.contains(each))) part = part.parentElement;
      part.remove();
    }
  }

  function isSeen(control) { // a style that the rewriter does not know may still hide it
    const box = control.getBoundingClientRect(), all = { opacityProperty: true, visibilityProperty: true };
    const isThere = box.width > 0 && box.height > 0 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
    return isThere && getComputedStyle(control).visibility === "visible" && (control.checkVisibility?.(all) ?? true);
  }

  function show(control, given) {
    if (control.type === "radio") control.checked = given !== undefined && isSame(answerOf(control, control.value), given);
    else if (control.tagName === "SELECT")
      control.value = [...control.options].find((each) => each.value && isSame(answerOf(control, each.value), given ?? ""))?.value ?? "";
    else if (given !== undefined) control.value = given;
  }

  function point(name) {
    const found = named(name);
    if (!found.length) return;
    found.forEach((each) => { each.dataset.lacking = ""; });
    found[0].focus({ preventScroll: true });
    tell("place", { top: found[0].getBoundingClientRect().top + scrollY });
  }

  removeEmpty();
  document.addEventListener("change", (event) => {
    const control = event.target;
    if (!control.name) return;
    named(control.name).forEach((each) => { delete each.dataset.lacking; });
    tell("answer", { field: control.name, value: answerOf(control, control.value) });
  });
  addEventListener("message", (event) => {
    if (event.source !== parent || typeof event.data !== "object" || event.data === null) return;
    const { rejudge: kind, values = {}, field = "" } = event.data;
    if (kind === "values") controls().forEach((each) => show(each, values[each.name]));
    if (kind === "point") point(field);
  });
  let last = 0;
  const isActive = () => { if (performance.now() - last > 1000) { last = performance.now(); tell("active"); } };
  for (const kind of ["pointerdown", "pointermove", "keydown", "touchmove"]) addEventListener(kind, isActive, { passive: true });
  new ResizeObserver(() => {
    const margin = parseFloat(getComputedStyle(document.body).marginTop) + parseFloat(getComputedStyle(document.body).marginBottom);
    tell("height", { height: Math.ceil(document.body.scrollHeight + margin) });
  }).observe(document.body);

  function tellReady() { // before the page is loaded and the frame has a width, nothing has a size
    if (document.readyState !== "complete" || innerWidth === 0) return void setTimeout(tellReady, 50);
    const names = [...new Set(controls().map((each) => each.name))];
    tell("ready", { fields: names.filter((name) => named(name).every(isSeen)) });
  }
  tellReady();
}
